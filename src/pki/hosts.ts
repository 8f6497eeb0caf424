import { hostname, networkInterfaces } from 'node:os'
import { addressFamily } from '../base/address-family.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** How the machine is called and reached. */
export interface Machine {
  readonly name: string
  /** Addresses that others can reach it at. */
  readonly addresses: readonly string[]
}

/** First address of the default range of service addresses. */
const SERVICE_IP = '10.0.0.1'
const WILDCARDS = ['0.0.0.0', '::']
const DNS_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

/** The machine this process runs on. */
export function thisMachine(): Machine {
  const addresses = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    // Link-local ones mean nothing without the name of the interface.
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
    .map(({ address }) => address)
  return { name: hostname(), addresses }
}

/** Names and addresses that the serving certificate must be good for. */
export function servingHosts(v: Vocabulary, bindAddress: string, machine: Machine): string[] {
  const service = v.resolve('{brand}')
  const name = machine.name.toLowerCase()
  return [
    ...new Set([
      'localhost',
      ...(name.length <= 253 && DNS_NAME.test(name) && addressFamily(name) === 0 ? [name] : []),
      service,
      `${service}.default`,
      `${service}.default.svc`,
      `${service}.default.svc.cluster.local`,
      '127.0.0.1',
      '::1',
      SERVICE_IP,
      ...(WILDCARDS.includes(bindAddress) ? machine.addresses : [bindAddress]),
    ]),
  ]
}
