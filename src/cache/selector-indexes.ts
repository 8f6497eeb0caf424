/**
 * Indexes of the objects of one resource by what selectors require of them. They only tell which objects may be
 * selected: the caller matches these as it would match all of them, so an index can make an answer faster, never
 * another one.
 */
import { Pace } from '../base/event-loop.ts'
import { Postings, sizeOf, visitPosting, type Posting } from './postings.ts'
import type { Entry, SortedIndex } from './sorted-index.ts'
import type { StoredObject } from './stored-object.ts'

/** What a selector requires: an attribute with one of these values. */
export interface Requirement {
  readonly attribute: Attribute
  readonly values: readonly string[]
}

/** A label, whether there is such a label (its value is then empty), a selectable field, or the name. */
export interface Attribute {
  readonly of: 'label' | 'hasLabel' | 'field' | 'name'
  /** Of the label or field. */
  readonly name: string
}

/** Objects that a list or an initial state of a watch is about. */
export interface Place {
  readonly prefix: string
  /** First key. */
  readonly start?: string | undefined
}

/** The memory that all indexes of a cache may take together. */
export class IndexBudget {
  readonly #mostBytes: number
  readonly #all = new Set<SelectorIndexes>()
  #uses = 0

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  /** False: there are no indexes. */
  get isOpen(): boolean {
    return this.#mostBytes > 0
  }

