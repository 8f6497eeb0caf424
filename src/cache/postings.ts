import { lowerBound, SortedIndex, type Entry } from './sorted-index.ts'

/**
 * Entries with one value, in order of key. Most values belong to one object or to few, so these take one reference, or
 * an array; many are in chunks.
 */
export type Posting = Entry | Entry[] | SortedIndex

const MOST_IN_ARRAY = 64

// Estimates: a slot of a hash table with the text of the value, a slot of an array, a place in both parts of an index.
const VALUE_BYTES = 64
const SLOT_BYTES = 12
const INDEXED_BYTES = 64

/** Number of entries of a posting. */
export const sizeOf = (posting: Posting): number =>
  Array.isArray(posting) ? posting.length : posting instanceof SortedIndex ? posting.size : 1

/** Entries by value. */
export class Postings {
  readonly #byValue = new Map<string, Posting>()
  /** Estimate of the memory that they take. */
  bytes = 0

  get(value: string): Posting | undefined {
    return this.#byValue.get(value)
  }

  /** Adds an entry that is not there. */
  add(value: string, entry: Entry): void {
    const posting = this.#byValue.get(value)
    if (posting === undefined) {
      this.#byValue.set(value, entry)
      this.bytes += VALUE_BYTES + 2 * value.length
    } else if (posting instanceof SortedIndex) {
      posting.add(entry)
      this.bytes += INDEXED_BYTES
    } else if (!Array.isArray(posting)) {
      this.#byValue.set(value, posting.key < entry.key ? [posting, entry] : [entry, posting])
      this.bytes += 2 * SLOT_BYTES
    } else if (posting.length < MOST_IN_ARRAY) {
      posting.splice(lowerBound(posting, entry.key), 0, entry)
      this.bytes += SLOT_BYTES
    } else {
      const many = new SortedIndex()
      for (const one of posting) many.add(one)
      many.add(entry)
      this.#byValue.set(value, many)
      this.bytes += INDEXED_BYTES * many.size - SLOT_BYTES * posting.length
    }
  }

  /** Removes an entry that is there. */
  remove(value: string, { key }: Entry): void {
    const posting = this.#byValue.get(value)
    if (posting === undefined) return
    if (posting instanceof SortedIndex) {
      posting.remove(key)
      this.bytes -= INDEXED_BYTES
      if (posting.size > 0) return
    } else if (Array.isArray(posting)) {
      const i = lowerBound(posting, key)
      if (posting[i]?.key === key) posting.splice(i, 1)
      this.bytes -= SLOT_BYTES
      if (posting.length > 0) return
    }
    this.#byValue.delete(value)
    this.bytes -= VALUE_BYTES + 2 * value.length
  }
}

/** Calls `show` for the entries with a prefix, from `start` on, until it returns false. */
export function visitPosting(
  posting: Posting,
  { prefix, start = prefix }: { readonly prefix: string; readonly start?: string | undefined },
  show: (entry: Entry) => boolean,
): void {
  if (posting instanceof SortedIndex) return posting.visit(prefix, start, show)
  const entries = Array.isArray(posting) ? posting : [posting]
  for (let i = lowerBound(entries, start > prefix ? start : prefix); i < entries.length; i++) {
    const entry = entries[i]!
    if (!entry.key.startsWith(prefix) || !show(entry)) return
  }
}
