/**
 * How large the young generation of the heap may be, and when garbage is collected because nothing else happens.
 *
 * A collection of the young generation takes as long as what it finds alive: with a hundred writes under way, whose objects live
 * until the disk has them, a small one is mostly alive each time, and what it frees is soon used up. A large one is collected as
 * much more seldom as it is larger, for the same cost each time. But V8 does not give its memory back by itself, and with
 * few requests under way it gains nothing. So it may grow while collections take a noticeable share of the time, and becomes
 * small again when little is allocated for some time:
 *
 *     look         collections since the last one   limit
 *     500 ms       40, 60 ms in all                 8 -> 16 MiB
 *     1,000 ms     18, 30 ms in all                 16 MiB
 *     2,000 ms     none since 1,000                 16 -> 8 MiB; the young generation is collected
 *     2,100 ms     that one                         it is collected again, and so on
 *     3,200 ms     twelve like it                   the whole heap is collected, and the young generation is small
 *
 * That also frees what a load left in the old generation, where V8 looks only when it has grown by more than half.
 */
export interface YoungLimitOptions {
  /** Milliseconds of a clock that does not go back. */
  readonly now: () => number
  /** Bytes of both halves, at first and while little is allocated. */
  readonly small?: number
  /** Bytes at most. */
  readonly large?: number
}

/** Of a look, bytes. */
export interface HeapSizes {
  /** What the young generation takes. */
  readonly young: number
  /** What is allocated in it. */
  readonly allocated: number
  /** All objects, garbage included, and the memory outside of the heap that they hold. */
  readonly held: number
}

const SMALL_BYTES = 8 << 20
/** Twice as much would gain a few percent more for creates, and be a tenth of the memory of a server of 10,000 objects. */
const LARGE_BYTES = 16 << 20
/** Share of the time that collections may take before the young generation grows. */
const COSTLY = 0.05
/** Nothing happens while less is allocated in a millisecond, for so long. V8 makes the young generation small below twice as much. */
const QUIET_BYTES = 512
const QUIET_MS = 1_000
/**
 * V8 makes it small only if little was allocated in the last five seconds, or since the tenth collection before. So there are more
 * than ten, which find hardly anything, with some time between them: releases of V8 differ.
 */
const STEPS = 12
/** Growth that makes a collection of the whole heap worth while, which stops everything for some time. */
const WORTH_BYTES = 8 << 20
/** Such collections begin so long after one another, and take at most this share of one CPU. */
const BETWEEN_MS = 10_000
const SHARE = 0.01

export class YoungLimit {
  readonly #now: () => number
  readonly #small: number
  readonly #large: number
  #bytes: number
  #spentMs = 0
  #lookedAt: number
  #allocated = 0
  /** Collections since the last look that nobody asked for, and those that were asked for and have not been told yet. */
  #collections = 0
  #asked = 0
  #quietSince: number
  #steps = 0
  /** What was held after the last collection of the whole heap; null: to be seen. */
  #least: number | null = 0
  #nextAt = -Infinity

  constructor({ now, small = SMALL_BYTES, large = LARGE_BYTES }: YoungLimitOptions) {
    this.#now = now
    this.#small = small
    this.#large = large
    this.#bytes = small
    this.#lookedAt = now()
    this.#quietSince = this.#lookedAt
  }

  /** Bytes that both halves may have now. */
  get bytes(): number {
    return this.#bytes
  }

  /** A collection of the young generation took so many milliseconds. */
  collected(ms: number): void {
    if (this.#asked > 0) {
      this.#asked--
      return
    }
    this.#spentMs += ms
    this.#collections++
  }

  /** A collection of the whole heap that was asked for took so many milliseconds of CPU time. */
  collectedAll(ms: number): void {
    this.#nextAt = this.#now() + Math.max(BETWEEN_MS, ms / SHARE)
    this.#least = null
  }

  /** Sets the limit by what happened since the last look, and by what the heap takes. */
  look(sizes: HeapSizes): Next {
    const now = this.#now()
    const elapsed = now - this.#lookedAt
    if (elapsed <= 0) return 'go on'
    const isCostly = this.#spentMs / elapsed > COSTLY
    // A smaller one grows by itself.
    if (isCostly && 2 * sizes.young > this.#bytes)
      this.#bytes = Math.min(this.#bytes * 2, this.#large)
    const allocated = sizes.allocated - this.#allocated
    const isQuiet = this.#collections === 0 && allocated < QUIET_BYTES * elapsed
    this.#lookedAt = now
    this.#spentMs = 0
    this.#collections = 0
    this.#allocated = sizes.allocated
    this.#least = Math.min(this.#least ?? Infinity, sizes.held)
    if (!isQuiet) {
      this.#quietSince = now
      this.#steps = 0
    }
    return now - this.#quietSince < QUIET_MS ? 'go on' : this.#shrink(now, sizes, this.#least)
  }

  #shrink(now: number, { young, held }: HeapSizes, least: number): Next {
    this.#bytes = this.#small
    if (young <= this.#small && held - least < WORTH_BYTES) return 'rest'
    if (now < this.#nextAt) return 'go on'
    if (this.#steps < STEPS) {
      this.#steps++
      this.#asked++
      return 'collect young'
    }
    this.#steps = 0
    return 'collect all'
  }
}

/**
 * What to do next: nothing until there is a collection, looking again, or a collection of all of the heap or of a part of it,
 * after which the next look is soon.
 */
export type Next = 'rest' | 'go on' | 'collect young' | 'collect all'
