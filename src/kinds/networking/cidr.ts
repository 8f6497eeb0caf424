import { ipToBigInt } from '../../base/ip-range.ts'
import { isCidr } from '../../meta/names.ts'
import { plainIp } from '../core/ip-text.ts'

/** A parsed CIDR. */
export interface Cidr {
  readonly family: 'IPv4' | 'IPv6'
  /** Length of the prefix in bits. */
  readonly bits: number
  /** Length of an address of the family in bits. */
  readonly width: number
  /** First address of the range. */
  readonly start: bigint
}

/** Parses a CIDR; null if it is invalid. */
export function parseCidr(text: string): Cidr | null {
  if (isCidr(text).length > 0) return null
  const slash = text.indexOf('/')
  const address = text.slice(0, slash)
  const bits = Number(text.slice(slash + 1))
  // The prefix length counts bits of the written form, so IPv4-mapped IPv6 stays IPv6.
  const family = address.includes(':') ? 'IPv6' : 'IPv4'
  const width = family === 'IPv6' ? 128 : 32
  const value = ipToBigInt(plainIp(address))
  const host = BigInt(width - bits)
  return { family, bits, width, start: (value >> host) << host }
}

/** Whether `inner` is a strict subset of `outer`. */
export function isStrictlyWithin(inner: Cidr, outer: Cidr): boolean {
  const host = BigInt(outer.width - outer.bits)
  return (
    inner.family === outer.family &&
    inner.bits > outer.bits &&
    inner.start >> host === outer.start >> host
  )
}
