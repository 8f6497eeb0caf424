/** Ports of services on the pods behind them. */
import type { Service } from '../../kinds/core/service/service.ts'
import { isHeadless } from '../../kinds/core/service/traits.ts'
import type { PodFacts } from './pod-facts.ts'

/** A port of an endpoint. */
export interface ResolvedPort {
  readonly name: string
  readonly protocol: 'SCTP' | 'TCP' | 'UDP'
  readonly port: number
  readonly appProtocol?: string
}

/** Whether a service has no address of its own. */
export const hasNoAddress = ({ spec }: Service): boolean =>
  (spec.clusterIP ?? '') === '' || spec.clusterIP === 'None'

/** Whether its endpoints have no ports: it is headless and declares none. */
export const isPortless = ({ spec }: Service): boolean =>
  (spec.ports ?? []).length === 0 && isHeadless(spec)

/** The ports of a service on a pod; those that the pod does not have are left out. */
export function portsOf({ spec }: Service): (pod: PodFacts) => readonly ResolvedPort[] {
  const { ports = [] } = spec
  const on = (pod: PodFacts | null) =>
    ports.flatMap(({ name = '', protocol = 'TCP', appProtocol, ...target }): ResolvedPort[] => {
      const { targetPort = target.port } = target
      const port =
        typeof targetPort === 'string'
          ? pod?.ports.find((one) => one.name === targetPort && one.protocol === protocol)?.port
          : Number(targetPort)
      if (port === undefined) return []
      return [{ name, protocol, port, ...(appProtocol === undefined ? {} : { appProtocol }) }]
    })
  if (ports.some(({ targetPort }) => typeof targetPort === 'string')) return on
  // They are the same on all pods.
  const all = on(null)
  return () => all
}
