import type { Clock } from '../../base/clock.ts'

const FIRST_MS = 1000
const MOST_MS = 15 * 60_000

/** How long failed pods of a set on a node are left before they are replaced. */
export class FailedPods {
  readonly #clock: Pick<Clock, 'now'>
  readonly #waits = new Map<string, { readonly sinceMs: number; readonly waitMs: number }>()

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Milliseconds that are left before a pod is replaced; 0: now, and the next one waits twice as long. */
  waitOf(key: string): number {
    const now = this.#clock.now()
    const last = this.#waits.get(key)
    // After a quiet time it begins anew.
    const known = last && now - last.sinceMs <= 2 * MOST_MS ? last : null
    if (known && now - known.sinceMs < known.waitMs) return known.sinceMs + known.waitMs - now
    const waitMs = known ? Math.min(known.waitMs * 2, MOST_MS) : FIRST_MS
    this.#waits.set(key, { sinceMs: now, waitMs })
    return 0
  }

  /** Forgets what no longer matters. */
  collect(): void {
    const now = this.#clock.now()
    for (const [key, { sinceMs }] of this.#waits)
      if (now - sinceMs > 2 * MOST_MS) this.#waits.delete(key)
  }
}
