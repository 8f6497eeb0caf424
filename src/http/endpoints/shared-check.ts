import type { Clock } from '../../base/clock.ts'

/** How probes share one check. */
export interface Sharing {
  readonly clock: Clock
  /** How long a result is cached, milliseconds. */
  readonly holdMs: number
}

/**
 * An expensive check for many probes: a probe gets the result of the check that is in progress, or of one that ended
 * less than `holdMs` ago.
 */
export function sharedCheck(
  check: () => Promise<void>,
  { clock, holdMs }: Sharing,
): () => Promise<void> {
  let last: Promise<void> | null = null
  let untilMs = Infinity
  return () => {
    const nowMs = clock.now()
    // A clock that was set back must not extend an old result.
    if (last && (untilMs === Infinity || (nowMs < untilMs && nowMs >= untilMs - holdMs)))
      return last
    untilMs = Infinity
    last = check()
    const hold = () => void (untilMs = clock.now() + holdMs)
    last.then(hold, hold)
    return last
  }
}
