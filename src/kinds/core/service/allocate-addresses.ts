import { internalError } from '../../../meta/errors.ts'
import type { FieldErrors } from '../../../meta/field-errors.ts'
import type { Allocators } from '../../../catalogue/resource.ts'
import { canonicalIp, familyOf } from '../ip-text.ts'
import type { ServiceSpec } from './service-spec.ts'
import { isExternalName, isHeadless, NONE, sameList } from './traits.ts'

type Family = 'IPv4' | 'IPv6'

/** Name of the allocator of one family's addresses. */
export const addressPool = (family: Family): string => `serviceips/${family}`

const other = (family: Family): Family => (family === 'IPv4' ? 'IPv6' : 'IPv4')

/** Sets the default policy and families, and checks requested ones against the allocators. */
export function chooseFamilies(
  spec: ServiceSpec,
  old: ServiceSpec | null,
  allocators: Allocators,
  errors: FieldErrors,
): void {
  if (isExternalName(spec) || staysPreferDual(spec, old)) return
  const policy = (spec.ipFamilyPolicy ??= defaultPolicy(spec, old))
  const before = errors.list.length
  if (old) trimOrRefuse(spec, old, errors)
  if (policy === 'SingleStack') refuseTwo(spec, errors)
  inferFamilies(spec, allocators, errors)
  if (errors.list.length > before) return
  if (spec.clusterIP === NONE && Object.keys(spec.selector ?? {}).length === 0) {
    // Another party manages the endpoints and may have families that the cluster does not.
    const families = (spec.ipFamilies ??= defaultFamilies(allocators))
    if (families.length === 1 && policy !== 'SingleStack') families.push(other(families[0]!))
    return
  }
  if (policy === 'RequireDualStack' && allocators.families.length < 2) {
    errors
      .at('ipFamilyPolicy')
      .invalid(policy, 'this cluster is not configured for dual-stack services')
  }
  spec.ipFamilies?.forEach((family, i) => {
    if (!allocators.families.includes(family)) {
      errors.at('ipFamilies', i).invalid(family, 'not configured on this cluster')
    }
  })
  if (errors.list.length > before) return
  const families = (spec.ipFamilies ??= defaultFamilies(allocators))
  if (policy !== 'SingleStack' && families.length === 1 && allocators.families.length === 2) {
    families.push(other(families[0]!))
  }
}

const defaultFamilies = ({ families }: Allocators): Family[] => families.slice(0, 1)

/**
 * Whether a PreferDualStack service keeps its families: it does not gain or lose one when the
 * cluster does.
 */
function staysPreferDual(spec: ServiceSpec, old: ServiceSpec | null): boolean {
  return (
    old !== null &&
    spec.ipFamilyPolicy === 'PreferDualStack' &&
    (old.ipFamilyPolicy ?? 'PreferDualStack') === 'PreferDualStack' &&
    spec.type === old.type &&
    sameList(spec.clusterIPs, old.clusterIPs) &&
    sameList(spec.ipFamilies, old.ipFamilies)
  )
}

function defaultPolicy(
  { clusterIP, selector = {} }: ServiceSpec,
  old: ServiceSpec | null,
): NonNullable<ServiceSpec['ipFamilyPolicy']> {
  if (old?.ipFamilyPolicy !== undefined) return old.ipFamilyPolicy
  return clusterIP === NONE && Object.keys(selector).length === 0
    ? 'RequireDualStack'
    : 'SingleStack'
}

/** A change to SingleStack releases the second address; otherwise it cannot be removed. */
function trimOrRefuse(spec: ServiceSpec, old: ServiceSpec, errors: FieldErrors): void {
  if (spec.ipFamilyPolicy === 'SingleStack') {
    if (spec.clusterIP === old.clusterIP && sameList(spec.clusterIPs, old.clusterIPs)) {
      spec.clusterIPs?.splice(1)
    }
    if (sameList(spec.ipFamilies, old.ipFamilies)) spec.ipFamilies?.splice(1)
    return
  }
  const policy = errors.at('ipFamilyPolicy')
  const isReduced = (next: readonly string[] = [], before: readonly string[] = []) =>
    next.length > 0 && next.length < before.length
  if (isReduced(spec.clusterIPs, old.clusterIPs)) {
    policy.invalid(spec.ipFamilyPolicy, "must be 'SingleStack' to release the secondary cluster IP")
  }
  if (isReduced(spec.ipFamilies, old.ipFamilies)) {
    policy.invalid(spec.ipFamilyPolicy, "must be 'SingleStack' to release the secondary IP family")
  }
}

function refuseTwo(spec: ServiceSpec, errors: FieldErrors): void {
  const refuse = (what: string) =>
    errors
      .at('ipFamilyPolicy')
      .invalid(
        spec.ipFamilyPolicy,
        `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
      )
  if (spec.clusterIPs?.length === 2) refuse('cluster IPs')
  if (spec.ipFamilies?.length === 2) refuse('IP families')
}

function inferFamilies(spec: ServiceSpec, allocators: Allocators, errors: FieldErrors): void {
  const { clusterIPs = [] } = spec
  const families = [...(spec.ipFamilies ?? [])]
  for (const [i, ip] of clusterIPs.entries()) {
    if (ip === NONE) break
    if (i < families.length) continue
    const family = familyOf(ip)
    if (allocators.families.includes(family)) families.push(family)
    else {
      const text = `${family} is not configured on this cluster`
      errors.at('clusterIPs', i).invalid(clusterIPs, text)
    }
  }
  if (families.length > 0) spec.ipFamilies = families
}

/** Allocates requested addresses and picks missing ones. Throws 500 when the range is exhausted. */
export function allocateAddresses(
  spec: ServiceSpec,
  old: ServiceSpec | null,
  allocators: Allocators,
  errors: FieldErrors,
): void {
  if (isExternalName(spec) || isHeadless(spec)) return
  if (old && (isHeadless(old) || staysPreferDual(spec, old))) return
  const { ipFamilies: families = [] } = spec
  const clusterIPs = [...(spec.clusterIPs ?? [])]
  // With an old address, only a second one can be new; validation rejects another first one.
  const isFresh = !old || isExternalName(old)
  const before = old?.ipFamilies?.length ?? 0
  const first = isFresh ? 0 : before === 1 && families.length === 2 ? 1 : families.length
  for (let i = first; i < families.length; i++) {
    const family = families[i]!
    const asked = clusterIPs[i] ?? ''
    if (asked === '') clusterIPs[i] = pickAddress(family, allocators)
    else if (!takeAddress(asked, family, clusterIPs, allocators, errors.at('clusterIPs'))) return
  }
  if (clusterIPs.length === 0) return
  spec.clusterIPs = clusterIPs
  if (isFresh) spec.clusterIP = clusterIPs[0]!
}

function pickAddress(family: Family, allocators: Allocators): string {
  const ip = allocators.pick(addressPool(family))
  if (ip === null) throw internalError('failed to allocate a serviceIP: range is full')
  return ip
}

function takeAddress(
  text: string,
  family: Family,
  all: readonly string[],
  allocators: Allocators,
  errors: FieldErrors,
): boolean {
  const allocator = addressPool(family)
  const ip = canonicalIp(text)
  const problem = !allocators.contains(allocator, ip)
    ? `the provided IP (${ip}) is not in the valid range. The range of valid IPs is ${allocators.range(allocator) ?? ''}`
    : allocators.isFree(allocator, ip)
      ? null
      : 'provided IP is already allocated'
  allocators.named?.(allocator, problem === null)
  if (problem !== null) errors.invalid(all, `failed to allocate IP ${text}: ${problem}`)
  return problem === null
}
