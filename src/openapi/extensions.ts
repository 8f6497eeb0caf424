import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { wireNames } from '../vocabulary/wire-names.ts'
import type { Json } from './document.ts'

/** An extension under each key that clients look for it: requests for documents do not say whose keys they mean. */
export const extension = (v: Vocabulary, word: string, value: unknown): Json =>
  Object.fromEntries(wireNames(v, `x-{brand}-${word}`).map((key) => [key, value]))
