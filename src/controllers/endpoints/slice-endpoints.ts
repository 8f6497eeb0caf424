/** Endpoints of slices. */
import { ipFamily } from '../../meta/names.ts'
import type { Service } from '../../kinds/core/service/service.ts'
import type { Endpoint, EndpointSlice } from '../../kinds/discovery/endpoint-slice.ts'
import type { PodFacts } from './pod-facts.ts'
import { hostnameIn, referenceTo } from './pod-addresses.ts'
import { hasNoAddress, isPortless, portsOn } from './pod-ports.ts'
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
  const groups = new Map<string, { ports: PortGroup['ports']; endpoints: Endpoint[] }>()
  const takesAll = service.spec.publishNotReadyAddresses === true
  let isNodeMissing = false
  for (const pod of pods) {
    if (pod.hasEnded) continue
    if (pod.isTerminating && !takesAll && !surroundings.tellsTermination) continue
    const addresses = pod.ips.filter((ip) => ipFamily(ip) === (type === 'IPv6' ? 6 : 4))
    if (addresses.length === 0) continue
    const zone = pod.node === '' ? '' : surroundings.zoneOf(pod.node)
    if (zone === null && !takesAll) {
      isNodeMissing = true
      continue
    }
    const ports = isPortless(service) ? [] : portsOn(pod, service)
    const endpoint = endpointOf(service, pod, { addresses, zone: zone ?? '', ...surroundings })
    const key = keyOfPorts(ports)
    const group = groups.get(key)
    if (group) group.endpoints.push(endpoint)
    else groups.set(key, { ports, endpoints: [endpoint] })
  }
  return { groups: [...groups.values()], isNodeMissing }
}

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
