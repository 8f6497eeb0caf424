/** What controllers of endpoints need to know of a pod. */
import { parsedTime } from '../../base/time.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { ipFamily } from '../../meta/names.ts'
import { isTerminating } from '../finalizer.ts'

/** A named port of a container. */
interface NamedPort {
  readonly name: string
  readonly protocol: string
  readonly port: number
}

/** An address of a pod. */
interface PodIp {
  readonly ip: string
  readonly family: 4 | 6 | null
}

/** A pod, as far as endpoints depend on it. */
export interface PodFacts {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly node: string
  /** The primary address first. */
  readonly ips: readonly PodIp[]
  readonly hostname: string
  readonly subdomain: string
  readonly isReady: boolean
  /** When it became ready or not ready, milliseconds since the epoch; 0: unknown. */
  readonly readySince: number
  readonly isTerminating: boolean
  /** Whether it has ended, or never will run. */
  readonly hasEnded: boolean
  readonly ports: readonly NamedPort[]
}

/** What is known of a pod. */
export function factsOf(pod: Pod): PodFacts {
  const { metadata, spec, status } = pod
  const ready = status.conditions?.find(({ type }) => type === 'Ready')
  const { podIP = '', podIPs = [] } = status
  const ips = podIPs.flatMap(({ ip = '' }) => (ip === '' ? [] : [ip]))
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    node: spec.nodeName ?? '',
    ips: (ips.length > 0 || podIP === '' ? ips : [podIP]).map((ip) => ({
      ip,
      family: ipFamily(ip),
    })),
    hostname: spec.hostname ?? '',
    subdomain: spec.subdomain ?? '',
    isReady: ready?.status === 'True',
    readySince: parsedTime(ready?.lastTransitionTime) ?? 0,
    isTerminating: isTerminating(pod),
    hasEnded: status.phase === 'Succeeded' || status.phase === 'Failed',
    ports: spec.containers.flatMap(({ ports = [] }) =>
      ports.flatMap(({ name = '', protocol = 'TCP', containerPort }) =>
        name === '' ? [] : [{ name, protocol, port: containerPort }],
      ),
    ),
  }
}
