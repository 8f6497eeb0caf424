import type { Event, Revision } from '../engine/engine.ts'
import { SelectorIndexes, type IndexBudget, type Requirement } from './selector-indexes.ts'
import type { Slabs } from './slab.ts'
import { SortedIndex, type Entry } from './sorted-index.ts'
import type { StorageForm } from './storage-form.ts'
import { StoredObject } from './stored-object.ts'

/** Number of changes among which one of the last is looked for. */
const LATELY = 256

/**
 * All objects of one resource in memory: newest versions by key, older ones behind them for the
 * history window, and the log of changes in order of revision.
 */
export class ResourceCache {
  readonly prefix: string
  readonly #index = new SortedIndex()
  readonly #slabs: Slabs
  /** The form that its objects are converted to; null: no conversion. */
  readonly form: StorageForm | null
  /** Set when the WatchCache has dropped it: it gets no further changes. Versions read from it remain usable. */
  retired = false
  /** Changes in order; the first `#cut` entries are discarded. */
  #log: StoredObject[] = []
  #cut = 0
  /** Bytes of versions that only history retains. */
  historyBytes = 0
  /** The oldest revision whose state, and the changes after it, are available. */
  floor: Revision
  #present = 0
  /** Indexes that selections use; null: none are made. */
  readonly indexes: SelectorIndexes | null

  constructor(
    prefix: string,
    floor: Revision,
    slabs: Slabs,
    {
      form = null,
      indexes = null,
    }: { form?: StorageForm | null; indexes?: IndexBudget | null } = {},
  ) {
    this.prefix = prefix
    this.floor = floor
    this.#slabs = slabs
    this.form = form
    this.indexes = indexes?.isOpen === true ? new SelectorIndexes(this, indexes) : null
  }

  /** The newest versions by key. */
  get entries(): SortedIndex {
    return this.#index
  }

  /**
   * Number of objects under `prefix` after `key` at revision `at`, when that is known without looking at them: nothing
   * has changed since, and there are no tombstones. Otherwise undefined.
   */
  countAfter(prefix: string, key: string, at: Revision): number | undefined {
    const last = this.#log.at(-1)
    if (last && last.revision > at && this.#log.length > this.#cut) return undefined
    if (this.#index.size !== this.#present) return undefined
    return this.#index.countAfter(prefix, key)
  }

  /** Number of changes that are kept. */
  get changes(): number {
    return this.#log.length - this.#cut
  }

  /** Number of objects now. */
  get size(): number {
    return this.#present
  }

  /** Adds an object in its state at the floor, while the resource cache is filled. */
  load(key: string, value: Uint8Array, created: Revision, changed: Revision): void {
    const at = { key, revision: changed, created, prev: null }
    const head = StoredObject.of(value, at, this.#slabs, this.form)
    this.#index.add({ key, head })
    this.#present++
  }

  /** Applies one change; revisions must not fall. Null when there was nothing to delete. */
  apply({ key, value, at: revision, created }: Event): StoredObject | null {
    if (value === null) return this.#delete(key, revision)
    const at = { key, revision, created, prev: null }
    const version = StoredObject.of(value, at, this.#slabs, this.form)
    // A key that is new is looked up once, while it is added: each look at many keys waits for memory.
    let entry = created === revision ? undefined : this.#index.get(key)
    let prev = entry?.head ?? null
    if (!entry) {
      entry = this.#index.put({ key, head: version })
      if (entry.head !== version) prev = entry.head
    }
    if (prev === null || prev.deleted) this.#present++
    this.#follow(entry, version, prev)
    return version
  }

  #delete(key: string, revision: Revision): StoredObject | null {
    const entry = this.#index.get(key)
    if (!entry || entry.head.deleted) return null
    const prev = entry.head
    const version = StoredObject.tombstone(key, revision, prev)
    this.#present--
    this.#follow(entry, version, prev)
    return version
  }

  /** Makes a version the newest of an entry; null: it is the first. */
  #follow(entry: Entry, version: StoredObject, prev: StoredObject | null): void {
    if (prev !== null) {
      version.prev = prev
      entry.head = version
      this.historyBytes += prev.bytes
    }
    if (this.indexes?.isEmpty === false) this.indexes.changed(entry, prev)
    this.#log.push(version)
  }

  /** The object now; null when absent. */
  get(key: string): StoredObject | null {
    const head = this.#index.get(key)?.head
    return head && !head.deleted ? head : null
  }

  /** The object that one of the last changes has written; null when it has to be looked for. */
  writtenAt(key: string, at: Revision): StoredObject | null {
    const log = this.#log
    // Writers ask at once. What was added just now is in the caches of the processor, unlike the index of many keys.
    for (let i = this.#after(at - 1, log.length - LATELY); i < log.length; i++) {
      const version = log[i]!
      if (version.revision !== at) return null
      if (version.key === key) return version.deleted ? null : version
    }
    return null
  }

  /** The object at a revision not below the floor; null when absent then. */
  getAt(key: string, at: Revision): StoredObject | null {
    let version: StoredObject | null = this.#index.get(key)?.head ?? null
    while (version && version.revision > at) version = version.prev
    return version && !version.deleted ? version : null
  }

  /** Objects under `prefix` from key `start` on, in order of key, at the latest or an older revision. */
  *range(prefix: string, options: { start?: string; at?: Revision } = {}): Generator<StoredObject> {
    const at = options.at ?? Infinity
    for (const entry of this.#index.range(prefix, options.start)) {
      let version: StoredObject | null = entry.head
      while (version && version.revision > at) version = version.prev
      if (version && !version.deleted) yield version
    }
  }

  /** The first `most` of the same at once; cheaper than `range` for hundreds of objects. */
  collect(
    prefix: string,
    {
      start,
      at = Infinity,
      most = Infinity,
    }: { start?: string; at?: Revision; most?: number } = {},
  ): StoredObject[] {
    const versions: StoredObject[] = []
    this.#index.visit(prefix, start, ({ head }) => {
      let version: StoredObject | null = head
      while (version && version.revision > at) version = version.prev
      if (version && !version.deleted) versions.push(version)
      return versions.length < most
    })
    return versions
  }

