/** What the committed changes tell of operations that were not answered. */
import type { Committed, Operation } from './history.ts'

/**
 * The operations on one object, with those of unknown outcome told apart: what was not committed is left out, a
 * write that was is done, and a deletion that nobody was told of is one operation, whoever asked for it. Each is
 * over when somebody is told of its revision or a later one, so that few are open at a time.
 */
export function settled(
  operations: readonly Operation[],
  log: readonly Committed[],
  told: Told,
): readonly Operation[] {
  const written = new Map<string, Committed>()
  for (const change of log) if (change.type !== 'DELETED') written.set(change.value, change)
  const out: Operation[] = []
  const deletions: Operation[] = []
  const acknowledged = new Set<string>()
  for (const operation of operations) {
    const { outcome, kind, value = '' } = operation
    if (outcome.is === 'deleted') acknowledged.add(outcome.uid)
    if (outcome.is !== 'unknown') out.push(operation)
    else if (kind === 'delete') deletions.push(operation)
    else {
      const change = written.get(value)
      if (change)
        out.push({
          ...operation,
          outcome: { is: 'done', seen: change },
          completed: endOf(operation, told.of(change.revision)),
        })
    }
  }
  for (const { type, key, uid, revision } of log) {
    if (type !== 'DELETED' || acknowledged.has(uid)) continue
    const known = told.of(revision)
    const candidates = deletions.filter(({ invoked }) => invoked < known)
    const first = candidates.at(0)
    if (!first) continue
    const invoked = Math.min(...candidates.map((candidate) => candidate.invoked))
    const completed = Math.min(
      known,
      Math.max(...candidates.map((candidate) => candidate.completed)),
    )
    out.push({ kind: 'delete', key, invoked, completed, outcome: { is: 'deleted', uid } })
  }
  return out
}

const endOf = ({ invoked, completed }: Operation, known: number): number =>
  Math.min(completed, Math.max(known, invoked + 0.5))

/** When clients were told of revisions. */
export class Told {
  readonly #ticks: number[] = []
  /** The newest revision that was told by the tick of the same place. */
  readonly #newest: number[] = []

  constructor(operations: readonly Operation[]) {
    const answers = operations
      .flatMap(({ outcome, completed }) => {
        const revision =
          outcome.is === 'done' ? outcome.seen.revision : outcome.is === 'listed' ? outcome.at : 0
        return revision > 0 ? [{ revision, completed }] : []
      })
      .sort((a, b) => a.completed - b.completed)
    let newest = 0
    for (const { revision, completed } of answers) {
      if (revision <= newest) continue
      newest = revision
      this.#ticks.push(completed)
      this.#newest.push(newest)
    }
  }

  /** The first tick at which somebody was told of a revision or a later one; Infinity when nobody was. */
  of(revision: number): number {
    let low = 0
    let high = this.#newest.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#newest[middle]! < revision) low = middle + 1
      else high = middle
    }
    return this.#ticks[low] ?? Infinity
  }
}
