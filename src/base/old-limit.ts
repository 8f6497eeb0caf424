/**
 * By how much the old generation of the heap may grow before it is collected.
 *
 * A collection looks at all that is alive, and pays by what it frees. V8 counts memory outside the heap as growth: the
 * bytes of new objects, of which nothing is garbage, call for a collection every half second under a load of creates, which
 * frees a megabyte or two. So there is more room once five collections have followed one another closely; otherwise V8
 * decides, since garbage that is not collected is memory of a server that has little to do. Three that follow closely are
 * no load: a start has them, and a client that creates many objects once. What V8 would allow a large heap is too much:
 *
 *     collected     after      old generation   may grow by
 *     at 1,000 ms   (first)    11 MiB           what V8 allows
 *     at 3,000 ms   2,000 ms   24 MiB           what V8 allows, and so at the next two
 *     at 9,000 ms   2,000 ms   40 MiB           48 MiB, which is 120 percent
 *     at 19,000 ms  10,000 ms  40 MiB           what V8 allows
 *     at 33,000 ms  14,000 ms  120 MiB          60 percent
 */
export interface OldLimitOptions {
  /** Milliseconds of a clock that does not go back. */
  readonly now: () => number
}

/** Collections that follow one another so closely are many. */
const CLOSE_MS = 5_000
/** So many of them in a row. */
const MANY = 4
/** Room while there are many. */
const ROOM_BYTES = 48 << 20
/** A heap of this size is large, and collected when it has grown by so much. */
const LARGE_BYTES = 64 << 20
const LARGE_PERCENT = 60
const MIB = 1 << 20

export class OldLimit {
  readonly #now: () => number
  #collectedAt = -Infinity
  /** Collections that followed the one before closely, without others between them. */
  #close = 0

  constructor({ now }: OldLimitOptions) {
    this.#now = now
  }

  /** The old generation was collected. */
  collected(): void {
    const now = this.#now()
    this.#close = now - this.#collectedAt < CLOSE_MS ? this.#close + 1 : 0
    this.#collectedAt = now
  }

  /** Percent of its bytes that the old generation may grow by after its next collection; 0: V8 decides. */
  percent(bytes: number): number {
    const least = bytes < LARGE_BYTES ? 0 : LARGE_PERCENT
    const areMany = this.#close >= MANY && this.#now() - this.#collectedAt < CLOSE_MS
    return areMany
      ? Math.max(least, Math.ceil((10 * ROOM_BYTES) / Math.max(bytes, MIB)) * 10)
      : least
  }
}
