/** What a metric may be declared as. Declarations are data: a registry makes the metric of it. */

export type MetricType = 'counter' | 'gauge' | 'histogram' | 'summary'

/** How long a metric stays as it is: ALPHA may change at any time, STABLE is deprecated first. */
export type Stability = 'ALPHA' | 'STABLE'

/** One metric. */
export interface Declaration<Type extends MetricType = MetricType, Label extends string = string> {
  /** A template of the vocabulary; see `Registry`. */
  readonly name: string
  readonly type: Type
  readonly stability: Stability
  readonly help: string
  /** In alphabetical order, which is that of the exposition. */
  readonly labels: readonly Label[]
  /** Upper bounds, rising; of histograms alone. */
  readonly buckets: readonly number[]
  /** Release that deprecated it, `1.24`; null: it is not deprecated. */
  readonly deprecated: string | null
}

interface About<Label extends string> {
  readonly help: string
  readonly labels?: readonly Label[]
  /** ALPHA without. */
  readonly stability?: Stability
  readonly deprecated?: string
}

/** Any declaration of a type. */
const declaration = <Type extends MetricType, Label extends string>(
  type: Type,
  name: string,
  { help, labels = [], stability = 'ALPHA', deprecated }: About<Label>,
  buckets: readonly number[] = [],
): Declaration<Type, Label> => ({
  name,
  type,
  stability,
  help,
  labels: [...labels].sort(),
  buckets,
  deprecated: deprecated ?? null,
})

/** A number that only rises. */
export const counter = <const Label extends string = never>(name: string, about: About<Label>) =>
  declaration('counter', name, about)

/** A number that rises and falls. */
export const gauge = <const Label extends string = never>(name: string, about: About<Label>) =>
  declaration('gauge', name, about)

/** Observations, counted by size. */
export const histogram = <const Label extends string = never>(
  name: string,
  buckets: readonly number[],
  about: About<Label>,
) => declaration('histogram', name, about, buckets)

/** Observations, with quantiles of the latest ones. */
export const summary = <const Label extends string = never>(name: string, about: About<Label>) =>
  declaration('summary', name, about)

/** `count` bounds from `start` on, each `factor` times the one before. */
export const exponentialBuckets = (start: number, factor: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => Number((start * factor ** i).toPrecision(12)))
