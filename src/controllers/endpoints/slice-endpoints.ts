/** Endpoints of slices. */
import { ipFamily } from '../../meta/names.ts'
import type { Service } from '../../kinds/core/service/service.ts'
import type { Endpoint, EndpointSlice } from '../../kinds/discovery/endpoint-slice.ts'
import type { PodFacts } from './pod-facts.ts'
import { hostnameIn, referenceTo } from './pod-addresses.ts'
import { hasNoAddress, isPortless, portsOf, type ResolvedPort } from './pod-ports.ts'
import { keyOfPorts, type PortGroup } from './slice-plan.ts'

type AddressType = EndpointSlice['addressType']

/** What endpoints depend on beside service and pods. */
export interface EndpointSurroundings {
  /** The zone of a node, empty where it has none; null: there is no such node. */
  readonly zoneOf: (node: string) => string | null
  /** Whether conditions tell of termination. */
  readonly tellsTermination: boolean
}

/** Address types of a service: its families, or both where a headless one has none. */
export function addressTypesOf(service: Service): readonly AddressType[] {
  const { ipFamilies = [], clusterIP = '' } = service.spec
  if (ipFamilies.length > 0) return ipFamilies
  if (hasNoAddress(service)) return ['IPv4', 'IPv6']
  return [ipFamily(clusterIP) === 6 ? 'IPv6' : 'IPv4']
}

/** The endpoints of a service with addresses of one type, and the pods left out because their node is missing. */
export function endpointGroups(
  service: Service,
  pods: readonly PodFacts[],
  type: AddressType,
  surroundings: EndpointSurroundings,
): { readonly groups: readonly PortGroup[]; readonly isNodeMissing: boolean } {
  const groups = new Map<string, OpenGroup>()
  // Most pods share their ports.
  const byPorts = new Map<readonly ResolvedPort[], OpenGroup>()
  const takesAll = service.spec.publishNotReadyAddresses === true
  const portsFor = isPortless(service) ? () => NO_PORTS : portsOf(service)
  const family = type === 'IPv6' ? 6 : 4
  let isNodeMissing = false
  for (const pod of pods) {
    if (pod.hasEnded) continue
    if (pod.isTerminating && !takesAll && !surroundings.tellsTermination) continue
    const addresses = pod.ips.flatMap((one) => (one.family === family ? [one.ip] : []))
    if (addresses.length === 0) continue
    const zone = pod.node === '' ? '' : surroundings.zoneOf(pod.node)
    if (zone === null && !takesAll) {
      isNodeMissing = true
      continue
    }
    const ports = portsFor(pod)
    const { tellsTermination } = surroundings
    const endpoint = endpointOf(service, pod, { addresses, zone: zone ?? '', tellsTermination })
    let group = byPorts.get(ports)
    if (!group) {
      const key = keyOfPorts(ports)
      group = groups.get(key) ?? { ports, endpoints: [] }
      groups.set(key, group)
      byPorts.set(ports, group)
    }
    group.endpoints.push(endpoint)
  }
  return { groups: [...groups.values()], isNodeMissing }
}

interface OpenGroup {
  readonly ports: PortGroup['ports']
  readonly endpoints: Endpoint[]
}

const NO_PORTS: readonly ResolvedPort[] = []

interface PodPlace {
  readonly addresses: readonly string[]
  readonly zone: string
  readonly tellsTermination: boolean
}

function endpointOf(
  service: Service,
  pod: PodFacts,
  { addresses, zone, tellsTermination }: PodPlace,
): Endpoint {
  const takesAll = service.spec.publishNotReadyAddresses === true
  const hostname = hostnameIn(service, pod)
  return {
    addresses: [...addresses],
    conditions: {
      ready: takesAll || (pod.isReady && !pod.isTerminating),
      ...(tellsTermination ? { serving: pod.isReady, terminating: pod.isTerminating } : {}),
    },
    ...(hostname === '' ? {} : { hostname }),
    ...(pod.node === '' ? {} : { nodeName: pod.node }),
    targetRef: referenceTo(pod),
    ...(zone === '' ? {} : { zone }),
  }
}
