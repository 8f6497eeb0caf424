/** Allocation of addresses and node ports for services. */
import { sameValue, type FieldErrors } from '../../../meta/field-errors.ts'
import type { Allocation, Allocators } from '../../../catalogue/resource.ts'
import { canonicalIp, familyOf } from '../ip-text.ts'
import { addressPool, allocateAddresses, chooseFamilies } from './allocate-addresses.ts'
import { allocatePorts, NODE_PORTS } from './allocate-ports.ts'
import type { ServiceSpec } from './service-spec.ts'
import { isExternalName, isHeadless, needsHealthCheck, nodePortsOf } from './traits.ts'
import { validateAddressChange } from './validate-addresses.ts'

/**
 * Allocates families, addresses and ports of a service; `old` is null on create. Throws 500 when an
 * allocator is exhausted.
 */
export function allocateService(
  spec: ServiceSpec,
  old: ServiceSpec | null,
  allocators: Allocators,
  errors: FieldErrors,
): void {
  // Status updates must succeed even after the ranges of the allocators changed.
  if (old && sameValue(spec, old)) return
  const steps = [chooseFamilies, allocateAddresses, allocatePorts]
  for (const step of steps) {
    step(spec, old, allocators, errors)
    if (errors.list.length > 0) return
  }
  // The lists are complete only after allocation.
  if (old) validateAddressChange(spec, old, errors)
}

/** Addresses and ports that a service holds, each once. */
export function claimsOf(spec: ServiceSpec): Allocation[] {
  const addresses = isExternalName(spec) || isHeadless(spec) ? [] : (spec.clusterIPs ?? [])
  const ports = new Set(nodePortsOf(spec))
  if (needsHealthCheck(spec) && spec.healthCheckNodePort !== undefined) {
    ports.add(spec.healthCheckNodePort)
  }
  return [
    ...addresses.map((ip) => ({ allocator: addressPool(familyOf(ip)), value: canonicalIp(ip) })),
    ...[...ports].map((port) => ({ allocator: NODE_PORTS, value: String(port) })),
  ]
}
