import { HEADER_BYTES, writeHeader } from '../../../http2/frames.ts'

/** Enough for the frames of most ticks. */
const FIRST_BYTES = 64 << 10
/** Memory that is used again; more of it is given back after the burst that needed it. */
const KEPT_BYTES = 512 << 10

/** Frames on their way to the socket. They are put one behind the other into memory that is used again once it was written. */
export class Outbox {
  #memory: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)
  #end = 0
  /** What was written, for the next frames. */
  #spare: Buffer | null = null

  get isEmpty(): boolean {
    return this.#end === 0
  }

  put(bytes: Uint8Array): void {
    this.#room(bytes.length)
    this.#memory.set(bytes, this.#end)
    this.#end += bytes.length
  }

  /** The header of a frame whose payload is put next. */
  header(type: number, flags: number, stream: number, length: number): void {
    this.#room(HEADER_BYTES + length)
    this.#end = writeHeader(this.#memory, this.#end, { type, flags, stream, length })
  }

  frame(type: number, flags: number, stream: number, payload: Uint8Array): void {
    this.header(type, flags, stream, payload.length)
    this.put(payload)
  }

  /** Everything that was put; what it lies in is not touched until it is given back. */
  take(): Buffer {
    const taken = this.#memory.subarray(0, this.#end)
    this.#memory = this.#spare ?? Buffer.allocUnsafeSlow(FIRST_BYTES)
    this.#spare = null
    this.#end = 0
    return taken
  }

  /** What was taken is written. */
  giveBack(taken: Buffer): void {
    const { buffer } = taken
    if (buffer.byteLength <= KEPT_BYTES) this.#spare = Buffer.from(buffer)
  }

  #room(bytes: number): void {
    const needed = this.#end + bytes
    if (needed <= this.#memory.length) return
    const memory = Buffer.allocUnsafeSlow(Math.max(this.#memory.length * 2, needed))
    this.#memory.copy(memory, 0, 0, this.#end)
    this.#memory = memory
  }
}
