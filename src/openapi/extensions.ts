import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { wireNames } from '../vocabulary/wire-names.ts'
import type { Json } from './document.ts'

/**
 * An extension under all keys that clients look for: requests for documents do not reveal the vocabulary of the client.
 */
export const extension = (v: Vocabulary, word: string, value: unknown): Json =>
  Object.fromEntries(wireNames(v, `x-{brand}-${word}`).map((key) => [key, value]))
