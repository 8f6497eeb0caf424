/** Samples, and what rows of them say. */
import type { LoadResult } from './load/job.ts'

/** What one round gave. */
export interface Sample {
  /** In the row's unit. */
  readonly value: number
  /** CPU time of the measured process for one operation (one MB where the unit is MB/s), microseconds. */
  readonly cpuMicros: number | null
  /** Cores that the load generator kept busy. */
  readonly loadCores: number | null
  /** CPU time of the store's own process for one operation, microseconds; absent without such a process. */
  readonly storeCpuMicros?: number
  /** Times to an answer, milliseconds; absent where they say nothing. */
  readonly p50Ms?: number
  readonly p99Ms?: number
}

export type Unit = '/s' | 'MB/s' | 'ms' | 'us' | 'MB' | 'KiB' | '%'

/** What is hoped for: of the ratio to the bare limit, or of our own value where there is no limit to compare with. */
export interface Goal {
  readonly of: 'ratio' | 'value'
  readonly is: 'at least' | 'at most'
  readonly number: number
}

/** The most CPU that an operation may take: in multiples of a bare HTTPS get, or of the row's own limit. */
export interface CostGoal {
  readonly of: 'gets' | 'bare'
  readonly atMost: number
}

/** One figure beside its limit; rounds in the order they were run, ours and bare in turns. */
export interface Row {
  readonly question: string
  readonly what: string
  readonly unit: Unit
  readonly ours: readonly Sample[]
  readonly bare: readonly Sample[]
  /** Bare HTTPS gets, one round beside each of ours; for costs in gets. */
  readonly gets?: readonly Sample[]
  readonly goal: Goal | null
  /** What CPU may cost, beside the goal. */
  readonly costs?: CostGoal
}

export interface Verdict {
  readonly ours: Sample | null
  readonly bare: Sample | null
  /** Rates: work for each CPU second, ours to bare. Times and sizes: ours to bare. null without both. */
  readonly ratio: number | null
  /** Rates only: throughput, ours to bare, which other work on the machine disturbs. */
  readonly ratioByTime: number | null
  readonly met: boolean | null
  /** CPU of ours in multiples of what the goal of costs compares it with; null without one. */
  readonly cost: number | null
  readonly costMet: boolean | null
}

/** A sample of answers or deliveries. */
export const rateOf = (result: LoadResult): Sample => ({
  ...sampleOf(result, result.operations),
  ...(result.p50Ms === 0 ? {} : { p50Ms: result.p50Ms, p99Ms: result.p99Ms }),
})

/** A sample of bytes received, in MB. */
export const bytesOf = (result: LoadResult): Sample => sampleOf(result, result.bytes / 1e6)

function sampleOf(result: LoadResult, operations: number): Sample {
  return {
    value: operations / result.seconds,
    cpuMicros: (result.serverCpuSeconds / operations) * 1e6,
    loadCores: result.loadCpuSeconds / result.seconds,
    ...(result.storeCpuSeconds === null
      ? {}
      : { storeCpuMicros: (result.storeCpuSeconds / operations) * 1e6 }),
  }
}

/** A sample that is a time or a size. */
export const plain = (value: number): Sample => ({ value, cpuMicros: null, loadCores: null })

/** What a row says: medians, and the median of the ratios of neighbouring rounds. */
export function verdictOf(row: Row): Verdict {
  const isRate = row.unit === '/s' || row.unit === 'MB/s'
  const pairs = neighbours(row.ours, row.bare)
  const byValue = median(pairs.map(({ ours, bare }) => ours.value / bare.value))
  // Neighbouring rounds saw the same neighbours on the machine, so they are compared with each other.
  const byCpu = median(costsOf(pairs).map((cost) => 1 / cost))
  const ours = medianSample(row.ours)
  const ratio = isRate ? (byCpu ?? byValue) : byValue
  const judged = row.goal?.of === 'value' ? (ours?.value ?? null) : ratio
  const { costs } = row
  const compared = costs?.of === 'gets' ? neighbours(row.ours, row.gets ?? []) : pairs
  const cost = costs === undefined ? null : median(costsOf(compared))
  return {
    ours,
    bare: medianSample(row.bare),
    ratio,
    ratioByTime: isRate ? byValue : null,
    met:
      row.goal === null || judged === null || ours === null
        ? null
        : row.goal.is === 'at least'
          ? judged >= row.goal.number
          : judged <= row.goal.number,
    cost,
    costMet: cost === null || costs === undefined ? null : cost <= costs.atMost,
  }
}

interface Pair {
  readonly ours: Sample
  readonly bare: Sample
}

/** Rounds that were measured one after the other. */
const neighbours = (ours: readonly Sample[], bare: readonly Sample[]): readonly Pair[] =>
  ours.flatMap((sample, i) => {
    const beside = bare[i]
    return beside === undefined ? [] : [{ ours: sample, bare: beside }]
  })

/** CPU of ours to that of bare, where both are known. */
const costsOf = (pairs: readonly Pair[]): number[] =>
  pairs.flatMap(({ ours, bare }) =>
    ours.cpuMicros === null || bare.cpuMicros === null ? [] : [ours.cpuMicros / bare.cpuMicros],
  )

/** The middle value, or the mean of the two in the middle; null of nothing. */
export function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b)
  const low = sorted[(sorted.length - 1) >> 1]
  const high = sorted[sorted.length >> 1]
  return low === undefined || high === undefined ? null : (low + high) / 2
}

function medianSample(samples: readonly Sample[]): Sample | null {
  const value = median(samples.map((s) => s.value))
  if (value === null) return null
  const middle = (of: (sample: Sample) => number | null | undefined) =>
    median(samples.flatMap((sample) => of(sample) ?? []))
  const [storeCpuMicros, p50Ms, p99Ms] = [
    middle((s) => s.storeCpuMicros),
    middle((s) => s.p50Ms),
    middle((s) => s.p99Ms),
  ]
  return {
    value,
    cpuMicros: middle((s) => s.cpuMicros),
    loadCores: middle((s) => s.loadCores),
    ...(storeCpuMicros === null ? {} : { storeCpuMicros }),
    ...(p50Ms === null ? {} : { p50Ms }),
    ...(p99Ms === null ? {} : { p99Ms }),
  }
}
