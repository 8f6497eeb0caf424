import { BlockList } from 'node:net'
import { addressFamily } from '../base/address-family.ts'

const local = new BlockList()
local.addSubnet('127.0.0.0', 8, 'ipv4')
local.addAddress('0.0.0.0', 'ipv4')
local.addSubnet('169.254.0.0', 16, 'ipv4')
local.addAddress('::1', 'ipv6')
local.addAddress('::', 'ipv6')
local.addSubnet('fe80::', 10, 'ipv6')

/** Whether an address means nothing to other machines: a name, loopback, link-local, or any address of this one. */
export function isLocalAddress(address: string): boolean {
  const version = addressFamily(address)
  return version === 0 || local.check(address, version === 6 ? 'ipv6' : 'ipv4')
}
