const FIRST_BYTES = 64 << 10

/**
 * Text that is put together as bytes. A document of metrics has ten thousands of lines that begin alike: each beginning is
 * encoded once, and copied.
 */
export class TextBuffer {
  #bytes: Buffer
  #at = 0

  constructor(expectedBytes = FIRST_BYTES) {
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(expectedBytes, FIRST_BYTES))
  }

  get length(): number {
    return this.#at
  }

  /** Adds a text. */
  text(text: string): void {
    // A UTF-16 unit is at most three bytes of UTF-8.
    this.#room(3 * text.length)
    this.#at += this.#bytes.write(text, this.#at)
  }

  /** Adds bytes that are there already. */
  copy(from: number, to: number): void {
    this.#room(to - from)
    this.#bytes.copyWithin(this.#at, from, to)
    this.#at += to - from
  }

  /** Adds bytes. */
  bytes(bytes: Uint8Array): void {
    this.#room(bytes.length)
    const target = this.#bytes
    let at = this.#at
    for (let i = 0; i < bytes.length; i++) target[at++] = bytes[i]!
    this.#at = at
  }

  /** Adds a whole number from 0 to 999,999 and a line feed. */
  count(value: number): void {
    this.#room(7)
    const target = this.#bytes
    let digits = 1
    for (let limit = 10; value >= limit; limit *= 10) digits++
    let rest = value
    for (let at = this.#at + digits - 1; at >= this.#at; at--) {
      const next = (rest / 10) | 0
      target[at] = 48 + rest - next * 10
      rest = next
    }
    this.#at += digits
    target[this.#at++] = 10
  }

  /** The text so far, in UTF-8. */
  done(): Buffer {
    return this.#bytes.subarray(0, this.#at)
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return
    const more = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, this.#at + bytes))
    this.#bytes.copy(more, 0, 0, this.#at)
    this.#bytes = more
  }
}
