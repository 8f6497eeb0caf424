/** Messages of protocol buffers, read in place: what is read of a text or of bytes is made, and nothing else. */

const VARINT = 0
const FIXED_64 = 1
const BYTES = 2
const FIXED_32 = 5
const TWO_28 = 2 ** 28
const TWO_56 = 2 ** 56
const MASK_28 = TWO_28 - 1
const SIGN = 1 << 31

/** Reads the fields of one message, and of those in it. Throws RangeError where bytes are missing. */
export class WireReader {
  readonly #bytes: Buffer
  #at = 0
  #end: number
  /** Of the field that was begun last. */
  #type = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#end = bytes.length
  }

  /** Whether the present message has another field. */
  get more(): boolean {
    return this.#at < this.#end
  }

  /** Begins a field; gives its number. Its value must be read or skipped next. */
  field(): number {
    const tag = this.#length()
    this.#type = tag & 7
    return tag >>> 3
  }

  /** Enters a message in this one; gives what `leave` takes. */
  enter(): number {
    const outer = this.#end
    this.#end = this.#after(this.#length())
    return outer
  }

  /** Leaves a message whose fields were read. */
  leave(outer: number): void {
    this.#at = this.#end
    this.#end = outer
  }

  flag(): boolean {
    return this.number() !== 0
  }

  /** A 64-bit integer; exact up to 2^53. */
  number(): number {
    const low = this.#group()
    if (low >= 0) return low
    const middle = this.#group()
    if (middle >= 0) return (low & MASK_28) + middle * TWO_28
    const high = this.#group()
    if (high < 0) throw new RangeError('an integer that is too long')
    if (high < 128) return (low & MASK_28) + (middle & MASK_28) * TWO_28 + high * TWO_56
    // Negative, by what is missing to 2^64: the number itself would not be exact.
    return -1 - (~low & MASK_28) - (~middle & MASK_28) * TWO_28 - (255 - high) * TWO_56
  }

  /** A 64-bit integer in decimal. */
  decimal(): string {
    let value = 0n
    for (let shift = 0n; shift < 64n; shift += 28n) {
      const group = this.#group()
      value |= BigInt(group & MASK_28) << shift
      if (group >= 0) return String(BigInt.asIntN(64, value))
    }
    throw new RangeError('an integer that is too long')
  }

  text(): string {
    const start = this.#begin()
    return this.#bytes.toString('utf8', start, this.#at)
  }

  /** A part of the memory that is read. */
  bytes(): Buffer {
    const start = this.#begin()
    return this.#bytes.subarray(start, this.#at)
  }

  /** Passes over the value of the field. */
  skip(): void {
    switch (this.#type) {
      case VARINT:
        while (this.#group() < 0);
        return
      case FIXED_64:
        this.#at = this.#after(8)
        return
      case BYTES:
        this.#begin()
        return
      case FIXED_32:
        this.#at = this.#after(4)
        return
      default:
        throw new RangeError('a field of an unknown type')
    }
  }

  /** Passes over what has its length in front; gives where it begins. */
  #begin(): number {
    const length = this.#length()
    const start = this.#at
    this.#at = this.#after(length)
    return start
  }

  #after(length: number): number {
    const end = this.#at + length
    if (end > this.#bytes.length) throw new RangeError('a message that is cut off')
    return end
  }

  /** The next four bytes of an integer, or fewer at its end; where more follow, with the sign. */
  #group(): number {
    const bytes = this.#bytes
    let at = this.#at
    let byte = bytes[at++]!
    let value = byte & 127
    for (let shift = 7; byte > 127 && shift < 28; shift += 7) {
      byte = bytes[at++]!
      value |= (byte & 127) << shift
    }
    if (at > bytes.length) throw new RangeError('a message that is cut off')
    this.#at = at
    return byte > 127 ? value | SIGN : value
  }

  /** A number below 2^32. */
  #length(): number {
    const low = this.#group()
    if (low >= 0) return low
    return (low & MASK_28) + (this.#group() & 15) * TWO_28
  }
}
