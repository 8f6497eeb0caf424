/** Endpoints of users, as the content of slices. */
import type { EndpointAddress, Endpoints } from '../../kinds/core/endpoints.ts'
import type { Endpoint, EndpointSlice } from '../../kinds/discovery/endpoint-slice.ts'
import { ipFamily } from '../../meta/names.ts'
import { keyOfPorts, type PortGroup } from './slice-plan.ts'

type AddressType = EndpointSlice['addressType']

/** What the slices of an Endpoints object hold, and what could not be taken over. */
export interface Mirrored {
  readonly groups: ReadonlyMap<AddressType, readonly PortGroup[]>
  /** Addresses that are none. */
  readonly invalid: number
  /** Addresses above the limit. */
  readonly skipped: number
}

interface Group {
  readonly ports: PortGroup['ports']
  readonly endpoints: Endpoint[]
}

/** Takes over at most so many addresses of each subset, ready ones first. */
export function mirrored({ subsets = [] }: Endpoints, most: number): Mirrored {
  const found = new Map<AddressType, Map<string, Group>>([
    ['IPv4', new Map()],
    ['IPv6', new Map()],
  ])
  let invalid = 0
  let skipped = 0
  for (const { addresses = [], notReadyAddresses = [], ports: given = [] } of subsets) {
    const ports = given.map(({ name = '', ...port }) => ({ name, ...port }))
    const key = keyOfPorts(ports)
    let left = most
    const all = [
      ...addresses.map((address) => ({ address, ready: true })),
      ...notReadyAddresses.map((address) => ({ address, ready: false })),
    ]
    for (const { address, ready } of all) {
      const family = ipFamily(address.ip)
      if (left === 0) skipped++
      else if (family === null) invalid++
      else {
        left--
        const groups = found.get(family === 6 ? 'IPv6' : 'IPv4')!
        const group = groups.get(key) ?? { ports, endpoints: [] }
        group.endpoints.push(endpointOf(address, ready))
        groups.set(key, group)
      }
    }
  }
  const groups = new Map(
    [...found].map(([type, byPorts]) => [type, [...byPorts.values()]] as const),
  )
  return { groups, invalid, skipped }
}

const endpointOf = (
  { ip, hostname = '', nodeName, targetRef }: EndpointAddress,
  ready: boolean,
): Endpoint => ({
  addresses: [ip],
  conditions: { ready },
  ...(hostname === '' ? {} : { hostname }),
  ...(targetRef === undefined ? {} : { targetRef }),
  ...(nodeName === undefined ? {} : { nodeName }),
})
