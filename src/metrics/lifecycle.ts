/** The life of a metric: deprecated, three releases later hidden, one more later removed. */

/** Minor of the release whose metrics these are, 1.25. */
const MINOR = 25
const HIDDEN_AFTER = 3

export type Phase = 'current' | 'deprecated' | 'hidden' | 'removed'

/** The phase of a metric that a release deprecated. */
export function phaseOf(deprecated: string | null): Phase {
  if (deprecated === null) return 'current'
  const age = MINOR - Number(deprecated.split('.')[1])
  if (age < 0) return 'current'
  if (age < HIDDEN_AFTER) return 'deprecated'
  return age === HIDDEN_AFTER ? 'hidden' : 'removed'
}

const PREVIOUS = `1.${MINOR - 1}`

/** Why a value of `--show-hidden-metrics-for-version` is refused; null: it is not. */
export const showHiddenProblem = (version: string): string | null =>
  version === '' || version === PREVIOUS
    ? null
    : `must be omitted or have the value '${PREVIOUS}'. Only the previous minor version is allowed`

const LABEL_KEY = /^[a-zA-Z_:][a-zA-Z0-9_:]*,[a-zA-Z_][a-zA-Z0-9_]*$/

/** Why the keys of `--allow-metric-labels` are refused; null: they are not. */
export const allowLabelsProblem = (keys: Iterable<string>): string | null =>
  [...keys].every((key) => LABEL_KEY.test(key))
    ? null
    : 'must be a list of key-value pairs in the format `metricName,labelName=labelValue,labelValue,...`'

const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/

/** Why a value of `--disabled-metrics` is refused; null: it is not. */
export function disabledProblem(names: readonly string[]): string | null {
  const wrong = names.find((name) => !METRIC_NAME.test(name))
  return wrong === undefined ? null : `has ${JSON.stringify(wrong)}, which is not a metric name`
}
