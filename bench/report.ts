/** The table for people and the document for programs. */
import { arch, cpus, loadavg, release } from 'node:os'
import { verdictOf, type CostGoal, type Goal, type Row, type Sample } from './measure.ts'
import type { BenchOptions } from './options.ts'

// Read before any work of our own.
const loadAverage = loadavg()[0] ?? 0

/** Everything as one JSON document. */
export function jsonReport(
  rows: readonly Row[],
  notes: readonly string[],
  options: BenchOptions,
): string {
  const sample = (s: Sample | null) =>
    s && {
      ...s,
      perCpuSecond: s.cpuMicros === null || s.cpuMicros === 0 ? null : 1e6 / s.cpuMicros,
    }
  return JSON.stringify(
    {
      machine: {
        cpus: cpus().length,
        model: cpus()[0]?.model ?? '',
        arch: arch(),
        kernel: release(),
        node: process.version,
        loadAverage,
      },
      seconds: options.seconds,
      rounds: options.rounds,
      rows: rows.map((row) => {
        const { ours, bare, ratio, ratioByTime, met, cost, costMet } = verdictOf(row)
        return {
          question: row.question,
          what: row.what,
          unit: row.unit,
          ours: sample(ours),
          bare: sample(bare),
          ratio,
          ratioByTime,
          goal: row.goal,
          met,
          costs: row.costs ?? null,
          cost,
          costMet,
          rounds: { ours: row.ours, bare: row.bare, gets: row.gets ?? [] },
        }
      }),
      notes,
    },
    null,
    2,
  )
}

const HEADINGS = [
  'what',
  'ours',
  'bare',
  'ratio',
  'by time',
  'cpu us/op ours / bare',
  'etcd us/op',
  'p50 / p99 ms',
  'load cores',
  'goal',
]

/** The table. */
export function textReport(rows: readonly Row[], notes: readonly string[]): string {
  const cells = rows.map((row) => {
    const { ours, bare, ratio, ratioByTime, met, cost, costMet } = verdictOf(row)
    const cpu = (s: Sample | null) =>
      s === null || s.cpuMicros === null ? '-' : figure(s.cpuMicros)
    const busy = [ours, bare].map((s) =>
      s === null || s.loadCores === null ? '-' : s.loadCores.toFixed(2),
    )
    return [
      row.what,
      value(row, ours),
      value(row, bare),
      ratio === null ? '-' : ratio.toFixed(2),
      ratioByTime === null ? '-' : ratioByTime.toFixed(2),
      `${cpu(ours)} / ${cpu(bare)}`,
      ours?.storeCpuMicros === undefined ? '' : figure(ours.storeCpuMicros),
      ours?.p50Ms === undefined ? '' : `${figure(ours.p50Ms)} / ${figure(ours.p99Ms ?? 0)}`,
      busy.join(' / '),
      [goalText(row.goal, row.unit, met), costText(row.costs, cost, costMet)]
        .filter((text) => text !== '')
        .join('; '),
    ]
  })
  const shown = HEADINGS.map((_, i) => i).filter(
    (i) => cells.length === 0 || cells.some((row) => row[i] !== ''),
  )
  const widths = HEADINGS.map((heading, i) =>
    Math.max(heading.length, ...cells.map((row) => row[i]!.length)),
  )
  const line = (row: readonly string[]) =>
    shown
      .map((i) => row[i]!.padEnd(widths[i]!))
      .join(' | ')
      .trimEnd()
  const rule = shown.map((i) => '-'.repeat(widths[i]!)).join('-|-')
  return [
    line(HEADINGS),
    rule,
    ...cells.map(line),
    ...(notes.length === 0 ? [] : ['', ...notes]),
    '',
  ].join('\n')
}

function value(row: Row, sample: Sample | null): string {
  if (sample === null) return '-'
  const text = `${figure(sample.value)}${row.unit.startsWith('/') ? row.unit : ` ${row.unit}`}`
  return sample.cpuMicros === null || sample.cpuMicros === 0 || row.unit === 'ms'
    ? text
    : `${text}, ${figure(1e6 / sample.cpuMicros)} per cpu-s`
}

function figure(number: number): string {
  if (number >= 100) return Math.round(number).toLocaleString('en-US')
  return number.toFixed(number >= 10 ? 1 : 2)
}

function goalText(goal: Goal | null, unit: string, met: boolean | null): string {
  if (goal === null) return ''
  const sign = goal.is === 'at least' ? '>=' : '<='
  const number = goal.of === 'value' ? `${figure(goal.number)} ${unit}` : String(goal.number)
  return `${sign} ${number}${verdictText(met)}`
}

/** What it costs, and may cost. */
function costText(costs: CostGoal | undefined, cost: number | null, met: boolean | null): string {
  if (costs === undefined) return ''
  const unit = costs.of === 'gets' ? 'gets' : 'x bare'
  const found = cost === null ? '' : `${figure(cost)} `
  return `cpu ${found}<= ${costs.atMost} ${unit}${verdictText(met)}`
}

const verdictText = (met: boolean | null) => (met === null ? '' : met ? ' met' : ' MISSED')
