import { addressFamily } from '../../base/address-family.ts'
import { ipFromBigInt, ipToBigInt } from '../../base/ip-range.ts'
import { ipFamily } from '../../meta/names.ts'

/** Family of an address, as kinds name it; only for text that is one. */
export const familyOf = (address: string): 'IPv4' | 'IPv6' =>
  ipFamily(address) === 6 ? 'IPv6' : 'IPv4'

/** A valid address without the leading zeros that its IPv4 part may have. */
export const plainIp = (address: string): string =>
  addressFamily(address) === 0 ? address.replaceAll(/\b0+(?=\d)/g, '') : address

/**
 * Canonical text of a valid address: no leading zeros, IPv6 shortened, IPv4-mapped addresses as
 * IPv4.
 */
export function canonicalIp(address: string): string {
  const plain = plainIp(address)
  if (addressFamily(plain) === 4) return plain
  const value = ipToBigInt(plain)
  return familyOf(address) === 'IPv4'
    ? ipFromBigInt(value & 0xffff_ffffn, 'IPv4')
    : ipFromBigInt(value, 'IPv6')
}
