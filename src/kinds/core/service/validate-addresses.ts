/** Validation of dependent fields: `clusterIP`, `clusterIPs`, `ipFamilies`, `ipFamilyPolicy`. */
import type { FieldErrors } from '../../../meta/field-errors.ts'
import { isIp } from '../../../meta/names.ts'
import { familyOf } from '../ip-text.ts'
import type { ServiceSpec } from './service-spec.ts'
import { isExternalName, isHeadless, NONE } from './traits.ts'

const FAMILIES: readonly string[] = ['IPv4', 'IPv6']
const MAX_ADDRESSES = 2

/** Validates addresses and families of a service; `errors` is its spec. */
export function validateAddresses(spec: ServiceSpec, errors: FieldErrors): void {
  if (isExternalName(spec)) return
  const { clusterIP = '', clusterIPs = [], ipFamilies = [] } = spec
  const at = errors.at('clusterIPs')
  if (clusterIP === '') {
    if (clusterIPs.length > 0) {
      at.invalid(clusterIPs, 'must be empty when `clusterIP` is not specified')
    }
  } else if (clusterIPs.length === 0) at.required()
  else if (clusterIPs[0] !== clusterIP) at.invalid(clusterIPs, 'first value must match `clusterIP`')
  validateFamilies(ipFamilies, errors.at('ipFamilies'))
  const valid = validateTexts(clusterIPs, at)
  if (clusterIPs.length > MAX_ADDRESSES) at.invalid(clusterIPs, 'may only hold up to 2 values')
  // Further checks would only repeat that the addresses are invalid.
  if (!valid) return
  if (clusterIPs.length > 1 && new Set(clusterIPs.map(familyOf)).size < clusterIPs.length) {
    at.invalid(clusterIPs, 'may specify no more than one IP for each IP family')
  }
  if (isHeadless(spec)) return
  for (const [i, ip] of clusterIPs.entries()) {
    const family = ipFamilies[i]
    if (family === undefined) break
    if (FAMILIES.includes(family) && family !== familyOf(ip)) {
      at.at(i).invalid(ip, `expected an ${family} value as indicated by \`ipFamilies[${i}]\``)
    }
  }
}

function validateFamilies(families: readonly string[], errors: FieldErrors): void {
  const seen = new Set<string>()
  for (const [i, family] of families.entries()) {
    if (!FAMILIES.includes(family)) errors.at(i).notSupported(family, FAMILIES)
    if (seen.has(family)) errors.at(i).duplicate(family)
    seen.add(family)
  }
}

function validateTexts(clusterIPs: readonly string[], errors: FieldErrors): boolean {
  let valid = true
  for (const [i, ip] of clusterIPs.entries()) {
    if (i === 0 && ip === NONE) {
      if (clusterIPs.length === 1) continue
      errors.invalid(clusterIPs, "'None' must be the first and only value")
      valid = false
      continue
    }
    const problems = isIp(ip)
    errors.at(i).invalidAll(ip, problems)
    if (problems.length > 0) valid = false
  }
  return valid
}

const FIXED = 'may not change once set'

/** Validates an update after allocation: only a second address can be added or removed. */
export function validateAddressChange(
  next: ServiceSpec,
  old: ServiceSpec,
  errors: FieldErrors,
): void {
  if (isExternalName(next) || isExternalName(old)) return
  const wasHeadless = isHeadless(old)
  const headless = isHeadless(next)
  if (headless && wasHeadless) return
  validateClusterIpChange(next.clusterIPs ?? [], old.clusterIPs ?? [], errors.at('clusterIPs'))
  if (headless === wasHeadless) validateFamilyChange(next, old, errors.at('ipFamilies'))
}

function validateClusterIpChange(
  next: readonly string[],
  old: readonly string[],
  errors: FieldErrors,
): void {
  if (next.length === old.length) {
    for (const [i, ip] of old.entries()) if (next[i] !== ip) errors.at(i).invalid(next, FIXED)
  } else if (next.length === 0) errors.at(0).invalid(next, 'primary clusterIP can not be unset')
  else if (old.length > 0 && next[0] !== old[0]) errors.at(0).invalid(next, FIXED)
}

function validateFamilyChange(next: ServiceSpec, old: ServiceSpec, errors: FieldErrors): void {
  const { ipFamilies: families = [], clusterIPs = [] } = next
  const { ipFamilies: before = [] } = old
  // As the reference writes it: the path is that of the first family, and the value may be the addresses.
  const first = errors.at(0)
  if (families.length === before.length) {
    for (const [i, family] of before.entries()) {
      if (families[i] !== family) first.invalid(families, FIXED)
    }
  } else if (before.length > 0 && families.length > 0 && families[0] !== before[0]) {
    first.invalid(clusterIPs, FIXED)
  }
}
