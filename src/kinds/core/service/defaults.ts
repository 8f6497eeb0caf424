import type { HookContext } from '../../../catalogue/resource.ts'
import type { ServiceSpec } from './service-spec.ts'
import { isExternalName, isLoadBalancer, usesNodes } from './traits.ts'

const AFFINITY_SECONDS = 10_800

/** Sets the defaults of a service spec. */
export function fillServiceSpec(spec: ServiceSpec, c: HookContext): void {
  if ((spec.sessionAffinity ?? '') === '') spec.sessionAffinity = 'None'
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig
  if (
    spec.sessionAffinity === 'ClientIP' &&
    spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined
  ) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: AFFINITY_SECONDS } }
  }
  if ((spec.type ?? '') === '') spec.type = 'ClusterIP'
  for (const port of spec.ports ?? []) {
    const { targetPort = 0 } = port
    if (targetPort === 0 || targetPort === '') port.targetPort = port.port
  }
  if (usesNodes(spec) && (spec.externalTrafficPolicy ?? '') === '') {
    spec.externalTrafficPolicy = 'Cluster'
  }
  if (c.gate('ServiceInternalTrafficPolicy') && !isExternalName(spec)) {
    spec.internalTrafficPolicy ??= 'Cluster'
  }
  if (isLoadBalancer(spec)) spec.allocateLoadBalancerNodePorts ??= true
}
