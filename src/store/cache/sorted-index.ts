import type { Version } from './version.ts'

/** One key and its newest version; older ones hang behind it. */
export interface Entry {
  readonly key: string
  head: Version
}

const FULL = 512

/**
 * Entries in order of key, in chunks of up to 512, so that inserting moves little and a range read
 * walks arrays. Keys compare as JavaScript strings; they are ASCII.
 */
export class SortedIndex {
  #chunks: Entry[][] = []
  #byKey = new Map<string, Entry>()

  get size(): number {
    return this.#byKey.size
  }

  get(key: string): Entry | undefined {
    return this.#byKey.get(key)
  }

  /** Adds an entry whose key is new. */
  add(entry: Entry): void {
    this.#byKey.set(entry.key, entry)
    if (this.#chunks.length === 0) {
      this.#chunks.push([entry])
      return
    }
    const c = this.#chunkOf(entry.key)
    const chunk = this.#chunks[c]!
    const i = lowerBound(chunk, entry.key)
    chunk.splice(i, 0, entry)
    if (chunk.length > FULL) {
      // Keys mostly come in order: leave the left half full when growing at the end.
      const cut = i === chunk.length - 1 ? FULL : FULL / 2
      this.#chunks.splice(c + 1, 0, chunk.splice(cut))
    }
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
    const from = start > prefix ? start : prefix
    let c = this.#chunkOf(from)
    let chunk = this.#chunks[c]
    let i = chunk ? lowerBound(chunk, from) : 0
    while (chunk) {
      for (; i < chunk.length; i++) {
        const entry = chunk[i]!
        if (!entry.key.startsWith(prefix)) {
          if (entry.key > prefix) return
          continue
        }
        yield entry
      }
      i = 0
      chunk = this.#chunks[++c]
    }
  }

  /** Number of entries with `prefix` behind `key`; walks chunks, not entries. */
  countAfter(prefix: string, key: string): number {
    let c = this.#chunkOf(key)
    const first = this.#chunks[c]
    if (!first) return 0
    // What follows the prefix in order: its last code unit raised by one.
    const end = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)
    let count = -upperBound(first, key)
    for (let chunk: Entry[] | undefined = first; chunk; chunk = this.#chunks[++c]) {
      if (chunk.at(-1)!.key >= end) return count + lowerBound(chunk, end)
      count += chunk.length
    }
    return count
  }

  /** The chunk that holds the key or would. */
  #chunkOf(key: string): number {
    let low = 0
    let high = this.#chunks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#chunks[middle]![0]!.key <= key) low = middle
      else high = middle - 1
    }
    return low
  }
}

/** Index of the first entry behind the key. */
function upperBound(chunk: readonly Entry[], key: string): number {
  const at = lowerBound(chunk, key)
  return chunk[at]?.key === key ? at + 1 : at
}

function lowerBound(chunk: readonly Entry[], key: string): number {
  let low = 0
  let high = chunk.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (chunk[middle]!.key < key) low = middle + 1
    else high = middle
  }
  return low
}
