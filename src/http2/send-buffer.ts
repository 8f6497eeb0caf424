/** Everything written to a connection in one tick of the event loop, in as few pieces of memory as possible. */

const SLAB_BYTES = 64 << 10
/** Unused slabs that are kept for later output: new memory costs more than the copy into it. */
const MAX_SPARE = 8

/** Memory that connections write to alternately; each part is written to once, until all of them were sent. */
class Slab {
  readonly memory: Buffer
  /** Where the next part begins. */
  at = 0
  /** Parts that are being made or sent. */
  #parts = 0
  /** One part was sent, or never will be. */
  readonly release = (): void => {
    if (--this.#parts === 0 && this !== current) this.#spare()
  }

  constructor(bytes: number) {
    this.memory = Buffer.allocUnsafeSlow(bytes)
  }

  hold(): void {
    this.#parts++
  }

  /** It is no longer written to. */
  leave(): void {
    if (this.#parts === 0) this.#spare()
  }

  #spare(): void {
    if (this.memory.length !== SLAB_BYTES || spare.length >= MAX_SPARE) return
    this.at = 0
    spare.push(this)
  }
}

const spare: Slab[] = []
let current = new Slab(SLAB_BYTES)

/** Continues in another slab, which has room for `most` bytes. */
function nextSlab(most: number): void {
  const before = current
  current = most <= SLAB_BYTES ? (spare.pop() ?? new Slab(SLAB_BYTES)) : new Slab(most)
  before.leave()
}

/** Bytes to be sent, and what to call when they are no longer needed. */
export interface Piece {
  readonly bytes: Buffer
  readonly release: () => void
}

export class SendBuffer {
  #pieces: Piece[] = []
  /** Slab of the last piece, which grows while no other connection writes in between. */
  #slab: Slab | null = null
  #from = 0
  #to = 0
  /** Bytes that were not taken. */
  bytes = 0

  /** Memory for at most `most` bytes, of which the place is `at` until the next call; `written` must follow. */
  reserve(most: number): Buffer {
    const isNext = this.#slab === current && this.#to === current.at
    if (!isNext || current.at + most > current.memory.length) {
      this.#close()
      if (current.at + most > current.memory.length) nextSlab(most)
      this.#slab = current
      this.#from = current.at
      this.#to = current.at
      current.hold()
    }
    return current.memory
  }

  /** Where in the reserved memory to write. */
  get at(): number {
    return this.#to
  }

  /** Sets where writing ended. */
  written(end: number): void {
    this.bytes += end - this.#to
    this.#to = end
    current.at = end
  }

  /** Everything since the last time, in pieces for one write each. */
  take(): readonly Piece[] {
    this.#close()
    const pieces = this.#pieces
    if (pieces.length > 0) this.#pieces = []
    this.bytes = 0
    return pieces
  }

  #close(): void {
    const slab = this.#slab
    if (slab === null) return
    this.#slab = null
    if (this.#to === this.#from) slab.release()
    else {
      const bytes = slab.memory.subarray(this.#from, this.#to)
      this.#pieces.push({ bytes, release: slab.release })
    }
  }
}
