import type { FieldErrors } from '../../meta/field-errors.ts'
import { isQualifiedName } from '../../meta/names.ts'
import { home, t } from '../../notation/shape.ts'
import { LabelSelector } from '../meta/label-selector.ts'

const { shape } = home('core/v1')

/** Limits how unevenly matching pods are spread across topology domains. */
export class TopologySpreadConstraint extends shape({
  /**
   * Maximum difference between the number of matching pods in a domain and the lowest number in any
   * domain. Must be positive. Required.
   */
  maxSkew: t.int32(1).required(),
  /**
   * Label of nodes that defines the domains: nodes with equal values belong to the same domain.
   * Required.
   */
  topologyKey: t.string(2).required(),
  /**
   * What happens to a pod that violates the constraint: `DoNotSchedule` leaves it pending,
   * `ScheduleAnyway` only prefers nodes that reduce the skew. Required.
   */
  whenUnsatisfiable: t.string(3).required().oneOf('DoNotSchedule', 'ScheduleAnyway'),
  /** Selector for the pods that are counted, in the namespace of the pod. */
  labelSelector: t.object(4, LabelSelector).explicit(),
  /**
   * Minimum number of eligible domains; with fewer, the lowest number of pods counts as 0. Must be
   * positive, only for `DoNotSchedule`. Unset means 1. Requires the feature gate
   * `MinDomainsInPodTopologySpread`.
   */
  minDomains: t.int32(5).explicit(),
  /**
   * Whether nodes that do not match the node selector and affinity of the pod are left out
   * (`Honor`) or counted (`Ignore`). Unset means `Honor`. Requires the feature gate
   * `NodeInclusionPolicyInPodTopologySpread`.
   */
  nodeAffinityPolicy: t.string(6).explicit().oneOf('Honor', 'Ignore'),
  /**
   * Whether nodes with taints that the pod does not tolerate are left out (`Honor`) or counted
   * (`Ignore`). Unset means `Ignore`. Requires the feature gate
   * `NodeInclusionPolicyInPodTopologySpread`.
   */
  nodeTaintsPolicy: t.string(7).explicit().oneOf('Honor', 'Ignore'),
  /**
   * Label keys whose values are taken from the pod and added to `labelSelector`. Requires the
   * feature gate `MatchLabelKeysInPodTopologySpread`.
   */
  matchLabelKeys: t.list(8, 'string').atomic(),
}) {}

/** Validates the constraints of one pod. */
export function validateTopologySpread(
  list: readonly TopologySpreadConstraint[],
  errors: FieldErrors,
): void {
  const seen = new Set<string>()
  list.forEach((one, i) => {
    const at = errors.at(i)
    validateConstraint(one, at)
    const pair = `{${one.topologyKey}, ${one.whenUnsatisfiable}}`
    // As the reference writes it: both fields in one path.
    if (seen.has(pair)) at.at('{topologyKey, whenUnsatisfiable}').duplicate(pair)
    seen.add(pair)
  })
}

function validateConstraint(one: TopologySpreadConstraint, errors: FieldErrors): void {
  if (one.maxSkew <= 0) errors.at('maxSkew').invalid(one.maxSkew, 'must be greater than zero')
  if (one.topologyKey === '') errors.at('topologyKey').required('can not be empty')
  if ((one.whenUnsatisfiable as string) === '') {
    errors.at('whenUnsatisfiable').notSupported('', ['DoNotSchedule', 'ScheduleAnyway'])
  }
  if (one.minDomains !== undefined) validateMinDomains(one, one.minDomains, errors.at('minDomains'))
  if (one.matchLabelKeys)
    validateMatchLabelKeys(one, one.matchLabelKeys, errors.at('matchLabelKeys'))
}

function validateMinDomains(
  { whenUnsatisfiable }: TopologySpreadConstraint,
  count: number,
  errors: FieldErrors,
): void {
  if (count <= 0) errors.invalid(count, 'must be greater than zero')
  if (whenUnsatisfiable !== 'DoNotSchedule') {
    errors.invalid(
      count,
      `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`,
    )
  }
}

function validateMatchLabelKeys(
  { labelSelector }: TopologySpreadConstraint,
  keys: readonly string[],
  errors: FieldErrors,
): void {
  if (keys.length === 0) return
  if (!labelSelector) {
    errors.forbidden('must not be specified when labelSelector is not set')
    return
  }
  const selected = new Set([
    ...Object.keys(labelSelector.matchLabels ?? {}),
    ...(labelSelector.matchExpressions ?? []).map(({ key }) => key),
  ])
  keys.forEach((key, i) => {
    errors.at(i).invalidAll(key, isQualifiedName(key))
    if (selected.has(key))
      errors.at(i).invalid(key, 'exists in both matchLabelKeys and labelSelector')
  })
}
