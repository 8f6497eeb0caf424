import type { Expiries, Expiry } from '../expiry.ts'

/** Expiries in order of time, in memory. */
export class ExpiryList implements Expiries {
  #list: Expiry[] = []

  add(expiry: Expiry): void {
    let low = 0
    let high = this.#list.length
    // Keys with one time to live come in order: the end is looked at first.
    if (high > 0 && this.#list[high - 1]!.timeMs <= expiry.timeMs) low = high
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#list[middle]!.timeMs <= expiry.timeMs) low = middle + 1
      else high = middle
    }
    this.#list.splice(low, 0, expiry)
  }

  next(): number | undefined {
    return this.#list[0]?.timeMs
  }

  due(nowMs: number, limit: number): readonly Expiry[] {
    const due: Expiry[] = []
    for (const expiry of this.#list) {
      if (expiry.timeMs > nowMs || due.length >= limit) break
      due.push(expiry)
    }
    return due
  }

  drop(expiries: readonly Expiry[]): void {
    if (expiries.every((expiry, i) => this.#list[i] === expiry)) {
      this.#list.splice(0, expiries.length)
      return
    }
    const gone = new Set(expiries)
    this.#list = this.#list.filter((expiry) => !gone.has(expiry))
  }
}
