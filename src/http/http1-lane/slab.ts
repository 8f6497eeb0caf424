import type { ResponseHead } from './response-head.ts'

const SIZE = 64 << 10
/** Longer responses are not copied. */
const JOINED_UP_TO = 16 << 10
/** A unit of UTF-16 has at most so many bytes in UTF-8. */
const UNIT_BYTES = 3

/** Memory in which heads and bodies are joined, so that a response is one write. */
export class Slab {
  #memory = Buffer.alloc(0)
  #at = 0

  /** A head and a body in one buffer; null: they are too long for that. */
  join(head: ResponseHead, body: Buffer | string): Buffer | null {
    const isText = typeof body === 'string'
    const most = head.length + body.length * (isText ? UNIT_BYTES : 1)
    if (most > JOINED_UP_TO) return null
    if (this.#at + most > this.#memory.length) {
      this.#memory = Buffer.allocUnsafeSlow(SIZE)
      this.#at = 0
    }
    const memory = this.#memory
    const start = this.#at
    let at = head.writeTo(memory, start)
    if (isText) at += memory.write(body, at)
    else {
      memory.set(body, at)
      at += body.length
    }
    this.#at = at
    return memory.subarray(start, at)
  }
}
