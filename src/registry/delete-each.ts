/** Deletes of a collection, which share flushes of the store. */
import { Pace } from '../base/event-loop.ts'

/** Deletes that may wait for the store at the same time. */
const MOST = 64

/** Milliseconds of checks after which others are served: they wait for the store's work for these objects as well. */
const SHORT_MS = 2

/**
 * Runs a delete for each item, in order: the next one begins when the one before is checked (it calls `begun`), so that
 * several wait for the store together. After a failure none begins; rejects with the first failure when all have ended.
 * What is `passed` over is no failure.
 */
export async function deleteEach<T>(
  items: readonly T[],
  work: (item: T, begun: () => void) => Promise<unknown>,
  passed: (error: unknown) => boolean = () => false,
): Promise<void> {
  let running = 0
  let failure: { readonly error: unknown } | null = null
  /** Goes on when something has changed. */
  let wake = () => {}
  /** Null when the next one may begin at once. */
  const start = (item: T): Promise<void> | null => {
    let hasBegun = false
    let begin: (() => void) | null = null
    const begun = () => {
      hasBegun = true
      begin?.()
    }
    const ended = () => {
      running--
      begun()
      wake()
    }
    running++
    work(item, begun).then(ended, (error: unknown) => {
      if (!passed(error)) failure ??= { error }
      ended()
    })
    return hasBegun ? null : new Promise((resolve) => (begin = resolve))
  }
  const changed = () => new Promise<void>((resolve) => (wake = resolve))
  const pace = new Pace(SHORT_MS)
  for (const item of items) {
    const pause = pace.pause()
    if (pause) await pause
    while (running >= MOST) await changed()
    if (failure !== null) break
    const waiting = start(item)
    if (waiting) await waiting
  }
  while (running > 0) await changed()
  if (failure !== null) throw (failure as { readonly error: unknown }).error
}
