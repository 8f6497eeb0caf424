/** The exposition of metrics: the text format of the ecosystem, version 0.0.4, and OpenMetrics 1.0.0. */
import type { Family } from './family.ts'
import { numberText } from './numbers.ts'
import { HistogramSeries, QUANTILES, SummarySeries, type Series } from './series.ts'
import { TextBuffer } from './text-buffer.ts'

export type ExpositionForm = 'text' | 'openmetrics'

export const CONTENT_TYPES: Readonly<Record<ExpositionForm, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
}

/** The families as one document, about as long as expected. Those without a series do not show. */
export function exposition(
  families: readonly Family[],
  form: ExpositionForm,
  expectedBytes = 0,
): Buffer {
  const out = new TextBuffer(expectedBytes)
  for (const family of families) familyLines(out, family, form)
  if (form === 'openmetrics') out.text('# EOF\n')
  return out.done()
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

function familyLines(out: TextBuffer, family: Family, form: ExpositionForm): void {
  const { name, series, declaration } = family
  // Bounds are spelled once for all series.
  const bounds = [...declaration.buckets.map(numberText), '+Inf'].map((bound) =>
    Buffer.from(`le="${bound}"} `),
  )
  let isFirst = true
  for (const one of series as Iterable<Series>) {
    if (isFirst) out.text(head(family, form))
    isFirst = false
    if (one instanceof HistogramSeries) histogramLines(out, name, one, bounds)
    else if (one instanceof SummarySeries) summaryLines(out, name, one)
    else {
      out.text(one.labels === '' ? `${name} ` : `${name}{${one.labels}} `)
      number(out, one.value)
    }
  }
}

/** Adds a number, which ends its line. */
function number(out: TextBuffer, value: number): void {
  // Almost all values are counts.
  if (Number.isInteger(value) && value >= 0 && value < 1e6) out.count(value)
  else out.text(`${numberText(value)}\n`)
}

function histogramLines(
  out: TextBuffer,
  name: string,
  { labels, counts, sum }: HistogramSeries,
  bounds: readonly Buffer[],
): void {
  const from = out.length
  out.text(labels === '' ? `${name}_bucket{` : `${name}_bucket{${labels},`)
  const to = out.length
  let count = 0
  for (let i = 0; i < counts.length; i++) {
    count += counts[i]!
    if (i > 0) out.copy(from, to)
    out.bytes(bounds[i]!)
    number(out, count)
  }
  totals(out, { name, labels, sum, count })
}

function summaryLines(out: TextBuffer, name: string, series: SummarySeries): void {
  const { labels, sum, count } = series
  const start = labels === '' ? `${name}{` : `${name}{${labels},`
  const values = series.quantiles()
  QUANTILES.forEach((q, i) => {
    out.text(`${start}quantile="${q}"} `)
    number(out, values[i]!)
  })
  totals(out, { name, labels, sum, count })
}

interface Totals {
  readonly name: string
  readonly labels: string
  readonly sum: number
  readonly count: number
}

function totals(out: TextBuffer, { name, labels, sum, count }: Totals): void {
  const ending = labels === '' ? ' ' : `{${labels}} `
  out.text(`${name}_sum${ending}`)
  number(out, sum)
  out.text(`${name}_count${ending}`)
  number(out, count)
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
