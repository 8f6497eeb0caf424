import type { Clock } from '../../base/clock.ts'

/** How one check serves many probes. */
export interface Sharing {
  readonly clock: Clock
  /** How long a result is given to whoever asks next. */
  readonly holdMs: number
}

/**
 * A check that costs something, made for many: whoever asks while one is under way gets its result, and so does whoever
 * asks shortly after.
 */
export function sharedCheck(
  check: () => Promise<void>,
  { clock, holdMs }: Sharing,
): () => Promise<void> {
  let last: Promise<void> | null = null
  let untilMs = Infinity
  return () => {
    const nowMs = clock.now()
    // A clock that was set back must not keep an old result.
    if (last && (untilMs === Infinity || (nowMs < untilMs && nowMs >= untilMs - holdMs)))
      return last
    untilMs = Infinity
    last = check()
    const hold = () => void (untilMs = clock.now() + holdMs)
    last.then(hold, hold)
    return last
  }
}
