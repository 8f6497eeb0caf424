import { ipToBigInt } from '../../base/ip-range.ts'
import { isCidr } from '../../meta/names.ts'
import { plainIp } from '../core/ip-text.ts'

/** A block of addresses. */
export interface Cidr {
  readonly family: 'IPv4' | 'IPv6'
  /** Leading bits that all its addresses share. */
  readonly bits: number
  /** Bits of an address of the family. */
  readonly width: number
  /** Its lowest address. */
  readonly start: bigint
}

/** The block that a text names; null when it names none. */
export function parseCidr(text: string): Cidr | null {
  if (isCidr(text).length > 0) return null
  const slash = text.indexOf('/')
  const address = text.slice(0, slash)
  const bits = Number(text.slice(slash + 1))
  // The length counts the bits of the text's own form, so IPv4 inside IPv6 stays IPv6 here.
  const family = address.includes(':') ? 'IPv6' : 'IPv4'
  const width = family === 'IPv6' ? 128 : 32
  const value = ipToBigInt(plainIp(address))
  const host = BigInt(width - bits)
  return { family, bits, width, start: (value >> host) << host }
}

/** Whether `inner` is a part of `outer`, and not all of it. */
export function isStrictlyWithin(inner: Cidr, outer: Cidr): boolean {
  const host = BigInt(outer.width - outer.bits)
  return (
    inner.family === outer.family &&
    inner.bits > outer.bits &&
    inner.start >> host === outer.start >> host
  )
}
