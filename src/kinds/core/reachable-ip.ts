import { BlockList } from 'node:net'
import { addressFamily } from '../../base/address-family.ts'

interface Special {
  readonly list: BlockList
  readonly message: string
}

const special = (message: string, ...ranges: readonly (readonly [string, number])[]): Special => {
  const list = new BlockList()
  for (const [address, prefix] of ranges)
    list.addSubnet(address, prefix, address.includes(':') ? 'ipv6' : 'ipv4')
  return { list, message }
}

const SPECIAL: readonly Special[] = [
  special('may not be unspecified', ['0.0.0.0', 32], ['::', 128]),
  special(
    'may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ['127.0.0.0', 8],
    ['::1', 128],
  ),
  special(
    'may not be in the link-local range (169.254.0.0/16, fe80::/10)',
    ['169.254.0.0', 16],
    ['fe80::', 10],
  ),
  special(
    'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
    ['224.0.0.0', 24],
    ['ff02::', 16],
  ),
]

/** Violations of an address that is not reachable from other nodes; empty for a reachable one. */
export function isReachableIp(address: string): readonly string[] {
  const plain = addressFamily(address) === 0 ? address.replaceAll(/\b0+(?=\d)/g, '') : address
  if (addressFamily(plain) !== 6 && isOrdinary(plain)) return []
  const family = addressFamily(plain) === 6 ? 'ipv6' : 'ipv4'
  return SPECIAL.filter(({ list }) => list.check(plain, family)).map(({ message }) => message)
}

const SPECIAL_STARTS = ['0.', '127.', '169.', '224.']

/** Fast path: whether the first byte of an IPv4 address rules out all special ranges. */
const isOrdinary = (address: string): boolean =>
  !SPECIAL_STARTS.some((start) => address.startsWith(start))
