import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { open, type RootDatabase } from 'lmdb'
import type { Clock } from '../../base/clock.ts'
import { Sweep, type TimeToLive } from '../expiry.ts'
import {
  Compacted,
  FutureRevision,
  UnusableDataDir,
  type Change,
  type Commit,
  type Engine,
  type Event,
  type Item,
  type Page,
  type RangeOptions,
  type Revision,
} from '../store.ts'
import { checkDataFile } from './data-file.ts'
import { LmdbExpiries, type StoredExpiry } from './expiries.ts'
import {
  DATA_FILE,
  databases,
  FORMAT_VERSION,
  MAX_KEY_BYTES,
  META,
  openOptions,
  readFormat,
  readRevisions,
  unusable,
  type Bytes,
  type Databases,
} from './layout.ts'
import { lockDir } from './lock.ts'
import { checkSpace, spaceFor } from './space.ts'
import {
  decodeHead,
  decodeValue,
  encodeHead,
  encodeValue,
  placeKey,
  readPlaceKey,
  type Head,
  type Place,
  type ValueRecord,
} from './value-record.ts'
import { verifyStore, type Verify } from './verify.ts'

export interface LmdbOptions {
  /** Directory of the store, made when absent. */
  readonly dir: string
  readonly clock: Clock
  /** Words that the data depends on, such as the vocabulary: a store made with others is refused. */
  readonly format?: Readonly<Record<string, string>>
  /** What is checked before anything is served; by default what was written last. */
  readonly verify?: Verify
  /** How long keys live; without it none goes by itself, and what was recorded waits. */
  readonly ttlMs?: TimeToLive | undefined
}

/** What one transaction of a compaction reads at most, so that it holds up nobody for long. */
const COMPACT_BATCH = 256
const COMPACT_BYTES = 1 << 20
const CHANGES_BATCH = 500

/** What compaction needs to know of a change. */
type Superseding = Pick<ValueRecord, 'deleted' | 'prev' | 'key'>

interface Waiting {
  readonly changes: readonly Change[]
  readonly resolve: (commit: Commit) => void
  readonly reject: (error: unknown) => void
}

/** Opens the embedded durable store. Throws UnusableDataDir. */
export async function openLmdb(options: LmdbOptions): Promise<Engine> {
  const { dir } = options
  const unlock = lockDir(dir)
  try {
    const path = join(dir, DATA_FILE)
    const known = existsSync(path)
    await checkDataFile(dir)
    if (!known && readdirSync(dir).some((name) => name !== 'lock')) {
      throw new UnusableDataDir(
        `directory ${dir} holds other files; choose an empty one with --data-dir`,
      )
    }
    const root = open(openOptions(path))
    try {
      const engine = new LmdbEngine(root, options, unlock)
      await engine.prepare(known)
      return engine
    } catch (error) {
      await root.close()
      throw error
    }
  } catch (error) {
    unlock()
    throw unusable(`data directory ${dir} cannot be opened`, error)
  }
}

class LmdbEngine implements Engine {
  readonly name = 'lmdb'
  readonly #root: RootDatabase<Buffer, Buffer>
  readonly #stores: Databases
  readonly #values: Bytes
  readonly #heads: Bytes
  readonly #meta: Bytes
  readonly #clock: Clock
  readonly #options: LmdbOptions
  readonly #unlock: () => void
  #revision: Revision = 0
  #oldest: Revision = 0
  /** Last revision given out inside the transaction that runs. */
  #next: Revision = 0
  /** When the first key goes that was written inside it. */
  #soonest = Infinity
  readonly #listeners = new Set<(events: readonly Event[]) => void>()
  #waiting: Waiting[] = []
  #flushing: Promise<void> | null = null
  #compacting: Promise<void> = Promise.resolve()
  #closed: Promise<void> | null = null
  readonly #expiries: LmdbExpiries | null
  #sweep: Sweep<StoredExpiry> | null = null

