/** Kinds of requests that are limited apart. */
export type RequestKind = 'mutating' | 'readOnly'

const WINDOW_MS = 1000

/** Requests of one kind under way, and the most of them at once in the last second. */
export class InFlight {
  #now = 0
  #most = 0
  #mostBefore = 0
  #since = 0

  /** A request began at a time in milliseconds. */
  begin(at: number): void {
    if (at >= this.#since + WINDOW_MS || at < this.#since) this.#turn(at)
    this.#now++
    if (this.#now > this.#most) this.#most = this.#now
  }
  end(): void {
    this.#now--
  }
  /** The most at once in this second and the one before. */
  most(at: number): number {
    if (at >= this.#since + WINDOW_MS || at < this.#since) this.#turn(at)
    return Math.max(this.#most, this.#mostBefore)
  }

  #turn(at: number): void {
    this.#mostBefore = at < this.#since + 2 * WINDOW_MS ? this.#most : this.#now
    this.#most = this.#now
    this.#since = at
  }
}
