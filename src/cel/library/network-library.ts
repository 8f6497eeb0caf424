/** Addresses and networks of the internet protocol. */
import { isIP } from 'node:net'
import { ipFromBigInt, ipToBigInt } from '../../base/ip-range.ts'
import {
  type CostRule,
  exactly,
  PER_CHARACTER,
  plus,
  type Range,
  share,
  traversal,
} from '../cost-rule.ts'
import type { Library } from '../environment.ts'
import { failure } from '../failure.ts'
import { type FunctionDeclaration, global, member } from '../function-declaration.ts'
import { BOOL, INT, opaque, STRING } from '../type.ts'
import { LibraryValue, sizeOf } from '../values.ts'

const IP = opaque('net.IP')
const CIDR = opaque('net.CIDR')

/** Bits of the addresses of a family. */
const BITS = { 4: 32, 6: 128 } as const

type Family = keyof typeof BITS

const MAPPED = 0xffffn

class IpValue extends LibraryValue {
  readonly typeName = IP.name
  readonly family: Family
  readonly number: bigint

  constructor(family: Family, number: bigint) {
    super()
    this.family = family
    this.number = number
  }

  equals(other: IpValue): boolean {
    return this.family === other.family && this.number === other.number
  }

  /** Whether the first bits are those of a number. */
  begins(bits: number, prefix: bigint): boolean {
    return this.number >> BigInt(BITS[this.family] - bits) === prefix
  }

  get isUnspecified(): boolean {
    return this.number === 0n
  }

  get isLoopback(): boolean {
    return this.family === 4 ? this.begins(8, 127n) : this.number === 1n
  }

  get isLinkLocalMulticast(): boolean {
    if (this.family === 4) return this.begins(24, 0xe00000n)
    return this.begins(8, 0xffn) && ((this.number >> 112n) & 0xfn) === 2n
  }

  get isLinkLocalUnicast(): boolean {
    return this.family === 4 ? this.begins(16, 0xa9fen) : this.begins(10, 0x3fan)
  }

  get isGlobalUnicast(): boolean {
    const isMulticast = this.family === 4 ? this.begins(4, 0xen) : this.begins(8, 0xffn)
    const isBroadcast = this.family === 4 && this.number === 0xffffffffn
    if (isMulticast || isBroadcast || this.isUnspecified) return false
    return !this.isLoopback && !this.isLinkLocalUnicast
  }

  override toString(): string {
    return ipFromBigInt(this.number, `IPv${this.family}`)
  }
}

class CidrValue extends LibraryValue {
  readonly typeName = CIDR.name
  readonly ip: IpValue
  readonly bits: number

  constructor(ip: IpValue, bits: number) {
    super()
    this.ip = ip
    this.bits = bits
  }

  get masked(): CidrValue {
    const rest = BigInt(BITS[this.ip.family] - this.bits)
    return new CidrValue(new IpValue(this.ip.family, (this.ip.number >> rest) << rest), this.bits)
  }

  equals(other: CidrValue): boolean {
    return this.bits === other.bits && this.ip.equals(other.ip)
  }

  contains(ip: IpValue): boolean {
    if (ip.family !== this.ip.family) return false
    const rest = BigInt(BITS[ip.family] - this.bits)
    return ip.number >> rest === this.ip.number >> rest
  }

  containsNetwork({ ip, bits }: CidrValue): boolean {
    return bits >= this.bits && this.contains(ip)
  }

  override toString(): string {
    return `${String(this.ip)}/${this.bits}`
  }
}

/** The address that a text is, or why it is none. */
function readIp(text: string, what: string): IpValue | string {
  if (text.includes('%')) return `${what} ${JSON.stringify(text)} with zone value is not allowed`
  const family = isIP(text)
  if (family === 0) return ''
  const number = ipToBigInt(text)
  if (family === 4) return new IpValue(4, number)
  if (number >> 32n !== MAPPED) return new IpValue(6, number)
  if (text.includes('.')) {
    return `IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`
  }
  return new IpValue(4, number & 0xffffffffn)
}

function ipOf(text: string): IpValue {
  const found = readIp(text, 'IP address')
  if (typeof found !== 'string') return found
  throw failure(
    found === ''
      ? `IP Address ${JSON.stringify(text)} parse error during conversion from string`
      : found,
  )
}

function readCidr(text: string): CidrValue | string {
  const [, address = '', length = ''] = /^([^/]*)\/(0|[1-9]\d{0,2})$/.exec(text) ?? []
  if (text.includes('%')) return `CIDR ${JSON.stringify(text)} with zone value is not allowed`
  if (address === '') return ''
  const ip = readIp(address, 'CIDR')
  if (typeof ip === 'string') return ip
  return Number(length) <= BITS[ip.family] ? new CidrValue(ip, Number(length)) : ''
}