  constructor(root: RootDatabase, options: LmdbOptions, unlock: () => void) {
    this.#root = root as RootDatabase<Buffer, Buffer>
    this.#stores = databases(this.#root)
    this.#values = this.#stores.values
    this.#heads = this.#stores.heads
    this.#meta = this.#stores.meta
    this.#options = options
    this.#clock = options.clock
    this.#unlock = unlock
    const { ttlMs } = options
    this.#expiries =
      ttlMs === undefined
        ? null
        : new LmdbExpiries(this.#stores, (work) => this.#transact(work), ttlMs)
  }

  /** Checks or writes the format, looks for damage and finds the newest revision. */
  async prepare(known: boolean): Promise<void> {
    const wanted: Record<string, string> = { version: FORMAT_VERSION, ...this.#options.format }
    const found = readFormat(this.#meta, this.#options.dir)
    if (found === null) {
      if (known && this.#values.getKeysCount({ limit: 1 }) > 0) {
        throw new UnusableDataDir(
          `data directory ${this.#options.dir} has no format mark; it was not made by this program`,
        )
      }
      await this.#transact(() => {
        this.#meta.putSync(META.format, Buffer.from(JSON.stringify(wanted)))
      })
    } else {
      for (const [name, value] of Object.entries(wanted)) {
        if (found[name] === value) continue
        throw new UnusableDataDir(
          name === 'version'
            ? `data directory ${this.#options.dir} has format ${found[name] ?? 'unknown'}, this program reads format ${value}`
            : `data directory ${this.#options.dir} was made with ${name} ${found[name] ?? 'unknown'}, not ${value}; start with --${name} ${found[name] ?? ''} or choose another with --data-dir`,
        )
      }
    }
    verifyStore(this.#stores, this.#options.dir, this.#options.verify ?? 'newest')
    const { oldest, revision } = readRevisions(this.#stores)
    this.#oldest = oldest
    this.#revision = revision
    await this.#prepareExpiry()
  }

  async #prepareExpiry(): Promise<void> {
    if (this.#expiries) {
      await this.#expiries.adopt(this.#clock.now())
      this.#sweep = new Sweep(this.#clock, this, this.#expiries)
    } else if (this.#meta.get(META.expiring) !== undefined) {
      // Who records again must look at what is written from now on.
      await this.#transact(() => this.#meta.removeSync(META.expiring))
    }
  }

  revision(): Revision {
    return this.#revision
  }
  oldest(): Revision {
    return this.#oldest
  }

  commit(changes: readonly Change[]): Promise<Commit> {
    if (this.#closed) return Promise.reject(new Error('the store is closed'))
    // Refused here: an error inside the shared transaction would leave the batch half written.
    const bad = changes.find(({ key }) => key === '' || Buffer.byteLength(key) > MAX_KEY_BYTES)
    if (bad)
      return Promise.reject(
        new Error(`a key has 1 to ${MAX_KEY_BYTES} bytes, not ${Buffer.byteLength(bad.key)}`),
      )
    return new Promise((resolve, reject) => {
      this.#waiting.push({ changes, resolve, reject })
      this.#flushing ??= this.#flush()
    })
  }

  /** Writes what waits, transaction after transaction, until nothing does. */
  async #flush(): Promise<void> {
    // Commits of one turn go together.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      let batch: Waiting[] = []
      const events: Event[] = []
      const results: Commit[] = []
      try {
        const values = this.#waiting.flatMap(({ changes }) => changes.map(({ value }) => value))
        await this.#transact(() => {
          // Taken here, when the transaction is ours: whoever came meanwhile goes along.
          batch = this.#waiting
          this.#waiting = []
          this.#next = this.#revision
          this.#soonest = Infinity
          const timeMs = this.#clock.now()
          for (const { changes } of batch) results.push(this.#apply(changes, timeMs, events))
        }, spaceFor(values))
      } catch (error) {
        for (const { reject } of batch.length > 0 ? batch : this.#waiting.splice(0)) reject(error)
        continue
      }
      this.#revision = this.#next
      if (this.#soonest !== Infinity) this.#sweep?.plan(this.#soonest)
      if (events.length > 0) this.#tell(events)
      batch.forEach(({ resolve }, i) => resolve(results[i]!))
    }
    // In the same turn as the look at what waits: a commit after it starts a flush of its own.
    this.#flushing = null
  }

  /** One durable transaction; rejects when it could not be written, for instance on a full disk. */
  async #transact(work: () => void, bytes = 0): Promise<void> {
    checkSpace(this.#options.dir, bytes)
    try {
      await this.#root.transaction(work)
    } catch (error) {
      // The cause comes as a promise of its own, which would end the process if nobody took it.
      const { commitError } = error as { readonly commitError?: Promise<unknown> }
      commitError?.catch(() => {})
      throw error
    }
  }

  /** A listener that throws has lost track of the store: that must not pass unseen, nor stop the others. */
  #tell(events: readonly Event[]): void {
    for (const listener of this.#listeners) {
      try {
        listener(events)
      } catch (error) {
        setImmediate(() => {
          throw error
        })
      }
    }
  }

  #apply(changes: readonly Change[], timeMs: number, events: Event[]): Commit {
    const heads: (Head | null)[] = []
    for (const { key, ifChangedAt } of changes) {
      const head = this.#head(key)
      heads.push(head)
      if (ifChangedAt === undefined) continue
      const at = head && !head.deleted ? head.revision : 0
      if (at !== ifChangedAt)
        return { done: false, key, found: head && !head.deleted ? this.#item(key, head) : null }
    }
    const at = this.#next + 1
    let index = 0
    for (const [i, { key, value }] of changes.entries()) {
      // A key that a transaction changes twice was written a moment ago.
      const head = index > 0 ? this.#head(key) : heads[i]!
      const live = head !== null && !head.deleted
      if (value === null && !live) continue
      const created = live ? head.created : at
      const prev: Place | null = head
      this.#values.putSync(
        placeKey(at, index),
        encodeValue({ deleted: value === null, created, prev, timeMs, key, value }),
      )
      this.#heads.putSync(
        Buffer.from(key),
        encodeHead({ revision: at, index, created, deleted: value === null }),
      )
      if (value !== null) {
        const place = { revision: at, index }
        this.#soonest = Math.min(this.#soonest, this.#expiries?.add(key, place, timeMs) ?? Infinity)
      }
      events.push({ at, key, value, created })
      index++
    }
    if (index > 0) this.#next = at
    return { done: true, at: this.#next }
  }

