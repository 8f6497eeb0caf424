import { CountTimes } from '../flowcontrol/count-times.ts'

/** Kinds of requests that are limited apart. */
export type RequestKind = 'mutating' | 'readOnly'

const WINDOW_MS = 1000

/** Requests of one kind under way, and the most of them at once in the last second. */
export class InFlight {
  #now = 0
  #most = 0
  #mostBefore = 0
  #since = 0
  #last = 0
  readonly #times = new CountTimes()

  /** A request began at a time in milliseconds. */
  begin(at: number): void {
    if (at >= this.#since + WINDOW_MS || at < this.#since) this.#turn(at)
    this.#passed(at)
    this.#now++
    if (this.#now > this.#most) this.#most = this.#now
  }
  /** A request has ended. */
  end(at: number): void {
    this.#passed(at)
    this.#now--
  }
  /** For how long there were how many at once, up to now. */
  times(at: number): CountTimes {
    this.#passed(at)
    return this.#times
  }
  /** The most at once in this second and the one before. */
  most(at: number): number {
    if (at >= this.#since + WINDOW_MS || at < this.#since) this.#turn(at)
    return Math.max(this.#most, this.#mostBefore)
  }

  #passed(at: number): void {
    // Requests may end in another order than their times say.
    if (at <= this.#last) return
    if (this.#last > 0) this.#times.add(this.#now, at - this.#last)
    this.#last = at
  }

  #turn(at: number): void {
    this.#mostBefore = at < this.#since + 2 * WINDOW_MS ? this.#most : this.#now
    this.#most = this.#now
    this.#since = at
  }
}