function cidrOf(text: string): CidrValue {
  const found = readCidr(text)
  if (typeof found !== 'string') return found
  throw failure(
    found === '' ? `network address parse error during conversion from string: ${text}` : found,
  )
}

const BYTES: Range = { min: 4, max: 16 }

/** Compares bytes of addresses, and reads a text where the other side is one. */
const comparing = (isNetwork: boolean, isText: boolean): CostRule => {
  const compared = share(plus(BYTES, BYTES), PER_CHARACTER)
  const own = isNetwork ? plus(plus(compared, share(BYTES, PER_CHARACTER)), exactly(1)) : compared
  return {
    estimate: ([, other]) => ({
      cost: isText ? plus(own, share(other!.size, PER_CHARACTER)) : own,
    }),
    charge: ([, other]) => own.max + (isText ? Math.ceil(sizeOf(other) * PER_CHARACTER) : 0),
  }
}

const ips = (): readonly FunctionDeclaration[] => [
  global('ip', ['string_to_ip', [STRING], IP, ipOf, traversal(0)]),
  global('isIP', [
    'is_ip',
    [STRING],
    BOOL,
    (text: string) => typeof readIp(text, '') !== 'string',
    traversal(0),
  ]),
  global('ip.isCanonical', [
    'ip_is_canonical',
    [STRING],
    BOOL,
    (text: string) => String(ipOf(text)) === text,
    traversal(0, 2 * PER_CHARACTER),
  ]),
  global('string', ['ip_to_string', [IP], STRING, String]),
  member('family', ['ip_family', [IP], INT, (ip: IpValue) => ip.family]),
  member('isUnspecified', ['ip_is_unspecified', [IP], BOOL, (ip: IpValue) => ip.isUnspecified]),
  member('isLoopback', ['ip_is_loopback', [IP], BOOL, (ip: IpValue) => ip.isLoopback]),
  member('isLinkLocalMulticast', [
    'ip_is_link_local_multicast',
    [IP],
    BOOL,
    (ip: IpValue) => ip.isLinkLocalMulticast,
  ]),
  member('isLinkLocalUnicast', [
    'ip_is_link_local_unicast',
    [IP],
    BOOL,
    (ip: IpValue) => ip.isLinkLocalUnicast,
  ]),
  member('isGlobalUnicast', [
    'ip_is_global_unicast',
    [IP],
    BOOL,
    (ip: IpValue) => ip.isGlobalUnicast,
  ]),
]

const cidrs = (): readonly FunctionDeclaration[] => [
  global('cidr', ['string_to_cidr', [STRING], CIDR, cidrOf, traversal(0)]),
  global('isCIDR', [
    'is_cidr',
    [STRING],
    BOOL,
    (text: string) => typeof readCidr(text) !== 'string',
    traversal(0),
  ]),
  global('string', ['cidr_to_string', [CIDR], STRING, String]),
  member(
    'containsIP',
    [
      'cidr_contains_ip_string',
      [CIDR, STRING],
      BOOL,
      (cidr: CidrValue, ip: string) => cidr.contains(ipOf(ip)),
      comparing(false, true),
    ],
    [
      'cidr_contains_ip_ip',
      [CIDR, IP],
      BOOL,
      (cidr: CidrValue, ip: IpValue) => cidr.contains(ip),
      comparing(false, false),
    ],
  ),
  member(
    'containsCIDR',
    [
      'cidr_contains_cidr_string',
      [CIDR, STRING],
      BOOL,
      (cidr: CidrValue, other: string) => cidr.containsNetwork(cidrOf(other)),
      comparing(true, true),
    ],
    [
      'cidr_contains_cidr',
      [CIDR, CIDR],
      BOOL,
      (cidr: CidrValue, other: CidrValue) => cidr.containsNetwork(other),
      comparing(true, false),
    ],
  ),
  member('ip', ['cidr_ip', [CIDR], IP, ({ ip }: CidrValue) => ip]),
  member('masked', ['cidr_masked', [CIDR], CIDR, ({ masked }: CidrValue) => masked]),
  member('prefixLength', ['cidr_prefix_length', [CIDR], INT, ({ bits }: CidrValue) => bits]),
]

/** Addresses and networks. */
export const networkLibrary = (): Library => ({
  types: [
    [IP.name, IP],
    [CIDR.name, CIDR],
  ],
  functions: [...ips(), ...cidrs()],
})
