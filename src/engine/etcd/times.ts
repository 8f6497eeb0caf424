import type { Revision } from '../engine.ts'

/** Remembers when revisions came, coarser the more there are. */
export class Times {
  readonly #most: number
  #entries: { revision: Revision; timeMs: number }[] = []

  constructor(most = 8192) {
    this.#most = most
  }

  /** Records that `revision` was the newest at `timeMs`. */
  add(revision: Revision, timeMs: number): void {
    const last = this.#entries.at(-1)
    if (last && last.timeMs >= timeMs) {
      last.revision = revision
      return
    }
    this.#entries.push({ revision, timeMs })
    // A removed entry makes results older than need be, never younger.
    if (this.#entries.length > this.#most)
      this.#entries = this.#entries.filter((_entry, i, all) => i % 2 === 0 || i === all.length - 1)
  }

  /** Newest revision known to have been there at a time; 0 when none is. */
  at(timeMs: number): Revision {
    let low = 0
    let high = this.#entries.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#entries[middle]!.timeMs <= timeMs) low = middle + 1
      else high = middle
    }
    return this.#entries[low - 1]?.revision ?? 0
  }

  /** Forgets what lies below a revision. */
  trim(floor: Revision): void {
    const first = this.#entries.findIndex(({ revision }) => revision >= floor)
    if (first > 0) this.#entries.splice(0, first)
  }
}
