/**
 * Messages of protocol buffers, written field by field into one piece of memory: the library keeps an object for each
 * part until the end, which costs most of a message. The length of a message in a message goes into the byte that was
 * left for it; a longer one moves what is behind it.
 */
import { BACKSLASH, QUOTE } from './json-bytes.ts'

/** An integer of 64 bits in two of 32. */
export interface Halves {
  readonly low: number
  readonly high: number
}

/** What messages are written to. */
export interface MessageWriter {
  uint32(value: number): MessageWriter
  int32(value: number): MessageWriter
  int64(value: number | Halves): MessageWriter
  bool(value: boolean): MessageWriter
  double(value: number): MessageWriter
  string(value: string): MessageWriter
  bytes(value: Uint8Array): MessageWriter
  /** Begins a message in the message; `ldelim` ends it. */
  fork(): MessageWriter
  ldelim(): MessageWriter
}

const NOTHING = Buffer.alloc(0)
/** Node.js takes less than four KiB from a piece that it has. */
const FIRST_BYTES = 2048
/** What `copy` keeps at most. */
const KEPT_BYTES = 1 << 20
/** Most bytes of a number. */
const MAX_NUMBER = 10
/** Units of a text up to which a loop is faster than native code. */
const SHORT = 24
/** The same of bytes. */
const SHORT_SPAN = 96
/** The longest text that is copied while its end is looked for; its length has one byte. */
const MAX_SHORT = 63
const TWO_32 = 2 ** 32

/** Parts of a message that were written in another order, by their places in it. */
export interface Parts {
  /** Offsets of those that are there; negative for others. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  /** What others are written as. */
  readonly zeros: readonly (Uint8Array | null)[]
}

/** Writes messages one after the other into memory that grows. */
export class BytesWriter implements MessageWriter {
  #memory: Buffer
  #at = 0
  #other = NOTHING
  /** Where the messages that were begun have their lengths. */
  readonly #begun: number[] = []

  constructor(memory: Buffer = Buffer.allocUnsafe(FIRST_BYTES)) {
    this.#memory = memory
  }

  /** Bytes that are written. */
  get length(): number {
    return this.#at
  }

  /** Messages that were begun and not ended. */
  get depth(): number {
    return this.#begun.length
  }

  /** Forgets what was written since it had this length and depth. */
  rewind(length: number, depth: number): void {
    this.#at = length
    this.#begun.length = depth
  }

  /** What is written: a view, until something else is. */
  written(): Buffer {
    return this.#memory.subarray(0, this.#at)
  }

