import { randomFillSync, randomInt, randomUUID } from 'node:crypto'

/** Source of identifiers; injected so that tests can foresee them. */
export interface Ids {
  /** A random version 4 UUID. */
  uid(): string
  /** `length` characters that may end a generated name (generateName). */
  suffix(length: number): string
  /** A number from 0 (inclusive) to 1 (exclusive), for jitter. */
  fraction(): number
}

// No vowels and no look-alikes, so that generated names spell nothing.
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'

/** Random bytes that are read at once. */
const POOL = 1024
/** Bytes from here on would make the first letters more likely. */
const FAIR = 256 - (256 % ALPHABET.length)

/** Letters of random bytes, of which many are read at once. */
class RandomLetters {
  readonly #bytes = new Uint8Array(POOL)
  #at = POOL

  take(length: number): string {
    let text = ''
    while (text.length < length) {
      if (this.#at === POOL) {
        randomFillSync(this.#bytes)
        this.#at = 0
      }
      const byte = this.#bytes[this.#at++]!
      if (byte < FAIR) text += ALPHABET[byte % ALPHABET.length]
    }
    return text
  }
}

const letters = new RandomLetters()

export const randomIds: Ids = {
  uid: () => randomUUID(),
  suffix: (length) => letters.take(length),
  fraction: () => randomInt(2 ** 32) / 2 ** 32,
}
