import { randomInt, randomUUID } from 'node:crypto'

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

export const randomIds: Ids = {
  uid: () => randomUUID(),
  suffix: (length) => Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join(''),
  fraction: () => randomInt(2 ** 32) / 2 ** 32,
}
