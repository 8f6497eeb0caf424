/** Questions about a service that several rules ask. */
import type { ServiceSpec } from './service-spec.ts'

/** The address of services that want none. */
export const NONE = 'None'

/** Whether it has the one address that is none. */
export const isHeadless = ({ clusterIPs = [] }: ServiceSpec): boolean =>
  clusterIPs.length === 1 && clusterIPs[0] === NONE

/** Whether it is but another name. */
export const isExternalName = ({ type }: ServiceSpec): boolean => type === 'ExternalName'

/** Whether it is balanced from outside the cluster. */
export const isLoadBalancer = ({ type }: ServiceSpec): boolean => type === 'LoadBalancer'

/** Whether nodes take traffic for it. */
export const usesNodes = ({ type }: ServiceSpec): boolean =>
  type === 'NodePort' || type === 'LoadBalancer'

/** Whether nodes tell a load balancer that they have pods of it. */
export const needsHealthCheck = (spec: ServiceSpec): boolean =>
  isLoadBalancer(spec) && spec.externalTrafficPolicy === 'Local'

/** Whether ports of nodes are picked for it. */
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
