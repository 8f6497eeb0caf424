/** Addresses of Endpoints. */
import { ipFamily } from '../../meta/names.ts'
import type { EndpointAddress } from '../../kinds/core/endpoints.ts'
import type { Service } from '../../kinds/core/service/service.ts'
import type { PodFacts } from './pod-facts.ts'
import { isPortless, portsOn } from './pod-ports.ts'
import type { ServedAddress } from './subsets.ts'

/** What the pods of a service serve, each port of each of them. */
export function servedBy(service: Service, pods: readonly PodFacts[]): ServedAddress[] {
  const takesAll = service.spec.publishNotReadyAddresses === true
  return pods.flatMap((pod): ServedAddress[] => {
    if (pod.hasEnded || (pod.isTerminating && !takesAll)) return []
    const ip = ipFor(service, pod)
    if (ip === undefined) return []
    const address = addressOf(service, pod, ip)
    const isReady = takesAll || pod.isReady
    if (isPortless(service)) return [{ address, isReady, port: null }]
    return portsOn(pod, service).map(({ name, ...port }) => ({
      address,
      isReady,
      port: { ...(name === '' ? {} : { name }), ...port },
    }))
  })
}

/** The address of a pod in the first family of the service; its primary one where that has none. */
function ipFor({ spec }: Service, { ips }: PodFacts): string | undefined {
  const [family] = spec.ipFamilies ?? []
  if (family === undefined) return ips[0]
  const wanted = family === 'IPv6' ? 6 : 4
  return ips.find((ip) => ipFamily(ip) === wanted)
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
