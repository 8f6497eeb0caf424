/** Traits of a service that several rules depend on. */
import type { ServiceSpec } from './service-spec.ts'

/** The address of headless services. */
export const NONE = 'None'

/** Whether the service is headless. */
export const isHeadless = ({ clusterIPs = [] }: ServiceSpec): boolean =>
  clusterIPs.length === 1 && clusterIPs[0] === NONE

/** Whether the service is a DNS alias. */
export const isExternalName = ({ type }: ServiceSpec): boolean => type === 'ExternalName'

/** Whether the service has an external load balancer. */
export const isLoadBalancer = ({ type }: ServiceSpec): boolean => type === 'LoadBalancer'

/** Whether nodes accept external traffic for it. */
export const usesNodes = ({ type }: ServiceSpec): boolean =>
  type === 'NodePort' || type === 'LoadBalancer'

/** Whether nodes serve health checks to the load balancer. */
export const needsHealthCheck = (spec: ServiceSpec): boolean =>
  isLoadBalancer(spec) && spec.externalTrafficPolicy === 'Local'

/** Whether node ports are allocated for it. */
export const picksNodePorts = (spec: ServiceSpec): boolean =>
  spec.type === 'NodePort' || (isLoadBalancer(spec) && spec.allocateLoadBalancerNodePorts !== false)

/** Whether two lists are the same in the same order; a missing one is empty. */
export const sameList = (a: readonly string[] = [], b: readonly string[] = []): boolean =>
  a.length === b.length && a.every((item, i) => item === b[i])

/** Whether the addresses of both are the same in both fields. */
export const sameAddresses = (a: ServiceSpec, b: ServiceSpec): boolean =>
  (a.clusterIP ?? '') === (b.clusterIP ?? '') && sameList(a.clusterIPs, b.clusterIPs)

/** Numbers of the node ports that are set, each once. */
export const nodePortsOf = ({ ports = [] }: ServiceSpec): ReadonlySet<number> =>
  new Set(ports.flatMap(({ nodePort = 0 }) => (nodePort === 0 ? [] : [nodePort])))