  #head(key: string): Head | null {
    const bytes = this.#heads.get(Buffer.from(key))
    return bytes ? decodeHead(bytes) : null
  }

  #item(key: string, place: Place): Item | null {
    const bytes = this.#values.get(placeKey(place.revision, place.index))
    if (!bytes) return null
    const record = decodeValue(bytes)
    if (record.deleted) return null
    return { key, value: record.value, created: record.created, changed: place.revision }
  }

  /** The item of a key at a revision, from its newest change back. */
  #itemAt(key: string, head: Head, at: Revision): Item | null {
    let place: Place | null = head
    while (place && place.revision > at) {
      const bytes: Buffer | undefined = this.#values.get(placeKey(place.revision, place.index))
      place = bytes ? decodeValue(bytes).prev : null
    }
    return place ? this.#item(key, place) : null
  }

  #check(at: Revision): void {
    if (at > this.#revision) throw new FutureRevision(this.#revision)
    if (at < this.#oldest) throw new Compacted(this.#oldest)
  }

  async get(key: string, options: { readonly at?: Revision } = {}): Promise<Item | null> {
    const at = options.at ?? this.#revision
    this.#check(at)
    const head = this.#head(key)
    return head ? this.#itemAt(key, head, at) : null
  }

  async range(prefix: string, options: RangeOptions = {}): Promise<Page> {
    const at = options.at ?? this.#revision
    this.#check(at)
    const first = Buffer.from(prefix)
    const asked = options.start === undefined ? first : Buffer.from(options.start)
    const start = Buffer.compare(asked, first) > 0 ? asked : first
    const items: Item[] = []
    for (const { key: bytes, value } of this.#heads.getRange({ start })) {
      if (Buffer.compare(bytes.subarray(0, first.length), first) !== 0) break
      const key = bytes.toString('utf8')
      const item = this.#itemAt(key, decodeHead(value), at)
      if (!item) continue
      if (options.limit !== undefined && items.length >= options.limit)
        return { items, at, more: true }
      items.push(item)
    }
    return { items, at, more: false }
  }

  async *changes(prefix: string, from: Revision, to: Revision): AsyncGenerator<readonly Event[]> {
    if (from < this.#oldest) throw new Compacted(this.#oldest)
    let events: Event[] = []
    const end = placeKey(Math.min(to, this.#revision) + 1, 0)
    let start = placeKey(from + 1, 0)
    for (;;) {
      let seen = 0
      // Read in strides: a cursor is not held while others write.
      for (const { key, value } of this.#values.getRange({ start, end, limit: CHANGES_BATCH })) {
        seen++
        start = Buffer.concat([key, Buffer.from([0])])
        const record = decodeValue(value)
        if (!record.key.startsWith(prefix)) continue
        const at = readPlaceKey(key).revision
        const before = record.prev ? this.#item(record.key, record.prev) : null
        events.push({
          at,
          key: record.key,
          value: record.deleted ? null : record.value,
          created: record.created,
          before,
        })
      }
      if (events.length > 0) yield events
      events = []
      if (seen < CHANGES_BATCH) return
      if (from < this.#oldest) throw new Compacted(this.#oldest)
    }
  }

  subscribe(listener: (events: readonly Event[]) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  compact(upTo: Revision): Promise<void> {
    // One that failed does not keep the next from trying.
    this.#compacting = this.#compacting.catch(() => {}).then(() => this.#compact(upTo))
    return this.#compacting
  }

  async #compact(upTo: Revision): Promise<void> {
    const target = Math.min(upTo, this.#revision)
    while (this.#oldest < target && !this.#closed) {
      const from = this.#oldest
      let reached = from
      await this.#transact(() => {
        // Headers first, values let go: changing what a cursor walks over is not safe.
        const round: { key: Buffer; record: Superseding }[] = []
        let bytes = 0
        const found = this.#values.getRange({
          start: placeKey(from + 1, 0),
          end: placeKey(target + 1, 0),
        })
        for (const { key, value } of found) {
          const { revision } = readPlaceKey(key)
          const full = round.length >= COMPACT_BATCH || bytes >= COMPACT_BYTES
          // A transaction is forgotten whole, however large it is.
          if (full && revision !== reached) break
          reached = revision
          bytes += value.length
          const { deleted, prev, key: name } = decodeValue(value)
          round.push({ key, record: { deleted, prev, key: name } })
        }
        const full = round.length >= COMPACT_BATCH || bytes >= COMPACT_BYTES
        if (!full) reached = target
        for (const { key, record } of round) this.#forget(key, record)
        this.#meta.putSync(META.floor, Buffer.from(String(reached)))
      })
      // Not before: what was not committed is not forgotten.
      this.#oldest = reached
    }
  }

  /** Removes what the change at `key` superseded, and the change itself when it is a deletion. */
  #forget(key: Buffer, { deleted, prev, key: name }: Superseding): void {
    if (prev) this.#values.removeSync(placeKey(prev.revision, prev.index))
    if (!deleted) return
    this.#values.removeSync(key)
    const { revision, index } = readPlaceKey(key)
    const head = this.#head(name)
    // The same transaction may have made the key anew after it deleted it.
    if (head?.revision === revision && head.index === index)
      this.#heads.removeSync(Buffer.from(name))
  }

  revisionAt(timeMs: number): Revision {
    let low = this.#oldest
    let high = this.#revision
    // Every revision above the floor still has its change, with its time.
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      const bytes = this.#values.get(placeKey(middle, 0))
      if (bytes && decodeValue(bytes).timeMs <= timeMs) low = middle
      else high = middle - 1
    }
    return low
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#end())
  }

  async #end(): Promise<void> {
    await this.#sweep?.close()
    await this.#flushing
    await this.#compacting.catch(() => {})
    this.#listeners.clear()
    await this.#root.close()
    this.#unlock()
  }
}
