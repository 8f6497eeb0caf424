import { elapsedOf, type Clock } from '../base/clock.ts'

/** How much may be done. */
export interface BucketRate {
  /** Sustained, in a second. */
  readonly perSecond: number
  /** At once, after a rest. */
  readonly burst: number
}

/** Tokens that come back with time; those that are taken ahead make later ones wait. */
export class TokenBucket {
  readonly #rate: BucketRate
  readonly #clock: Clock
  #tokens: number
  #atMs: number

  constructor(rate: BucketRate, clock: Clock) {
    this.#rate = rate
    this.#clock = clock
    this.#tokens = Math.max(rate.burst, 1)
    this.#atMs = elapsedOf(clock)
  }

  /** Takes a token; returns the milliseconds until it is there. */
  take(): number {
    const { perSecond, burst } = this.#rate
    const now = elapsedOf(this.#clock)
    const grown = ((now - this.#atMs) / 1000) * perSecond
    this.#tokens = Math.min(Math.max(burst, 1), this.#tokens + Math.max(grown, 0)) - 1
    this.#atMs = now
    return this.#tokens >= 0 ? 0 : (-this.#tokens / perSecond) * 1000
  }
}