  /** A copy of what is written; then it is forgotten, and its memory used again. */
  copy(): Buffer {
    const copy = Buffer.from(this.written())
    if (this.#memory.length > KEPT_BYTES) this.#memory = Buffer.allocUnsafe(FIRST_BYTES)
    this.rewind(0, 0)
    return copy
  }

  /** What is written; it is the caller's. Goes on in other memory. */
  take(next: Buffer = Buffer.allocUnsafe(FIRST_BYTES)): Buffer {
    const taken = this.written()
    this.#memory = next
    this.rewind(0, 0)
    return taken
  }

  uint32(value: number): this {
    this.#room(MAX_NUMBER)
    this.#varint(value >>> 0)
    return this
  }

  int32(value: number): this {
    return value < 0 ? this.int64(value) : this.uint32(value)
  }

  int64(value: number | Halves): this {
    this.#room(MAX_NUMBER)
    if (typeof value === 'object') this.#wide(value.high, value.low)
    else if (value >= 0 && value < TWO_32) this.#varint(value)
    else this.#wide(Math.floor(value / TWO_32) >>> 0, value >>> 0)
    return this
  }

  bool(value: boolean): this {
    this.#room(1)
    this.#memory[this.#at++] = value ? 1 : 0
    return this
  }

  double(value: number): this {
    this.#room(8)
    this.#at = this.#memory.writeDoubleLE(value, this.#at)
    return this
  }

  string(value: string): this {
    // A unit has three bytes at most.
    this.#room(value.length * 3 + MAX_NUMBER)
    if (value.length > SHORT || !this.#ascii(value)) this.#utf8(value)
    return this
  }

  bytes(value: Uint8Array): this {
    this.#room(value.length + MAX_NUMBER)
    this.#varint(value.length)
    this.#memory.set(value, this.#at)
    this.#at += value.length
    return this
  }

  /** Bytes as they are, few of them. */
  raw(value: Uint8Array): this {
    const { length } = value
    this.#room(length)
    const memory = this.#memory
    for (let i = 0; i < length; i++) memory[this.#at + i] = value[i]!
    this.#at += length
    return this
  }

  /** Bytes from one offset to another. */
  span(bytes: Buffer, from: number, to: number): this {
    const length = to - from
    this.#room(length + MAX_NUMBER)
    this.#varint(length)
    this.#append(bytes, from, to)
    return this
  }

  /**
   * A short text of JSON, from behind its quote on: the offset of the closing quote; negative for a longer text and one
   * with escapes, of which nothing is written.
   */
  shortText(bytes: Buffer, from: number): number {
    this.#room(MAX_SHORT + 2)
    const memory = this.#memory
    const begin = this.#at
    let at = begin + 1
    for (let i = from; i <= from + MAX_SHORT; i++) {
      const byte = bytes[i]!
      if (byte === QUOTE) {
        memory[begin] = i - from
        this.#at = at
        return i
      }
      if (byte === BACKSLASH) break
      memory[at++] = byte
    }
    return -1
  }

  fork(): this {
    this.#room(1)
    this.#begun.push(this.#at++)
    return this
  }

  ldelim(): this {
    const from = this.#begun.pop()!
    this.#lengthAt(from, this.#at - from - 1)
    return this
  }

  /** Writes again what is behind an offset: each part that is there or else its zero, in the order of places. */
  arrange(from: number, parts: Parts): void {
    const length = this.#at - from
    if (this.#other.length < length) this.#other = Buffer.allocUnsafeSlow(length * 2)
    const other = this.#other
    this.#memory.copy(other, 0, from, this.#at)
    this.#at = from
    const { starts, ends, zeros } = parts
    for (let i = 0; i < zeros.length; i++) {
      const start = starts[i]!
      const zero = zeros[i]
      if (start >= 0) {
        this.#room(ends[i]! - start)
        this.#append(other, start - from, ends[i]! - from)
      } else if (zero) this.raw(zero)
    }
  }

  /** There must be room for it. */
  #append(bytes: Buffer, from: number, to: number): void {
    const length = to - from
    const memory = this.#memory
    const at = this.#at
    if (length > SHORT_SPAN) bytes.copy(memory, at, from, to)
    else for (let i = 0; i < length; i++) memory[at + i] = bytes[from + i]!
    this.#at = at + length
  }

  /** Writes the length of what begins behind the byte that was left for it. */
  #lengthAt(from: number, length: number): void {
    if (length < 128) {
      this.#memory[from] = length
      return
    }
    const end = this.#at
    const more = sizeOf(length) - 1
    this.#room(more)
    this.#memory.copyWithin(from + 1 + more, from + 1, end)
    this.#at = from
    this.#varint(length)
    this.#at = end + more
  }

  /** Writes a short text with its length, if it is of ASCII. */
  #ascii(value: string): boolean {
    const memory = this.#memory
    let at = this.#at
    memory[at++] = value.length
    for (let i = 0; i < value.length; i++) {
      const unit = value.charCodeAt(i)
      if (unit > 127) return false
      memory[at++] = unit
    }
    this.#at = at
    return true
  }

  #utf8(value: string): void {
    const from = this.#at
    // Most texts have a byte for each unit.
    const head = sizeOf(value.length)
    const length = this.#memory.write(value, from + head, 'utf8')
    if (sizeOf(length) !== head)
      this.#memory.copyWithin(from + sizeOf(length), from + head, from + head + length)
    this.#varint(length)
    this.#at += length
  }

  /** An integer below 2^32. */
  #varint(value: number): void {
    const memory = this.#memory
    let at = this.#at
    while (value > 127) {
      memory[at++] = (value & 127) | 128
      value >>>= 7
    }
    memory[at++] = value
    this.#at = at
  }

  #wide(high: number, low: number): void {
    const memory = this.#memory
    let at = this.#at
    while (high > 0 || low > 127) {
      memory[at++] = (low & 127) | 128
      low = ((low >>> 7) | (high << 25)) >>> 0
      high >>>= 7
    }
    memory[at++] = low
    this.#at = at
  }

  #room(bytes: number): void {
    const needed = this.#at + bytes
    if (needed <= this.#memory.length) return
    const memory = Buffer.allocUnsafeSlow(Math.max(this.#memory.length * 2, needed))
    this.#memory.copy(memory, 0, 0, this.#at)
    this.#memory = memory
  }
}

/** Bytes of a length. */
function sizeOf(length: number): number {
  let bytes = 1
  for (let rest = length >>> 7; rest > 0; rest >>>= 7) bytes++
  return bytes
}
