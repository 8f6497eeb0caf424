/** Subsets of an Endpoints object in their canonical form. */
import type { EndpointAddress, EndpointPort, EndpointSubset } from '../../kinds/core/endpoints.ts'

/** An address and the ports that it serves. */
export interface ServedAddress {
  readonly address: EndpointAddress
  readonly isReady: boolean
  /** Null: no port in particular. */
  readonly ports: readonly (EndpointPort | null)[]
}

/** Number of addresses that one Endpoints object may have. */
const MOST = 1000

/**
 * Subsets without repetitions: each port is in one of them, with all of its addresses. Ports that the same addresses
 * serve share a subset. Addresses are in order of IP and pod, ports in order of name and number.
 */
export function packed(served: readonly ServedAddress[]): EndpointSubset[] {
  /** Those that may have the same addresses. */
  const groups = new Map<string, PortGroup[]>()
  for (const { port, served: all } of byPort(served)) {
    const key = `${all.length} ${all[0]!.key}`
    const alike = groups.get(key) ?? []
    const group = alike.find((one) => isSame(one.served, all))
    if (group && port) group.ports.push(port)
    else groups.set(key, [...alike, { ports: port ? [port] : [], served: all }])
  }
  return [...groups.values()]
    .flat()
    .map(({ ports, served: all }) => subsetOf(ports, all))
    .sort((a, b) => compare(JSON.stringify(a.ports ?? []), JSON.stringify(b.ports ?? [])))
}

interface KeyedAddress {
  readonly key: string
  readonly of: ServedAddress
}

interface PortGroup {
  readonly ports: EndpointPort[]
  readonly served: readonly KeyedAddress[]
}

const isSame = (a: readonly KeyedAddress[], b: readonly KeyedAddress[]): boolean =>
  a.length === b.length &&
  a.every(({ key, of }, i) => key === b[i]!.key && of.isReady === b[i]!.of.isReady)

interface PortAddresses {
  readonly port: EndpointPort | null
  readonly served: KeyedAddress[]
}

/** The addresses of each port, in order. */
function byPort(served: readonly ServedAddress[]): Iterable<PortAddresses> {
  const sorted = served
    .map((of): KeyedAddress => ({ key: keyOfAddress(of.address), of }))
    .sort((a, b) => compare(a.key, b.key))
  const found = new Map<string, PortAddresses>()
  // Most pods share their ports.
  const known = new Map<EndpointPort | null, PortAddresses>()
  for (const one of sorted)
    for (const port of one.of.ports) {
      let addresses = known.get(port)
      if (!addresses) {
        const key = JSON.stringify(port)
        addresses = found.get(key) ?? { port, served: [] }
        found.set(key, addresses)
        known.set(port, addresses)
      }
      addresses.served.push(one)
    }
  return found.values()
}

function subsetOf(ports: EndpointPort[], served: readonly KeyedAddress[]): EndpointSubset {
  const ready: EndpointAddress[] = []
  const notReady: EndpointAddress[] = []
  for (const { of } of served) (of.isReady ? ready : notReady).push(of.address)
  ports.sort((a, b) => compare(a.name ?? '', b.name ?? '') || a.port - b.port)
  return {
    ...(ready.length === 0 ? {} : { addresses: ready }),
    ...(notReady.length === 0 ? {} : { notReadyAddresses: notReady }),
    ...(ports.length === 0 ? {} : { ports }),
  }
}

/** The same for the same address of the same pod. */
export const keyOfAddress = ({ ip, targetRef }: EndpointAddress): string =>
  `${ip} ${targetRef?.uid ?? ''}`

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/**
 * Cuts subsets to as many addresses as one object may have, each in proportion, and addresses that are not ready first.
 * The same subsets where there are not too many.
 */
export function limited(
  subsets: readonly EndpointSubset[],
  most = MOST,
): { readonly subsets: readonly EndpointSubset[]; readonly isCut: boolean } {
  const ready = countOf(subsets, 'addresses')
  const notReady = countOf(subsets, 'notReadyAddresses')
  if (ready + notReady <= most) return { subsets, isCut: false }
  const isFull = ready >= most
  const kept = cut(subsets, 'addresses', Math.min(ready, most))
  return { subsets: cut(kept, 'notReadyAddresses', isFull ? 0 : most - ready), isCut: true }
}

type AddressList = 'addresses' | 'notReadyAddresses'

const countOf = (subsets: readonly EndpointSubset[], list: AddressList): number =>
  subsets.reduce((sum, subset) => sum + (subset[list]?.length ?? 0), 0)

/** Subsets of which one list is cut in proportion; those that nothing is left of are dropped. */
function cut(
  subsets: readonly EndpointSubset[],
  list: AddressList,
  most: number,
): EndpointSubset[] {
  const total = countOf(subsets, list)
  let left = most
  return subsets.flatMap((subset) => {
    const { [list]: addresses = [], ...rest } = subset
    const count = Math.min(left, total === 0 ? 0 : Math.ceil((addresses.length * most) / total))
    left -= count
    const next: EndpointSubset = rest
    if (count > 0) next[list] = addresses.slice(0, count)
    return next.addresses || next.notReadyAddresses ? [next] : []
  })
}
