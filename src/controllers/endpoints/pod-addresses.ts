/** Addresses of Endpoints. */
import type { EndpointAddress } from '../../kinds/core/endpoints.ts'
import type { Service } from '../../kinds/core/service/service.ts'
import type { PodFacts } from './pod-facts.ts'
import { isPortless, portsOf, type ResolvedPort } from './pod-ports.ts'
import type { ServedAddress } from './subsets.ts'

/** What the pods of a service serve. */
export function servedBy(service: Service, pods: readonly PodFacts[]): ServedAddress[] {
  const takesAll = service.spec.publishNotReadyAddresses === true
  const portsFor = endpointPortsOf(service)
  return pods.flatMap((pod): ServedAddress[] => {
    if (pod.hasEnded || (pod.isTerminating && !takesAll)) return []
    const ip = ipFor(service, pod)
    if (ip === undefined) return []
    const address = addressOf(service, pod, ip)
    return [{ address, isReady: takesAll || pod.isReady, ports: portsFor(pod) }]
  })
}

const NO_PORT = [null] as const

function endpointPortsOf(service: Service): (pod: PodFacts) => ServedAddress['ports'] {
  if (isPortless(service)) return () => NO_PORT
  const portsFor = portsOf(service)
  const known = new Map<readonly ResolvedPort[], ServedAddress['ports']>()
  return (pod) => {
    const resolved = portsFor(pod)
    let ports = known.get(resolved)
    if (!ports) {
      ports = resolved.map(({ name, ...port }) => ({ ...(name === '' ? {} : { name }), ...port }))
      known.set(resolved, ports)
    }
    return ports
  }
}

/** The address of a pod in the first family of the service; its primary one where that has none. */
function ipFor({ spec }: Service, { ips }: PodFacts): string | undefined {
  const [family] = spec.ipFamilies ?? []
  if (family === undefined) return ips[0]?.ip
  const wanted = family === 'IPv6' ? 6 : 4
  return ips.find((one) => one.family === wanted)?.ip
}

/** The name of a pod in the DNS of a service; none where it is not meant for it. */
export const hostnameIn = ({ metadata }: Service, pod: PodFacts): string =>
  pod.subdomain === metadata.name && pod.namespace === metadata.namespace ? pod.hostname : ''

function addressOf(service: Service, pod: PodFacts, ip: string): EndpointAddress {
  const hostname = hostnameIn(service, pod)
  return {
    ip,
    ...(hostname === '' ? {} : { hostname }),
    ...(pod.node === '' ? {} : { nodeName: pod.node }),
    targetRef: referenceTo(pod),
  }
}

/** Refers to a pod. */
export const referenceTo = ({ namespace, name, uid }: PodFacts) => ({
  kind: 'Pod',
  namespace,
  name,
  uid,
})
