/** Ranges of addresses and ports that values are given out of. */
import { addressFamily } from './address-family.ts'

/** Values by their index, from 0 to `size` - 1. */
export interface ValueRange {
  readonly text: string
  readonly size: number
  /** Values below this index are picked last, to leave room for those that people choose. */
  readonly reserved: number
  /** The canonical text of a value. */
  at(index: number): string
  /** -1 when the value is not in the range. */
  indexOf(value: string): number
}

/** An address range and its family. */
export interface IpRange extends ValueRange {
  readonly family: 'IPv4' | 'IPv6'
}

// More addresses than anyone has services; keeps scans of a nearly full range short.
const MAX_IPV6 = 65_536

/**
 * Usable addresses of a network such as `10.0.0.0/24`: without the network's own and, for IPv4, the broadcast address.
 * Throws Error on text of another form.
 */
export function parseIpRange(text: string): IpRange {
  const slash = text.lastIndexOf('/')
  const address = text.slice(0, slash)
  const version = slash === -1 ? 0 : addressFamily(address)
  const bits = Number(text.slice(slash + 1))
  const width = version === 4 ? 32 : 128
  if (
    version === 0 ||
    address.includes('%') ||
    !/^\d{1,3}$/.test(text.slice(slash + 1)) ||
    bits > width
  )
    throw new Error(`${text} is no network such as 10.0.0.0/24`)
  const host = BigInt(width - bits)
  const network = (ipToBigInt(address) >> host) << host
  const all = 1n << host
  const count = version === 4 ? all - 2n : (all > BigInt(MAX_IPV6) ? BigInt(MAX_IPV6) : all) - 1n
  const size = count < 0n ? 0 : Number(count)
  const family = version === 4 ? 'IPv4' : 'IPv6'
  return {
    text: `${ipFromBigInt(network, family)}/${bits}`,
    family,
    size,
    reserved: all <= 16n ? 0 : Math.min(256, Math.max(16, Number(all / 16n))),
    at: (index) => ipFromBigInt(network + 1n + BigInt(index), family),
    indexOf(value) {
      if (addressFamily(value) !== version || value.includes('%')) return -1
      const index = ipToBigInt(value) - network - 1n
      return index >= 0n && index < BigInt(size) ? Number(index) : -1
    },
  }
}

/** Ports such as `30000-32767`, `30000+100` or one alone. Throws Error on text of another form. */
export function parsePortRange(text: string): ValueRange {
  const m = /^(\d{1,5})(?:([-+])(\d{1,5}))?$/.exec(text.trim())
  if (!m) throw new Error(`unable to parse port range: ${text}`)
  const first = Number(m[1])
  const last = m[2] === undefined ? first : m[2] === '-' ? Number(m[3]) : first + Number(m[3])
  if (first > 65_535 || last > 65_535)
    throw new Error(`the port range cannot be greater than 65535: ${text}`)
  if (last < first) throw new Error(`end port cannot be less than start port: ${text}`)
  const size = last - first + 1
  return {
    text: `${first}-${last}`,
    size,
    reserved: 0,
    at: (index) => String(first + index),
    indexOf(value) {
      const port = /^\d{1,5}$/.test(value) ? Number(value) : -1
      return port >= first && port <= last ? port - first : -1
    },
  }
}

/** The number of an address. */
export function ipToBigInt(text: string): bigint {
  if (addressFamily(text) === 4)
    return text.split('.').reduce((sum, part) => (sum << 8n) + BigInt(part), 0n)
  const [head = '', tail] = text.split('::')
  const groups = (part: string) =>
    part === ''
      ? []
      : part.split(':').flatMap((group) => {
          if (!group.includes('.')) return [BigInt(`0x${group}`)]
          const four = ipToBigInt(group)
          return [four >> 16n, four & 0xffffn]
        })
  const before = groups(head)
  const after = tail === undefined ? [] : groups(tail)
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0n)
  return [...before, ...zeros, ...after].reduce((sum, group) => (sum << 16n) + group, 0n)
}

/** The canonical text of an address (RFC 5952). */
export function ipFromBigInt(value: bigint, family: 'IPv4' | 'IPv6'): string {
  if (family === 'IPv4')
    return [24n, 16n, 8n, 0n].map((s) => String((value >> s) & 0xffn)).join('.')
  const groups = Array.from({ length: 8 }, (_, i) => (value >> BigInt(112 - 16 * i)) & 0xffffn)
  let best = { at: -1, length: 1 }
  for (let at = 0; at < 8; at++) {
    let length = 0
    while (at + length < 8 && groups[at + length] === 0n) length++
    if (length > best.length) best = { at, length }
  }
  const text = (part: bigint[]) => part.map((group) => group.toString(16)).join(':')
  if (best.at === -1) return text(groups)
  return `${text(groups.slice(0, best.at))}::${text(groups.slice(best.at + best.length))}`
}
