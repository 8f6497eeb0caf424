import type { StoredObject } from './stored-object.ts'

/** One key and its newest version, which links to older ones. */
export interface Entry {
  readonly key: string
  head: StoredObject
}

const FULL = 512

/**
 * Entries in order of key, in chunks of up to 512, so that inserting moves little and a range read
 * walks arrays. Keys compare as JavaScript strings; they are ASCII.
 */
export class SortedIndex {
  #chunks: Entry[][] = []
  #byKey = new Map<string, Entry>()
  /** The chunk that was found last. */
  #last = 0

  get size(): number {
    return this.#byKey.size
  }

  get(key: string): Entry | undefined {
    return this.#byKey.get(key)
  }

  /** Adds an entry whose key is new. */
  add(entry: Entry): void {
    this.#byKey.set(entry.key, entry)
    this.#insert(entry)
  }

  /** Adds an entry unless there is one with its key; returns the one that is there then. */
  put(entry: Entry): Entry {
    const { key } = entry
    const before = this.#byKey.size
    this.#byKey.set(key, entry)
    if (this.#byKey.size > before) {
      this.#insert(entry)
      return entry
    }
    const chunk = this.#chunks[this.#chunkOf(key)]!
    const known = chunk[lowerBound(chunk, key)]!
    this.#byKey.set(key, known)
    return known
  }

  #insert(entry: Entry): void {
    const { key } = entry
    if (this.#chunks.length === 0) {
      this.#chunks.push([entry])
      return
    }
    const c = this.#chunkOf(key)
    const chunk = this.#chunks[c]!
    if (chunk.at(-1)!.key < key) {
      // Keys mostly come in order: leave this one full when growing at the end.
      if (chunk.length === FULL) this.#chunks.splice(c + 1, 0, [entry])
      else chunk.push(entry)
      return
    }
    chunk.splice(lowerBound(chunk, key), 0, entry)
    if (chunk.length > FULL) this.#chunks.splice(c + 1, 0, chunk.splice(FULL / 2))
  }

  remove(key: string): void {
    if (!this.#byKey.delete(key)) return
    const c = this.#chunkOf(key)
    const chunk = this.#chunks[c]!
    const i = lowerBound(chunk, key)
    if (chunk[i]?.key === key) chunk.splice(i, 1)
    if (chunk.length === 0) this.#chunks.splice(c, 1)
  }

  /** Entries with `prefix`, from `start` (a key) on, in order. The index must not change meanwhile. */
  *range(prefix: string, start = prefix): Generator<Entry> {
    for (const { chunk, from, to } of this.#stretches(prefix, start)) {
      for (let i = from; i < to; i++) yield chunk[i]!
    }
  }

  /** Calls `show` for the same entries until it returns false; cheaper than `range` for hundreds of entries. */
  visit(prefix: string, start: string | undefined, show: (entry: Entry) => boolean): void {
    for (const { chunk, from, to } of this.#stretches(prefix, start ?? prefix)) {
      for (let i = from; i < to; i++) if (!show(chunk[i]!)) return
    }
  }

  /** Number of entries with `prefix` after `key`; walks chunks, not entries. */
  countAfter(prefix: string, key: string): number {
    let count = 0
    for (const { chunk, from, to } of this.#stretches(prefix, key)) {
      count += to - from
      if (chunk[from]?.key === key) count--
    }
    return count
  }

  /** The parts of chunks that hold keys with `prefix` from `start` on. */
  *#stretches(
    prefix: string,
    start: string,
  ): Generator<{ readonly chunk: readonly Entry[]; readonly from: number; readonly to: number }> {
    const first = start > prefix ? start : prefix
    // The first key after the prefix: its last code unit raised by one.
    const end = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)
    let c = this.#chunkOf(first)
    let from = this.#chunks[c] ? lowerBound(this.#chunks[c]!, first) : 0
    for (let chunk = this.#chunks[c]; chunk; chunk = this.#chunks[++c]) {
      const isLast = chunk.at(-1)!.key >= end
      const to = isLast ? lowerBound(chunk, end) : chunk.length
      if (from < to) yield { chunk, from, to }
      if (isLast) return
      from = 0
    }
  }

  /** The chunk for the key, present or not. */
  #chunkOf(key: string): number {
    const chunks = this.#chunks
    // Keys that follow one another are near each other, and texts that were not looked at lately are slow to compare.
    const last = this.#last
    if (last < chunks.length && chunks[last]![0]!.key <= key)
      if (last + 1 === chunks.length || key < chunks[last + 1]![0]!.key) return last
    let low = 0
    let high = chunks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (chunks[middle]![0]!.key <= key) low = middle
      else high = middle - 1
    }
    return (this.#last = low)
  }
}

/** Position of the first entry whose key is not below `key`. */
export function lowerBound(chunk: readonly Entry[], key: string): number {
  let low = 0
  let high = chunk.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (chunk[middle]!.key < key) low = middle + 1
    else high = middle
  }
  return low
}
