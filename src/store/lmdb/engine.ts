import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
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
import { tell } from '../tell.ts'
import { forgetSome } from './compaction.ts'
import { checkDataFile } from './data-file.ts'
import { Environment } from './environment.ts'
import { LmdbExpiries, type StoredExpiry } from './expiries.ts'
import {
  DATA_FILE,
  FORMAT_VERSION,
  MAX_KEY_BYTES,
  META,
  readFormat,
  readRevisions,
  unusable,
} from './layout.ts'
import { isLocked, lockDir } from './lock.ts'
import { Transaction } from './transaction.ts'
import { verifyStore, type Verify } from './verify.ts'
import { Versions } from './versions.ts'
import type { Writes } from './writes.ts'

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

interface Waiting {
  readonly changes: readonly Change[]
  readonly resolve: (commit: Commit) => void
  readonly reject: (error: unknown) => void
}

/** Opens the embedded durable store. Throws UnusableDataDir. */
export async function openLmdb(options: LmdbOptions): Promise<Engine> {
  const { dir } = options
  const isLeft = isLocked(dir)
  const unlock = lockDir(dir)
  try {
    const path = join(dir, DATA_FILE)
    const known = existsSync(path)
    const walk = options.verify === 'all' ? 'all' : isLeft ? 'small' : 'branches'
    await checkDataFile(dir, walk)
    if (!known && readdirSync(dir).some((name) => name !== 'lock')) {
      throw new UnusableDataDir(
        `directory ${dir} holds other files; choose an empty one with --data-dir`,
      )
    }
    const file = new Environment(path, options.clock)
    try {
      const engine = new LmdbEngine(file, options, unlock)
      await engine.prepare(known)
      return engine
    } catch (error) {
      await file.close()
      throw error
    }
  } catch (error) {
    unlock()
    throw unusable(`data directory ${dir} cannot be opened`, error)
  }
}

class LmdbEngine implements Engine {
  readonly name = 'lmdb'
  readonly #file: Environment
  readonly #versions: Versions
  readonly #clock: Clock
  readonly #options: LmdbOptions
  readonly #unlock: () => void
  #revision: Revision = 0
  #oldest: Revision = 0
  /** Whether the store says that times to live are recorded, which a write that records none makes untrue. */
  #isMarked = false
  readonly #listeners = new Set<(events: readonly Event[]) => void>()
  #waiting: Waiting[] = []
  #flushing: Promise<void> | null = null
  #compacting: Promise<void> = Promise.resolve()
  #closed: Promise<void> | null = null
  readonly #expiries: LmdbExpiries | null
  #sweep: Sweep<StoredExpiry> | null = null

  constructor(file: Environment, options: LmdbOptions, unlock: () => void) {
    this.#file = file
    this.#versions = new Versions(file)
    this.#options = options
    this.#clock = options.clock
    this.#unlock = unlock
    const { ttlMs } = options
    this.#expiries = ttlMs === undefined ? null : new LmdbExpiries(this.#file, ttlMs)
  }

  /** Checks or writes the format, looks for damage and finds the newest revision. */
  async prepare(known: boolean): Promise<void> {
    const wanted: Record<string, string> = { version: FORMAT_VERSION, ...this.#options.format }
    const found = readFormat(this.#file.meta, this.#options.dir)
    if (found === null) {
      if (known && this.#file.values.getKeysCount({ limit: 1 }) > 0) {
        throw new UnusableDataDir(
          `data directory ${this.#options.dir} has no format mark; it was not made by this program`,
        )
      }
      await this.#file.transact((writes) =>
        writes.put('meta', META.format, Buffer.from(JSON.stringify(wanted))),
      )
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
    verifyStore(this.#file, this.#options.dir, this.#options.verify ?? 'newest')
    const { oldest, revision } = readRevisions(this.#file)
    this.#oldest = oldest
    this.#revision = revision
    await this.#prepareExpiry()
  }

  async #prepareExpiry(): Promise<void> {
    if (this.#expiries) {
      await this.#expiries.adopt(this.#clock.now())
      this.#sweep = new Sweep(this.#clock, this, this.#expiries)
    } else this.#isMarked = this.#file.meta.get(META.expiring) !== undefined
  }

  revision(): Revision {
    return this.#revision
  }
  oldest(): Revision {
    return this.#oldest
  }

  commit(changes: readonly Change[]): Promise<Commit> {
    if (this.#closed) return Promise.reject(new Error('the store is closed'))
    // Refused here, so that it does not fail the others of its transaction.
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
      let batch: readonly Waiting[] = []
      try {
        const { transaction, commits } = await this.#file.transact((writes) => {
          // Taken here, when it is our turn: whoever came meanwhile goes along.
          batch = this.#waiting
          this.#waiting = []
          return this.#apply(batch, writes)
        })
        this.#publish(transaction)
        batch.forEach(({ resolve }, i) => resolve(commits[i]!))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    // In the same turn as the look at what waits: a commit after it starts a flush of its own.
    this.#flushing = null
  }

  #apply(
    batch: readonly Waiting[],
    writes: Writes,
  ): { readonly transaction: Transaction; readonly commits: readonly Commit[] } {
    const transaction = new Transaction({
      versions: this.#versions,
      expiries: this.#expiries,
      writes,
      revision: this.#revision,
      timeMs: this.#clock.now(),
    })
    const commits = batch.map(({ changes }) => transaction.apply(changes))
    // Who records again must look at what is written from now on.
    if (this.#isMarked && transaction.events.length > 0) writes.remove('meta', META.expiring)
    return { transaction, commits }
  }

  /** Makes readable what was committed, and tells of it. */
  #publish({ revision, events, soonest }: Transaction): void {
    if (events.length === 0) return
    this.#revision = revision
    this.#isMarked = false
    this.#file.touched(events.reduce((bytes, { value }) => bytes + (value?.length ?? 0), 0))
    if (soonest !== Infinity) this.#sweep?.plan(soonest)
    tell(this.#listeners, events)
  }

  async get(key: string, options: { readonly at?: Revision } = {}): Promise<Item | null> {
    const at = options.at ?? this.#revision
    this.#check(at)
    return this.#versions.get(key, at)
  }

  async range(prefix: string, options: RangeOptions = {}): Promise<Page> {
    const at = options.at ?? this.#revision
    this.#check(at)
    const page = this.#versions.range(prefix, at, options)
    this.#file.touched(page.items.reduce((bytes, { value }) => bytes + value.length, 0))
    return page
  }

  async *changes(prefix: string, from: Revision, to: Revision): AsyncGenerator<readonly Event[]> {
    const check = (): void => {
      if (from < this.#oldest) throw new Compacted(this.#oldest)
    }
    check()
    yield* this.#versions.changes(prefix, { from, to: Math.min(to, this.#revision), check })
  }

  #check(at: Revision): void {
    if (at > this.#revision) throw new FutureRevision(this.#revision)
    if (at < this.#oldest) throw new Compacted(this.#oldest)
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
      // Not before it is committed: until then nothing is forgotten.
      this.#oldest = await this.#file.transact((writes) =>
        forgetSome(this.#file, writes, { from: this.#oldest, target }),
      )
    }
  }

  revisionAt(timeMs: number): Revision {
    return this.#versions.revisionAt(timeMs, this.#oldest, this.#revision)
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#end())
  }

  async #end(): Promise<void> {
    await this.#sweep?.close()
    await this.#flushing
    await this.#compacting.catch(() => {})
    this.#listeners.clear()
    await this.#file.close()
    this.#unlock()
  }
}
