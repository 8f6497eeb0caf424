/**
 * How large the young generation of the heap may be.
 *
 * A collection of it takes as long as what it finds alive: with a hundred writes under way, whose objects live until the
 * disk has them, a small one is mostly alive each time, and what it frees is soon used up. A large one is collected as
 * much more seldom as it is larger, for the same cost each time. But V8 does not give its memory back by itself, and with
 * few requests under way it gains nothing. So it may grow when collections take a noticeable share of the time for two
 * seconds, which a thousand clients that connect do not, and becomes small again when nothing has used it up for some time:
 *
 *     look               collections since the last one   limit
 *     500 to 1,500 ms    40, 60 ms in all                 8 MiB
 *     2,000 ms           40, 60 ms in all                 8 -> 16 MiB
 *     2,500 ms           18, 30 ms in all                 16 MiB
 *     8,500 ms           none since 2,500                 16 -> 8 MiB; the young generation is collected
 *     14,500 ms          that one                         the whole heap is collected, and the young generation is small
 */
export interface YoungLimitOptions {
  /** Milliseconds of a clock that does not go back. */
  readonly now: () => number
  /** Bytes of both halves, at first and while little is allocated. */
  readonly small?: number
  /** Bytes at most. */
  readonly large?: number
}

const SMALL_BYTES = 8 << 20
/** Twice as much would gain a few percent more for creates, and be a tenth of the memory of a server of 10,000 objects. */
const LARGE_BYTES = 16 << 20
/** Share of the time that collections may take before the young generation grows, and for how long. */
const COSTLY = 0.05
const COSTLY_MS = 2_000
/**
 * V8 makes it small only if little was allocated in the five seconds before, where what was allocated since the last
 * collection counts, too, however long ago.
 */
const QUIET_MS = 6_000
/** The collection of the whole heap stops everything for some time: no more often than this. */
const BETWEEN_MS = 60_000

export class YoungLimit {
  readonly #now: () => number
  readonly #small: number
  readonly #large: number
  #bytes: number
  #spentMs = 0
  /** For how long they have been costly. */
  #costlyMs = 0
  #lookedAt: number
  #collectedAt: number
  #shrunkAt = -Infinity
  /** Collections since the one that was asked for; null: none was. */
  #since: number | null = null

  constructor({ now, small = SMALL_BYTES, large = LARGE_BYTES }: YoungLimitOptions) {
    this.#now = now
    this.#small = small
    this.#large = large
    this.#bytes = small
    this.#lookedAt = now()
    this.#collectedAt = this.#lookedAt
  }

  /** Bytes that both halves may have now. */
  get bytes(): number {
    return this.#bytes
  }

  /** A collection of the young generation took so many milliseconds. */
  collected(ms: number): void {
    this.#spentMs += ms
    this.#collectedAt = this.#now()
    if (this.#since !== null) this.#since++
  }

  /** Sets the limit by what happened since the last look, and by the size that the young generation has. */
  look(size: number): Next {
    const now = this.#now()
    const elapsed = now - this.#lookedAt
    if (elapsed <= 0) return 'go on'
    const isCostly = this.#spentMs / elapsed > COSTLY
    this.#lookedAt = now
    this.#spentMs = 0
    this.#costlyMs = isCostly ? this.#costlyMs + elapsed : 0
    if (this.#costlyMs >= COSTLY_MS) this.#bytes = Math.min(this.#bytes * 2, this.#large)
    return now - this.#collectedAt < QUIET_MS ? 'go on' : this.#shrink(now, size)
  }

  #shrink(now: number, size: number): Next {
    this.#bytes = this.#small
    if (size <= this.#small) return 'rest'
    if (now - this.#shrunkAt < BETWEEN_MS) return 'go on'
    if (this.#since !== 1) {
      this.#since = 0
      return 'collect young'
    }
    this.#since = null
    this.#shrunkAt = now
    return 'collect all'
  }
}

/** What to do next: nothing until there is a collection, looking again, or a collection of a part of the heap or of all of it. */
export type Next = 'rest' | 'go on' | 'collect young' | 'collect all'
