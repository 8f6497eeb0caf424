/** Changes to an updated service before validation: allocated values kept, unused ones dropped. */
import type { ServiceSpec } from './service-spec.ts'
import {
  isExternalName,
  isLoadBalancer,
  needsHealthCheck,
  nodePortsOf,
  sameAddresses,
  sameList,
  usesNodes,
} from './traits.ts'

/**
 * Keeps allocated values that the client omitted, so that the original manifest can be applied
 * again.
 */
export function keepAllocated(next: ServiceSpec, old: ServiceSpec): void {
  if (!isExternalName(next) && !isExternalName(old)) {
    if ((next.clusterIP ?? '') === '' && old.clusterIP !== undefined) next.clusterIP = old.clusterIP
    if (
      (next.clusterIPs ?? []).length === 0 &&
      (next.clusterIP ?? '') === (old.clusterIP ?? '') &&
      old.clusterIPs
    ) {
      next.clusterIPs = [...old.clusterIPs]
    }
  }
  if (usesNodes(next) && usesNodes(old)) keepNodePorts(next, old)
  if (needsHealthCheck(next) && needsHealthCheck(old)) {
    if ((next.healthCheckNodePort ?? 0) === 0 && old.healthCheckNodePort !== undefined) {
      next.healthCheckNodePort = old.healthCheckNodePort
    }
  }
}

function keepNodePorts(next: ServiceSpec, old: ServiceSpec): void {
  const asked = nodePortsOf(next)
  const known = new Map((old.ports ?? []).map(({ name = '', nodePort }) => [name, nodePort]))
  for (const port of next.ports ?? []) {
    if ((port.nodePort ?? 0) !== 0) continue
    const before = known.get(port.name ?? '')
    if (before !== undefined && !asked.has(before)) port.nodePort = before
  }
}

/** Syncs `clusterIP` and `clusterIPs` when a client changed only one of them. */
export function alignClusterIps(next: ServiceSpec, old: ServiceSpec | null): void {
  const { clusterIP = '', clusterIPs = [] } = next
  if (!old) {
    if (clusterIP !== '' && clusterIPs.length === 0) next.clusterIPs = [clusterIP]
    return
  }
  const before = old.clusterIP ?? ''
  if (clusterIP === before) {
    if (clusterIPs.length === 0 && old.clusterIPs) {
      next.clusterIPs = [...old.clusterIPs]
    }
  } else if (sameList(clusterIPs, old.clusterIPs)) {
    if (clusterIP === '') delete next.clusterIPs
    else next.clusterIPs = [clusterIP]
  }
}

/**
 * Drops fields that the new type does not use, unless the client changed them too: validation then
 * rejects them.
 */
export function dropUnused(next: ServiceSpec, old: ServiceSpec): void {
  if (isExternalName(next) && !isExternalName(old)) dropAddresses(next, old)
  if (usesNodes(old) && !usesNodes(next)) {
    const before = nodePortsOf(old)
    if ([...nodePortsOf(next)].every((port) => before.has(port))) {
      for (const port of next.ports ?? []) delete port.nodePort
    }
    if (next.externalTrafficPolicy === old.externalTrafficPolicy) delete next.externalTrafficPolicy
  }
  if (
    needsHealthCheck(old) &&
    !needsHealthCheck(next) &&
    next.healthCheckNodePort === old.healthCheckNodePort
  ) {
    delete next.healthCheckNodePort
  }
  if (isLoadBalancer(old) && !isLoadBalancer(next)) {
    if (next.allocateLoadBalancerNodePorts === old.allocateLoadBalancerNodePorts) {
      delete next.allocateLoadBalancerNodePorts
    }
    if (next.loadBalancerClass === old.loadBalancerClass) delete next.loadBalancerClass
  }
}

function dropAddresses(next: ServiceSpec, old: ServiceSpec): void {
  if (sameAddresses(next, old)) {
    delete next.clusterIP
    delete next.clusterIPs
  }
  if (sameList(next.ipFamilies, old.ipFamilies)) delete next.ipFamilies
  if (next.ipFamilyPolicy === old.ipFamilyPolicy) delete next.ipFamilyPolicy
}
