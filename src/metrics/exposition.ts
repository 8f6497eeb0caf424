/** The exposition of metrics: the text format of the ecosystem, version 0.0.4, and OpenMetrics 1.0.0. */
import type { Family } from './family.ts'
import { numberText } from './numbers.ts'
import {
  CounterSeries,
  GaugeSeries,
  HistogramSeries,
  QUANTILES,
  SummarySeries,
  type Series,
} from './series.ts'

export type ExpositionForm = 'text' | 'openmetrics'

export const CONTENT_TYPES: Readonly<Record<ExpositionForm, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
}

/** The families as one document. Those without a series do not show. */
export function exposition(families: readonly Family[], form: ExpositionForm): string {
  let text = ''
  for (const family of families) {
    const lines = familyLines(family)
    if (lines !== '') text += head(family, form) + lines
  }
  return form === 'openmetrics' ? `${text}# EOF\n` : text
}

/**
 * OpenMetrics names a counter without `_total`. It has no counters whose samples do not end in that: those have an unknown
 * type, so that their names are the same in both forms.
 */
function head({ name, help, declaration: { type } }: Family, form: ExpositionForm): string {
  const text = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
  if (form === 'text') return `# HELP ${name} ${text}\n# TYPE ${name} ${type}\n`
  const isCounter = type === 'counter'
  const isTotal = isCounter && name.endsWith('_total')
  const shown = isTotal ? name.slice(0, -'_total'.length) : name
  const kind = isCounter && !isTotal ? 'unknown' : type
  return `# HELP ${shown} ${text.replaceAll('"', '\\"')}\n# TYPE ${shown} ${kind}\n`
}

function familyLines({ name, series, declaration: { buckets } }: Family): string {
  // Bounds are spelled once for all series.
  const bounds = [...buckets.map((bound) => `le="${numberText(bound)}"} `), 'le="+Inf"} ']
  let text = ''
  for (const one of series as Iterable<Series>) {
    if (one instanceof HistogramSeries) text += histogramLines(name, one, bounds)
    else if (one instanceof SummarySeries) text += summaryLines(name, one)
    else text += valueLine(name, one)
  }
  return text
}

const valueLine = (name: string, { labels, value }: CounterSeries | GaugeSeries): string =>
  `${labels === '' ? name : `${name}{${labels}}`} ${numberText(value)}\n`

function histogramLines(
  name: string,
  { labels, counts, sum }: HistogramSeries,
  bounds: readonly string[],
): string {
  const start = labels === '' ? `${name}_bucket{` : `${name}_bucket{${labels},`
  let text = ''
  let count = 0
  for (let i = 0; i < counts.length; i++) {
    count += counts[i]!
    text += `${start}${bounds[i]!}${numberText(count)}\n`
  }
  return text + totals(name, labels, sum, count)
}

function summaryLines(name: string, series: SummarySeries): string {
  const { labels, sum, count } = series
  const start = labels === '' ? `${name}{` : `${name}{${labels},`
  const values = series.quantiles()
  const lines = QUANTILES.map((q, i) => `${start}quantile="${q}"} ${numberText(values[i]!)}\n`)
  return lines.join('') + totals(name, labels, sum, count)
}

function totals(name: string, labels: string, sum: number, count: number): string {
  const ending = labels === '' ? ' ' : `{${labels}} `
  return `${name}_sum${ending}${numberText(sum)}\n${name}_count${ending}${numberText(count)}\n`
}

/** The form that an `Accept` header prefers. */
export function acceptedForm(accept: string): ExpositionForm {
  let open = 0
  let text = 0
  for (const part of accept.split(',')) {
    const [type = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase())
    const weight = weightOf(parameters)
    if (type === 'application/openmetrics-text' && hasKnownVersion(parameters))
      open = Math.max(open, weight)
    else if (['text/plain', 'text/*', '*/*'].includes(type)) text = Math.max(text, weight)
  }
  return open > text ? 'openmetrics' : 'text'
}

const hasKnownVersion = (parameters: readonly string[]): boolean => {
  const version = parameters.find((word) => word.startsWith('version='))
  return version === undefined || /^version="?1\.0\.0"?$/.test(version)
}

function weightOf(parameters: readonly string[]): number {
  const q = parameters.find((word) => word.startsWith('q='))
  const weight = q === undefined ? 1 : Number(q.slice(2))
  return weight >= 0 && weight <= 1 ? weight : 0
}
