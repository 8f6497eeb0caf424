import { elapsedOf, type Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'

/** How waits between attempts grow. */
export interface BackOffOptions {
  readonly clock: Clock
  readonly ids: Pick<Ids, 'fraction'>
  readonly leastMs: number
  readonly mostMs: number
  /** After this long without a failure the delays start over. */
  readonly resetMs: number
}

/** Delays that double, each with jitter of up to its own length. */
export class BackOff {
  readonly #options: BackOffOptions
  #nextMs: number
  #last = -Infinity

  constructor(options: BackOffOptions) {
    this.#options = options
    this.#nextMs = options.leastMs
  }

  /** Milliseconds to wait after a failure. */
  next(): number {
    const { clock, ids, leastMs, mostMs, resetMs } = this.#options
    const now = elapsedOf(clock)
    if (now - this.#last > resetMs) this.#nextMs = leastMs
    this.#last = now
    const wait = this.#nextMs * (1 + ids.fraction())
    this.#nextMs = Math.min(this.#nextMs * 2, mostMs)
    return wait
  }
}
