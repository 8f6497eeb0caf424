import { texts, textMap } from '../../base/value-checks.ts'
import { commaSeparated, listFlag, optionalTextFlag, type Flag } from '../../flags/flags.ts'
import { allowLabelsProblem, disabledProblem, showHiddenProblem } from '../../metrics/lifecycle.ts'
import type { MetricsOptions } from './metrics-options.ts'

const section = 'Metrics'

/** Allowed values by `metric,label`. */
type AllowedLabels = ReadonlyMap<string, string>

const allowLabelsFlag: Flag<AllowedLabels> = {
  option: 'metrics.allowLabels',
  section,
  default: '',
  placeholder: 'metric,label=value,...',
  help: 'Allowed values of a label; all others are shown as "unexpected". May be repeated. Several labels in one value are quoted: "m,a=1,2","m,b=3".',
  takes: textMap,
  parse: (text) => new Map(text === '' ? [] : pairsOf(text)),
  merge: (before, after) => new Map([...before, ...after]),
  check: (value) => allowLabelsProblem(value.keys()),
}

/** One pair may hold commas; several are quoted. */
function pairsOf(text: string): (readonly [string, string])[] {
  const isOne = text.split('=').length === 2
  return (isOne ? [text.replaceAll(/^"|"$/g, '')] : commaSeparated(text)).map((pair) => {
    const equals = pair.indexOf('=')
    if (equals === -1) throw new Error(`must have a value for ${JSON.stringify(pair)}`)
    return [pair.slice(0, equals), pair.slice(equals + 1)] as const
  })
}

/** Flags of the metrics. */
export const metricsFlags = {
  'show-hidden-metrics-for-version': {
    ...optionalTextFlag({
      option: 'metrics.showHiddenForVersion',
      section,
      help: 'Show metrics that are hidden since they were deprecated. Only the previous minor version is allowed, 1.24.',
    }),
    check: showHiddenProblem,
  },
  'disabled-metrics': {
    ...listFlag({
      option: 'metrics.disabled',
      section,
      help: 'Names of metrics that are not shown, for metrics that misbehave. Takes precedence over hidden metrics that are shown.',
    }),
    takes: texts,
    check: disabledProblem,
  },
  'allow-metric-labels': allowLabelsFlag,
}

/** The options that the flags set; none where all have their defaults. */
export function metricsOf(values: {
  readonly 'show-hidden-metrics-for-version': string
  readonly 'disabled-metrics': readonly string[]
  readonly 'allow-metric-labels': AllowedLabels
}): { readonly metrics?: MetricsOptions } {
  const shown = values['show-hidden-metrics-for-version']
  const disabled = values['disabled-metrics']
  const allowLabels = values['allow-metric-labels']
  if (shown === '' && disabled.length === 0 && allowLabels.size === 0) return {}
  return { metrics: { showHiddenForVersion: shown, disabled, allowLabels } }
}
