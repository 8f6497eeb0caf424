import { randomFillSync } from 'node:crypto'

/** Characters of a UUID. */
const LENGTH = 36
const BYTES = 16
/** Made at a time: few, since a text that is kept keeps the others. */
const COUNT = 16
/** Random bytes fetched at a time. */
const FETCHED = 16 * COUNT * BYTES
/** Where its digits are; dashes are between them. */
const DIGIT_PLACES = [...'xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx'].flatMap((char, at) =>
  char === 'x' ? [at] : [],
)
const DIGITS = Buffer.from('0123456789abcdef')
const DASH = 0x2d

/**
 * Random UUIDs, version 4. Those of the platform are joined from twenty pieces when they are read first; these are slices of a
 * text.
 */
export class RandomUuids {
  readonly #random = Buffer.alloc(FETCHED)
  #used = FETCHED
  readonly #bytes = Buffer.alloc(COUNT * LENGTH, DASH)
  #text = ''
  #next = 0

  next(): string {
    if (this.#next === this.#text.length) this.#make()
    const from = this.#next
    this.#next += LENGTH
    return this.#text.slice(from, this.#next)
  }

  #make(): void {
    const random = this.#random
    if (this.#used === FETCHED) {
      randomFillSync(random)
      this.#used = 0
    }
    const bytes = this.#bytes
    for (let i = 0; i < COUNT; i++) {
      const from = this.#used
      this.#used += BYTES
      // Version and variant.
      random[from + 6] = (random[from + 6]! & 0x0f) | 0x40
      random[from + 8] = (random[from + 8]! & 0x3f) | 0x80
      const to = i * LENGTH
      for (let at = 0; at < BYTES; at++) {
        const byte = random[from + at]!
        bytes[to + DIGIT_PLACES[2 * at]!] = DIGITS[byte >> 4]!
        bytes[to + DIGIT_PLACES[2 * at + 1]!] = DIGITS[byte & 0x0f]!
      }
    }
    this.#text = bytes.toString('latin1')
    this.#next = 0
  }
}
