/** Hashes of pod templates and revisions, which become parts of names and values of labels. */
import { canonicalJson } from './canonical-json.ts'

/** Letters that spell nothing; the hash is written with those of its decimal digits. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'
const OFFSET = 0x811c9dc5
const PRIME = 0x01000193

/** FNV-1a of 32 bits. */
function fnv1a(bytes: Uint8Array, seed = OFFSET): number {
  let hash = seed
  for (const byte of bytes) hash = Math.imul(hash ^ byte, PRIME)
  return hash >>> 0
}

/** FNV-1 of 32 bits. */
function fnv1(bytes: Uint8Array, seed = OFFSET): number {
  let hash = seed
  for (const byte of bytes) hash = Math.imul(hash, PRIME) ^ byte
  return hash >>> 0
}

/** A number in letters: at most ten. */
const inLetters = (hash: number): string =>
  Array.from(String(hash), (digit) => ALPHABET[digit.charCodeAt(0) % ALPHABET.length]).join('')

/**
 * The hash of a pod template: the same for templates that mean the same, another one with another number of collisions.
 * The reference hashes a text of its own data structures; no client compares hashes that were made elsewhere.
 */
export function templateHash(template: object, collisions: number | undefined): string {
  const hash = fnv1a(Buffer.from(canonicalJson(template)))
  if (collisions === undefined) return inLetters(hash)
  const count = Buffer.alloc(8)
  count.writeInt32LE(collisions)
  return inLetters(fnv1a(count, hash))
}

/** The hash of the data of a revision. */
export const revisionHash = (data: string, collisions: number): string =>
  inLetters(fnv1(Buffer.from(`${data}${collisions}`)))
