import { randomFillSync, randomInt } from 'node:crypto'

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

const UUID_CHARS = 36
const BATCH = 128
const DIGITS = Buffer.from('0123456789abcdef', 'latin1')
const HYPHEN = 0x2d

let batch = ''
let next = 0

/** A random version 4 UUID (RFC 4122, section 4.4). Made by the hundred, since every request takes one. */
export function randomUuid(): string {
  if (next === batch.length) {
    batch = uuids(BATCH)
    next = 0
  }
  return batch.slice(next, (next += UUID_CHARS))
}

function uuids(count: number): string {
  const random = randomFillSync(Buffer.allocUnsafe(count * 16))
  const text = Buffer.allocUnsafe(count * UUID_CHARS)
  let at = 0
  for (let i = 0; i < random.length; i++) {
    const place = i & 15
    if (place === 4 || place === 6 || place === 8 || place === 10) text[at++] = HYPHEN
    let byte = random[i]!
    if (place === 6) byte = (byte & 0x0f) | 0x40
    else if (place === 8) byte = (byte & 0x3f) | 0x80
    text[at++] = DIGITS[byte >> 4]!
    text[at++] = DIGITS[byte & 15]!
  }
  return text.toString('latin1')
}

export const randomIds: Ids = {
  uid: randomUuid,
  suffix: (length) => Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join(''),
  fraction: () => randomInt(2 ** 32) / 2 ** 32,
}
