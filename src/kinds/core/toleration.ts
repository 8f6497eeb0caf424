import type { FieldErrors } from '../../meta/field-errors.ts'
import { isLabelValue, isQualifiedName } from '../../meta/names.ts'
import { home, t } from '../../notation/shape.ts'

const { shape } = home('core/v1')

/** Lets a pod run on nodes with a matching taint. */
export class Toleration extends shape({
  /** Key of the taint to match. Empty, which requires the operator `Exists`, matches all keys. */
  key: t.string(1),
  /**
   * Comparison of `value`: `Equal` requires the same value, `Exists` accepts any. Empty means
   * `Equal`.
   */
  operator: t.string(2).oneOf('Equal', 'Exists'),
  /** Value of the taint to match. Must be empty for the operator `Exists`. */
  value: t.string(3),
  /**
   * Effect of the taint to match: `NoSchedule`, `PreferNoSchedule` or `NoExecute`. Empty matches
   * all effects.
   */
  effect: t.string(4).oneOf('NoExecute', 'NoSchedule', 'PreferNoSchedule'),
  /**
   * Seconds for which a `NoExecute` taint is tolerated before the pod is evicted. Unset tolerates
   * it forever; zero and negative values evict immediately. Requires the effect `NoExecute`.
   */
  tolerationSeconds: t.int64(5).explicit(),
}) {}

/** Validates a list of tolerations; a runtime class has them too. */
export function validateTolerations(list: readonly Toleration[], errors: FieldErrors): void {
  list.forEach((one, i) => validateToleration(one, errors.at(i)))
}

function validateToleration(one: Toleration, errors: FieldErrors): void {
  const { key = '', value = '', effect } = one
  // Read as text: the declaration rejects unknown values.
  const operator: string = one.operator ?? ''
  if (key !== '') errors.at('key').invalidAll(key, isQualifiedName(key))
  else if (operator !== 'Exists') {
    errors
      .at('operator')
      .invalid(
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      )
  }
  if (one.tolerationSeconds !== undefined && effect !== 'NoExecute') {
    errors
      .at('effect')
      .invalid(effect ?? '', "effect must be 'NoExecute' when `tolerationSeconds` is set")
  }
  if (operator === '' || operator === 'Equal') {
    errors.at('operator').invalidAll(value, isLabelValue(value))
  } else if (operator === 'Exists' && value !== '') {
    errors.at('operator').invalid(value, "value must be empty when `operator` is 'Exists'")
  }
}

/** Key that is equal for identical tolerations. */
export const textOfToleration = (one: Toleration): string =>
  JSON.stringify([textOfTaint(one), one.tolerationSeconds ?? null])

/** Key that is equal for tolerations that differ only in tolerationSeconds. */
export const textOfTaint = ({ key, operator, value, effect }: Toleration): string =>
  JSON.stringify([key ?? '', operator ?? '', value ?? '', effect ?? ''])
