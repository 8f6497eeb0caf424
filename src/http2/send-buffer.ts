/** What is said on a connection in one turn of the event loop, put together as one piece of memory where that can be. */

const SLAB_BYTES = 64 << 10
/** Shorter pieces are joined, longer ones written as they are. */
const JOIN_UP_TO = 256 << 10

/** Memory that connections write to in turns; each part is written to once. */
let slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
let slabAt = 0

export class SendBuffer {
  readonly #pieces: Buffer[] = []
  /** The last piece, which grows while no other connection comes between. */
  #memory: Buffer | null = null
  #from = 0
  #to = 0
  /** Bytes that were not taken. */
  bytes = 0

  /** Memory for at most `most` bytes, of which the place is `at` until the next call; `written` must follow. */
  reserve(most: number): Buffer {
    const isNext = this.#memory === slab && this.#to === slabAt
    if (isNext && slabAt + most <= slab.length) return slab
    this.#close()
    if (slabAt + most > slab.length) {
      slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, most))
      slabAt = 0
    }
    this.#memory = slab
    this.#from = slabAt
    this.#to = slabAt
    return slab
  }

  /** Where in the reserved memory to write. */
  get at(): number {
    return this.#to
  }

  /** Tells where writing ended. */
  written(end: number): void {
    this.bytes += end - this.#to
    this.#to = end
    slabAt = end
  }

  /** Everything since the last time, in pieces for one write each. */
  take(): readonly Buffer[] {
    this.#close()
    const pieces = this.#pieces.splice(0)
    const { bytes } = this
    this.bytes = 0
    return pieces.length > 1 && bytes <= JOIN_UP_TO ? [Buffer.concat(pieces)] : pieces
  }

  #close(): void {
    if (this.#memory !== null && this.#to > this.#from)
      this.#pieces.push(this.#memory.subarray(this.#from, this.#to))
    this.#memory = null
  }
}