  /**
   * The objects that requirements select at a revision not below the floor, among perhaps others, as `collect` has
   * them; null when no index knows.
   */
  among(
    requirements: readonly Requirement[],
    prefix: string,
    { start, at = Infinity }: { start?: string; at?: Revision } = {},
  ): StoredObject[] | null {
    const entries = this.indexes?.candidates(requirements, { prefix, start }, at) ?? null
    if (entries === null) return null
    const versions: StoredObject[] = []
    for (const { head } of entries) {
      let version: StoredObject | null = head
      while (version && version.revision > at) version = version.prev
      if (version && !version.deleted) versions.push(version)
    }
    return versions
  }

  /**
   * Changes after `from`, oldest first, starting at position `index` of an earlier call: `next` is the position to
   * continue from. Returns null when `from` is below the floor.
   */
  changesAfter(from: Revision, limit: number): readonly StoredObject[] | null {
    if (from < this.floor) return null
    const low = this.#after(from)
    let end = Math.min(low + limit, this.#log.length)
    // A transaction is returned whole, so that a position is always a revision.
    while (
      end > low &&
      end < this.#log.length &&
      this.#log[end]!.revision === this.#log[end - 1]!.revision
    )
      end++
    return this.#log.slice(low, end)
  }

  /** Position of the first change after a revision, among those from a position on. */
  #after(from: Revision, start = 0): number {
    let low = Math.max(this.#cut, start)
    let high = this.#log.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#log[middle]!.revision <= from) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Discards states below `upTo`, and older ones while history still holds more than `maxBytes`. */
  trim(upTo: Revision, maxBytes: number): void {
    while (this.#cut < this.#log.length) {
      const version = this.#log[this.#cut]!
      if (version.revision > upTo && this.historyBytes <= maxBytes) break
      this.#cut++
      this.floor = Math.max(this.floor, version.revision)
      const { prev } = version
      if (prev) {
        this.historyBytes -= prev.bytes
        this.#slabs.release(prev)
        // A tombstone still shows the deleted object to those that hold it; the resource cache drops it.
        if (version.deleted) this.#dropTombstone(version)
        else version.prev = null
      }
    }
    if (this.#cut > 1024 && this.#cut * 2 > this.#log.length) {
      this.#log = this.#log.slice(this.#cut)
      this.#cut = 0
    }
  }

  /** Discards all history before `upTo`, which is not newer than the newest change. */
  forget(upTo: Revision): void {
    this.trim(upTo, Infinity)
    this.floor = Math.max(this.floor, upTo)
  }

  /** Releases the memory of all versions; it lives on as long as a version is referenced. */
  retire(): void {
    this.retired = true
    this.#index.visit(this.prefix, undefined, ({ head }) => {
      for (let one: StoredObject | null = head; one; one = one.prev) this.#slabs.release(one)
      return true
    })
    this.historyBytes = 0
    this.indexes?.retire()
  }

  #dropTombstone(version: StoredObject): void {
    const entry = this.#index.get(version.key)
    if (entry?.head === version) this.#index.remove(version.key)
    else if (entry) {
      let newer = entry.head
      while (newer.prev && newer.prev !== version) newer = newer.prev
      newer.prev = null
    }
  }
}
