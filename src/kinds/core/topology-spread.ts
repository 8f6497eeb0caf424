import type { FieldErrors } from '../../meta/field-errors.ts'
import { isQualifiedName } from '../../meta/names.ts'
import { home, t } from '../../notation/shape.ts'
import { LabelSelector } from '../meta/label-selector.ts'

const { shape } = home('core/v1')

/** How evenly pods are to be spread over the values of one node label. */
export class TopologySpreadConstraint extends shape({
  /** Most by which the numbers of matching pods in two places may differ; above zero. */
  maxSkew: t.int32(1).required(),
  /** Node label whose values are the places. */
  topologyKey: t.string(2).required(),
  /** Whether a pod that would break the rule waits or is placed all the same. */
  whenUnsatisfiable: t.string(3).required().oneOf('DoNotSchedule', 'ScheduleAnyway'),
  /** Pods that are counted. */
  labelSelector: t.object(4, LabelSelector).explicit(),
  /** Number of places below which the smallest count is taken as zero; for `DoNotSchedule` only. */
  minDomains: t.int32(5).explicit(),
  /** Whether nodes that the pod's own node selection rules out are counted. */
  nodeAffinityPolicy: t.string(6).explicit().oneOf('Honor', 'Ignore'),
  /** Whether nodes with taints that the pod does not tolerate are counted. */
  nodeTaintsPolicy: t.string(7).explicit().oneOf('Honor', 'Ignore'),
  /** Keys of labels whose values, taken from the pod itself, join `labelSelector`. */
  matchLabelKeys: t.list(8, 'string').atomic(),
}) {}

/** Rules of the constraints of one pod. */
export function validateTopologySpread(
  list: readonly TopologySpreadConstraint[],
  errors: FieldErrors,
): void {
  const seen = new Set<string>()
  list.forEach((one, i) => {
    const at = errors.at(i)
    validateConstraint(one, at)
    const pair = `{${one.topologyKey}, ${one.whenUnsatisfiable}}`
    // As the reference writes it: both fields in one, in its own notation.
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
