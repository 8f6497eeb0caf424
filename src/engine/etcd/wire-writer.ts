/**
 * Messages of protocol buffers, written from their end to their beginning: what has its length in front is there before
 * the length is written, so nothing is measured first and there are no objects for the parts. One piece of memory is
 * used for all messages.
 */

const VARINT = 0
const BYTES = 2
const FIRST_BYTES = 16 << 10
/** Memory that is kept between messages; a larger message has its own. */
const KEPT_BYTES = 1 << 20
/** Most bytes of a tag with a length or number behind it. */
const MAX_HEAD = 20
/** Units of a text up to which a loop is faster than native code. */
const MAX_ASCII = 128
const TWO_32 = 2 ** 32

/** Writes one message at a time; the last field comes first. */
export class WireWriter {
  #memory = Buffer.allocUnsafeSlow(FIRST_BYTES)
  /** Where what is written begins. */
  #at = FIRST_BYTES

  /** Begins a message. One that was not finished, since its writer threw, is lost. */
  begin(): void {
    this.#at = this.#memory.length
  }

  /** Bytes that are written: what comes after the next field. */
  get written(): number {
    return this.#memory.length - this.#at
  }

  /** Takes what is written since `written` was `since` as the value of a field. */
  message(field: number, since: number): void {
    this.#room(MAX_HEAD)
    this.#small(this.written - since)
    this.#small((field << 3) | BYTES)
  }

  bytes(field: number, value: Uint8Array): void {
    this.#room(value.length + MAX_HEAD)
    this.#at -= value.length
    this.#memory.set(value, this.#at)
    this.#small(value.length)
    this.#small((field << 3) | BYTES)
  }

  /** A text, as UTF-8. */
  text(field: number, value: string): void {
    // Of three bytes for each unit at most.
    this.#room(value.length * 3 + MAX_HEAD)
    const length = this.#ascii(value) ? value.length : this.#utf8(value)
    this.#small(length)
    this.#small((field << 3) | BYTES)
  }

  /** Writes a text if it is of ASCII and as short as keys are. */
  #ascii(value: string): boolean {
    if (value.length > MAX_ASCII) return false
    const memory = this.#memory
    let at = this.#at
    for (let i = value.length - 1; i >= 0; i--) {
      const unit = value.charCodeAt(i)
      if (unit > 127) return false
      memory[--at] = unit
    }
    this.#at = at
    return true
  }

  #utf8(value: string): number {
    const length = Buffer.byteLength(value)
    this.#at -= length
    this.#memory.write(value, this.#at, length)
    return length
  }

  /** An integer that is not negative, also one beyond 32 bits. */
  number(field: number, value: number): void {
    this.#room(MAX_HEAD)
    if (value < 0x8000_0000) this.#small(value)
    else this.#wide(Math.floor(value / TWO_32), value >>> 0)
    this.#small((field << 3) | VARINT)
  }

  /** A 64-bit integer in decimal, such as the name of a lease. */
  decimal(field: number, value: string): void {
    this.#room(MAX_HEAD)
    const wide = BigInt.asUintN(64, BigInt(value))
    this.#wide(Number(wide >> 32n), Number(wide & 0xffff_ffffn))
    this.#small((field << 3) | VARINT)
  }

  flag(field: number): void {
    this.number(field, 1)
  }

  /** The message, in memory of its own. */
  finish(): Buffer {
    const done = Buffer.allocUnsafe(this.written)
    this.#memory.copy(done, 0, this.#at)
    if (this.#memory.length > KEPT_BYTES) this.#memory = Buffer.allocUnsafeSlow(FIRST_BYTES)
    this.begin()
    return done
  }

  /** An integer below 2^31. */
  #small(value: number): void {
    const memory = this.#memory
    if (value < 128) {
      memory[--this.#at] = value
      return
    }
    let bytes = 1
    for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes++
    let at = (this.#at -= bytes)
    for (; value > 127; value >>>= 7) memory[at++] = (value & 127) | 128
    memory[at] = value
  }

  #wide(high: number, low: number): void {
    const memory = this.#memory
    const groups: number[] = []
    while (high > 0 || low > 127) {
      groups.push((low & 127) | 128)
      low = ((low >>> 7) | (high << 25)) >>> 0
      high >>>= 7
    }
    groups.push(low)
    this.#at -= groups.length
    for (let i = 0; i < groups.length; i++) memory[this.#at + i] = groups[i]!
  }

  #room(bytes: number): void {
    if (bytes <= this.#at) return
    const { written } = this
    const size = Math.max(this.#memory.length * 2, written + bytes)
    const memory = Buffer.allocUnsafeSlow(size)
    this.#memory.copy(memory, size - written, this.#at)
    this.#memory = memory
    this.#at = size - written
  }
}