  /** Estimate of the memory that indexes take. */
  get bytes(): number {
    let bytes = 0
    for (const indexes of this.#all) bytes += indexes.bytes
    return bytes
  }

  /** Drops the indexes that were used longest ago, except one, until the rest fits; false when that one does not. */
  makeRoom(keep: SelectorIndex | null): boolean {
    for (;;) {
      if (this.bytes <= this.#mostBytes) return true
      const all = [...this.#all].flatMap(({ built }) => [...built])
      const oldest = leastUsed(all.filter((index) => index !== keep))
      if (oldest === null) return false
      for (const indexes of this.#all) indexes.drop(oldest)
    }
  }

  /** The number of a use: the index used longest ago has the lowest. */
  nextUse(): number {
    return ++this.#uses
  }

  join(indexes: SelectorIndexes): void {
    this.#all.add(indexes)
  }

  leave(indexes: SelectorIndexes): void {
    this.#all.delete(indexes)
  }
}

/** Fewer objects are examined as fast. */
const LEAST_OBJECTS = 256
/** A selector is selective when it chooses at most one of so many. */
const SELECTIVE = 8
/** An index is made when selectors examined so many times all objects for it. */
const WORTH = 2
/** Entries to index between two looks at the clock. */
const BATCH = 512
/** Indexes of one resource: each is one more to keep up to date. */
const MOST_INDEXES = 16
/** Most changes after an older revision that are examined beside the index. */
const MOST_CHANGES = 1024
/** An index that was not used in so many rounds of ageing is dropped: ten minutes. */
const IDLE_ROUNDS = 20

/** One index; entries up to a key are in it while it is made. */
export class SelectorIndex {
  readonly attribute: Attribute
  readonly postings = new Postings()
  /** Null: all. */
  upTo: string | null = ''
  lastUsed = 0
  idleRounds = 0

  constructor(attribute: Attribute) {
    this.attribute = attribute
  }

  add(entry: Entry): void {
    const value = valueOf(this.attribute, entry.head)
    if (value !== undefined) this.postings.add(value, entry)
  }

  remove(entry: Entry, version: StoredObject): void {
    const value = valueOf(this.attribute, version)
    if (value !== undefined) this.postings.remove(value, entry)
  }

  has(entry: Entry): boolean {
    return this.upTo === null || entry.key <= this.upTo
  }
}

function leastUsed(indexes: Iterable<SelectorIndex>): SelectorIndex | null {
  let oldest: SelectorIndex | null = null
  for (const index of indexes)
    if (oldest === null || index.lastUsed < oldest.lastUsed) oldest = index
  return oldest
}

/** The value of an attribute; undefined for none, which no requirement asks for. */
function valueOf({ of, name }: Attribute, version: StoredObject): string | undefined {
  if (version.deleted) return undefined
  if (of === 'name') return version.key.slice(version.key.lastIndexOf('/') + 1)
  const { labels, fields } = version.facts()
  // Names are user data: `__proto__` must not reach the prototype.
  const values = of === 'field' ? fields : labels
  if (!Object.hasOwn(values, name)) return undefined
  if (of === 'hasLabel') return ''
  const value = values[name]
  return of === 'field' && value === '' ? undefined : value
}

/** Where the entries and their changes are. */
export interface IndexedObjects {
  readonly prefix: string
  readonly retired: boolean
  readonly size: number
  readonly entries: SortedIndex
  changesAfter(from: number, limit: number): readonly StoredObject[] | null
}

/** The indexes of one resource. */
export class SelectorIndexes {
  readonly #objects: IndexedObjects
  readonly #budget: IndexBudget
  readonly #indexes = new Map<string, SelectorIndex>()
  /** Objects that were examined in vain for an attribute. */
  readonly #examined = new Map<string, number>()
  /** Sizes of the resource at which an index took too much memory. */
  readonly #refusedAt = new Map<string, number>()
  #making: Promise<void> | null = null
  #changes = 0

  constructor(objects: IndexedObjects, budget: IndexBudget) {
    this.#objects = objects
    this.#budget = budget
    budget.join(this)
  }

  /** Indexes, also those that are being made. */
  get built(): Iterable<SelectorIndex> {
    return this.#indexes.values()
  }

  get bytes(): number {
    let bytes = 0
    for (const { postings } of this.#indexes.values()) bytes += postings.bytes
    return bytes
  }

  /** Resolves when no index is being made. */
  async settled(): Promise<void> {
    while (this.#making) await this.#making
  }

  /** Whether there is anything to keep up to date. */
  get isEmpty(): boolean {
    return this.#indexes.size === 0
  }

  /**
   * Entries, in order of key, with every object that the requirements select at a revision, and perhaps others; null
   * when no index knows.
   */
  candidates(
    requirements: readonly Requirement[],
    place: Place,
    at: number,
  ): readonly Entry[] | null {
    if (this.#indexes.size === 0) return null
    let best: { index: SelectorIndex; found: readonly Posting[]; count: number } | null = null
    for (const { attribute, values } of requirements) {
      const index = this.#indexes.get(idOf(attribute))
      if (index === undefined || index.upTo !== null) continue
      const found = values.flatMap((value) => index.postings.get(value) ?? [])
      const count = found.reduce((sum, posting) => sum + sizeOf(posting), 0)
      if (best === null || count < best.count) best = { index, found, count }
    }
    if (best === null || best.count * 2 > this.#objects.size + LEAST_OBJECTS) return null
    const changes = this.#objects.changesAfter(at, MOST_CHANGES + 1)
    if (changes === null || changes.length > MOST_CHANGES) return null
    best.index.lastUsed = this.#budget.nextUse()
    best.index.idleRounds = 0
    return this.#collect(best.found, changes, place)
  }

  #collect(
    found: readonly Posting[],
    changes: readonly StoredObject[],
    place: Place,
  ): readonly Entry[] {
    const entries: Entry[] = []
    for (const posting of found)
      visitPosting(posting, place, (entry) => {
        entries.push(entry)
        return true
      })
    if (found.length < 2 && changes.length === 0) return entries
    // An index knows the newest versions; what has changed since may have been another then.
    const byKey = new Map(entries.map((entry) => [entry.key, entry]))
    for (const { key } of changes) {
      const entry = this.#objects.entries.get(key)
      if (entry && key.startsWith(place.prefix) && key >= (place.start ?? '')) byKey.set(key, entry)
    }
    return [...byKey.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
  }

  /** Takes note that objects were examined for requirements, and begins to make an index when that is worth it. */
  note(requirements: readonly Requirement[], examined: number, selected: number): void {
    const { size } = this.#objects
    if (size < LEAST_OBJECTS || examined < LEAST_OBJECTS || selected * SELECTIVE > examined) return
    for (const { attribute } of requirements) {
      const id = idOf(attribute)
      if (this.#indexes.has(id) || size < 2 * (this.#refusedAt.get(id) ?? 0)) continue
      const sum = (this.#examined.get(id) ?? 0) + examined
      if (sum < WORTH * size) {
        // Names come from users.
        if (this.#examined.size < MOST_NOTED || this.#examined.has(id)) this.#examined.set(id, sum)
        continue
      }
      this.#examined.delete(id)
      this.#refusedAt.delete(id)
      const index = new SelectorIndex(attribute)
      index.lastUsed = this.#budget.nextUse()
      if (this.#indexes.size >= MOST_INDEXES) this.drop(leastUsed(this.#indexes.values())!)
      this.#indexes.set(id, index)
      this.#making = (this.#making ?? Promise.resolve()).then(() => this.#make(index))
      const making = this.#making
      void making.then(() => {
        if (this.#making === making) this.#making = null
      })
    }
  }

  /** Adds all entries to an index, while others are served and entries change. */
  async #make(index: SelectorIndex): Promise<void> {
    const { prefix, entries } = this.#objects
    const pace = new Pace()
    for (;;) {
      if (this.#objects.retired || this.#indexes.get(idOf(index.attribute)) !== index) return
      let left = BATCH
      let isWhole = true
      const from = index.upTo === '' ? undefined : `${index.upTo ?? ''}\0`
      entries.visit(prefix, from, (entry) => {
        if (left-- === 0) return (isWhole = false)
        if (entry.head.fault !== null) {
          this.drop(index)
          return false
        }
        index.add(entry)
        index.upTo = entry.key
        return true
      })
      if (isWhole) index.upTo = null
      if (!this.#budget.makeRoom(index)) {
        this.#refusedAt.set(idOf(index.attribute), this.#objects.size)
        this.drop(index)
        return
      }
      if (isWhole) return
      const pause = pace.pause()
      if (pause) await pause
    }
  }

  /** An entry has a new version, which is its head now. */
  changed(entry: Entry, prev: StoredObject | null): void {
    const { head } = entry
    // Selections fail where an object cannot be read, so all of them must be examined.
    if (head.fault !== null || (prev !== null && prev.fault !== null)) return this.#dropAll()
    const isPresent = !head.deleted
    const wasPresent = prev !== null && !prev.deleted
    if (isPresent && wasPresent && head.hasSelectorsOf(prev)) return
    for (const index of this.#indexes.values()) {
      if (!index.has(entry)) continue
      if (wasPresent) index.remove(entry, prev)
      if (isPresent) index.add(entry)
    }
    if (++this.#changes % CHECKED_EVERY === 0) this.#budget.makeRoom(null)
  }

  /** A round of ageing: drops unused indexes, and forgets selections that were not repeated. */
  age(): void {
    for (const index of this.#indexes.values()) {
      index.idleRounds++
      if (index.upTo === null && index.idleRounds > IDLE_ROUNDS) this.drop(index)
    }
    for (const [id, sum] of this.#examined) {
      if (sum < LEAST_OBJECTS) this.#examined.delete(id)
      else this.#examined.set(id, sum / 2)
    }
  }

  drop(index: SelectorIndex): void {
    const id = idOf(index.attribute)
    if (this.#indexes.get(id) === index) this.#indexes.delete(id)
  }

  /** The resource cache is gone. */
  retire(): void {
    this.#dropAll()
    this.#budget.leave(this)
  }

  #dropAll(): void {
    this.#indexes.clear()
    this.#examined.clear()
  }
}

/** Changes between two looks at the memory that indexes take. */
const CHECKED_EVERY = 256

/** Attributes whose examinations are counted at most. */
const MOST_NOTED = 256

const idOf = ({ of, name }: Attribute): string => `${of} ${name}`
