import type { Declaration, MetricType } from './declaration.ts'
import { labelText } from './labels.ts'
import {
  CounterSeries,
  GaugeSeries,
  HistogramSeries,
  SummarySeries,
  type Series,
} from './series.ts'

/** The series of each type. */
export interface SeriesOf {
  readonly counter: CounterSeries
  readonly gauge: GaugeSeries
  readonly histogram: HistogramSeries
  readonly summary: SummarySeries
}

/**
 * Most series of a metric. Labels are bounded by what they stand for; this bounds what users can make more of, such as
 * custom resources.
 */
const MAX_SERIES = 20_000

/** What a family is told by its registry. */
export interface FamilyOptions {
  /** With the words of the vocabulary. */
  readonly name: string
  /** Text after the stability, such as a deprecation notice. */
  readonly notice: string
  /** Allowed values by label; others become `unexpected`. */
  readonly allowed: ReadonlyMap<string, ReadonlySet<string>>
  /** Called once, with the first series. */
  readonly onFirst?: () => void
  /** Called once, when no more series fit. */
  readonly onFull: () => void
}

const UNEXPECTED = 'unexpected'

/** One metric with all of its series. */
export class Family<Type extends MetricType = MetricType, Label extends string = string> {
  readonly declaration: Declaration<Type, Label>
  readonly name: string
  readonly help: string
  readonly #options: FamilyOptions
  readonly #series = new Map<string, Series>()
  #spare: Series | null = null

  constructor(declaration: Declaration<Type, Label>, options: FamilyOptions) {
    this.declaration = declaration
    this.name = options.name
    this.help = `[${declaration.stability}] ${options.notice}${declaration.help}`
    this.#options = options
    // Without labels there is one series, which shows from the start.
    if (declaration.labels.length === 0 && declaration.deprecated === null) this.#of([])
  }

  /** All series, in the order in which they came up. */
  get series(): Iterable<SeriesOf[Type]> {
    return this.#series.values() as Iterable<SeriesOf[Type]>
  }

  /** The series of these label values. Keep it where it is used often. */
  with(values: Readonly<Record<Label, string>>): SeriesOf[Type] {
    const { labels } = this.declaration
    return this.#of(labels.map((label) => this.#allowed(label, values[label])))
  }

  /** The series of a metric without labels. */
  get only(): SeriesOf[Type] {
    return this.#of([])
  }

  /** Forgets a series; what recorded to it before is lost. */
  remove(values: Readonly<Record<Label, string>>): void {
    const { labels } = this.declaration
    this.#series.delete(keyOf(labels.map((label) => this.#allowed(label, values[label]))))
  }

  /** Forgets all series; for values that are taken anew at each scrape. */
  clear(): void {
    this.#series.clear()
  }

  #allowed(label: string, value: string): string {
    const allowed = this.#options.allowed.get(label)
    return allowed === undefined || allowed.has(value) ? value : UNEXPECTED
  }

  #of(values: readonly string[]): SeriesOf[Type] {
    const key = keyOf(values)
    let found = this.#series.get(key)
    if (!found) {
      found = this.#made(values)
      if (this.#series.size >= MAX_SERIES) return this.#extra(found) as SeriesOf[Type]
      if (this.#series.size === 0) this.#options.onFirst?.()
      this.#series.set(key, found)
    }
    return found as SeriesOf[Type]
  }

  /** What does not fit is recorded where nothing shows it. */
  #extra(made: Series): Series {
    if (!this.#spare) {
      this.#spare = made
      this.#options.onFull()
    }
    return this.#spare
  }

  #made(values: readonly string[]): Series {
    const { type, labels, buckets } = this.declaration
    const text = labelText(labels, values)
    switch (type as MetricType) {
      case 'counter':
        return new CounterSeries(text)
      case 'gauge':
        return new GaugeSeries(text)
      case 'histogram':
        return new HistogramSeries(text, buckets)
      case 'summary':
        return new SummarySeries(text)
    }
  }
}

const keyOf = (values: readonly string[]): string =>
  values.length === 1 ? values[0]! : values.join('\u0000')
