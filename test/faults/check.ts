/** Everything that is checked of what one load recorded. */
import { checkAgainstLog } from './against-log.ts'
import type { History } from './history.ts'
import { findLinearization } from './linearizable.ts'
import { settled, Told } from './settled.ts'
import { checkLog, checkWatch, mergeLog, type WatchRecord } from './watch-history.ts'

/** What was found, and how much there was to find it in. */
export interface Verdict {
  readonly wrong: readonly string[]
  readonly counts: Readonly<
    Record<'operations' | 'changes' | 'watches' | 'events' | 'expired', number>
  >
}

/** Checks the operations on each object, all of them against the committed changes, and each watch. */
export function checkHistory(
  history: History,
  { watches }: { readonly watches: readonly WatchRecord[] },
  { historyMs }: { readonly historyMs: number },
): Verdict {
  const { operations } = history
  const { log, wrong } = mergeLog(watches)
  const found = [...wrong, ...checkLog(log), ...checkAgainstLog(operations, log)]
  const told = new Told(operations)
  const keys = new Set(log.map(({ key }) => key))
  for (const key of keys) {
    const changes = log.filter((event) => event.key === key)
    const mine = operations.filter(({ kind, key: name }) => kind !== 'list' && name === key)
    const fault = findLinearization(settled(mine, changes, told), changes)
    if (fault !== null) found.push(fault)
  }
  // A change cannot have been made before it was asked for; who asked for a deletion is not always known.
  const asked = new Map<string, number>()
  for (const { value, invoked } of operations) {
    if (value !== undefined) asked.set(value, history.timeOf(invoked))
  }
  const times = new Map<number, number>()
  let time = 0
  for (const event of log) {
    if (event.type !== 'DELETED') time = Math.max(time, asked.get(event.value) ?? 0)
    times.set(event.revision, time)
  }
  const earliest = (revision: number) => times.get(revision) ?? 0
  for (const watch of watches) found.push(...checkWatch(watch, log, { ms: historyMs, earliest }))
  return {
    wrong: found,
    counts: {
      operations: operations.length,
      changes: log.length,
      watches: watches.length,
      events: watches.reduce((sum, { events }) => sum + events.length, 0),
      expired: watches.filter(({ end }) => end.is === 'expired').length,
    },
  }
}
