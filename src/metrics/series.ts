/** Values of metrics with one set of label values. Recording is cheap; code that records often keeps a reference to the series. */

/** Value of a counter. */
export class CounterSeries {
  value = 0
  /** Label pairs as they are exposed. */
  readonly labels: string

  constructor(labels: string) {
    this.labels = labels
  }
  /** `by` must not be negative. */
  inc(by = 1): void {
    this.value += by
  }
  /** Takes over a count that is kept elsewhere; it never falls. */
  reached(total: number): void {
    if (total > this.value) this.value = total
  }
}

/** Value of a gauge. */
export class GaugeSeries {
  value = 0
  readonly labels: string

  constructor(labels: string) {
    this.labels = labels
  }
  set(value: number): void {
    this.value = value
  }
  inc(by = 1): void {
    this.value += by
  }
  dec(by = 1): void {
    this.value -= by
  }
}

/** Observations of a histogram. */
export class HistogramSeries {
  readonly labels: string
  readonly bounds: readonly number[]
  /** By bucket, not cumulative; the last one has no upper bound. */
  readonly counts: number[]
  sum = 0

  constructor(labels: string, bounds: readonly number[]) {
    this.labels = labels
    this.bounds = bounds
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0)
  }
  /** Counts an observation, or several alike. */
  observe(value: number, times = 1): void {
    const { bounds } = this
    let i = 0
    while (i < bounds.length && value > bounds[i]!) i++
    this.counts[i]! += times
    this.sum += value * times
  }
}

/** Latest observations that quantiles are made of. */
const KEPT = 512
export const QUANTILES = [0.5, 0.9, 0.99] as const

/** Observations of a summary. */
export class SummarySeries {
  readonly labels: string
  count = 0
  sum = 0
  readonly #latest: number[] = []

  constructor(labels: string) {
    this.labels = labels
  }
  observe(value: number): void {
    this.#latest[this.count % KEPT] = value
    this.count++
    this.sum += value
  }
  /** Values of QUANTILES, over the latest observations. */
  quantiles(): readonly number[] {
    const sorted = [...this.#latest].sort((a, b) => a - b)
    return QUANTILES.map((q) => sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? Number.NaN)
  }
}

export type Series = CounterSeries | GaugeSeries | HistogramSeries | SummarySeries
