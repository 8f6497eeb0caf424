/** Rate limit for actions of a client: many at once, then so many in a second. */
export class Allowance {
  readonly #most: number
  readonly #aSecond: number
  #left: number

  /** `most` at once, and then `aSecond`. */
  constructor(most: number, aSecond: number) {
    this.#most = most
    this.#aSecond = aSecond
    this.#left = most
  }

  /** False when less is left. */
  spend(units = 1): boolean {
    this.#left -= units
    return this.#left >= 0
  }

  /** Time has passed. */
  refill(ms: number): void {
    this.#left = Math.min(this.#most, this.#left + (this.#aSecond * ms) / 1000)
  }
}
