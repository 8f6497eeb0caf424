/** Endpoints of users, as the content of slices. */
import type { EndpointAddress, Endpoints, EndpointSubset } from '../../kinds/core/endpoints.ts'
import type { Endpoint, EndpointSlice } from '../../kinds/discovery/endpoint-slice.ts'
import { ipFamily } from '../../meta/names.ts'
import { keyOfPorts, type PortGroup } from './slice-plan.ts'
import { keyOfAddress, packed } from './subsets.ts'

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

/** Takes over at most so many addresses of each subset in its canonical form, ready ones first. */
export function mirrored({ subsets = [] }: Endpoints, most: number): Mirrored {
  const found = new Map<AddressType, Map<string, Group>>([
    ['IPv4', new Map()],
    ['IPv6', new Map()],
  ])
  let invalid = 0
  let skipped = 0
  for (const { addresses = [], notReadyAddresses = [], ports: given = [] } of canonical(subsets)) {
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

/** Each port is in one subset; an address that is ready in one place only counts as not ready. */
function canonical(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  const served = subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }) => {
    const own = ports.length === 0 ? [null] : ports
    const as = (isReady: boolean) => (address: EndpointAddress) => ({
      address,
      isReady,
      ports: own,
    })
    return [...addresses.map(as(true)), ...notReadyAddresses.map(as(false))]
  })
  return packed(served).map(({ addresses = [], notReadyAddresses = [], ...subset }) => {
    const notReady = distinct(notReadyAddresses)
    const ready = distinct(addresses)
    for (const key of notReady.keys()) ready.delete(key)
    return { ...subset, addresses: [...ready.values()], notReadyAddresses: [...notReady.values()] }
  })
}

const distinct = (addresses: readonly EndpointAddress[]): Map<string, EndpointAddress> =>
  new Map(addresses.map((address) => [keyOfAddress(address), address]))

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
