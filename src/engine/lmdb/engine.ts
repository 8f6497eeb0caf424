import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { yieldToEventLoop } from '../../base/event-loop.ts'
import { Sweep, type TimeToLive } from '../expiry.ts'
import {
  Compacted,
  FutureRevision,
  StoreFull,
  StoreRefusal,
  UnusableDataDir,
  type Change,
  type Commit,
  type Engine,
  type Event,
  type Item,
  type Page,
  type RangeOptions,
  type Revision,
} from '../engine.ts'
import { notifyListeners } from '../notify-listeners.ts'
import { forgetSome } from './compaction.ts'
import { checkDataFile } from './data-file.ts'
import { Environment } from './environment.ts'
import { LmdbExpiries, type StoredExpiry } from './expiries.ts'
import { FlushChoice } from './flush-choice.ts'
import { entriesToApply } from './journal-check.ts'
import { readJournalMark, type JournalMark } from './journal-mark.ts'
import type { JournalEntry } from './journal-pages.ts'
import {
  DATA_FILE,
  FORMAT_VERSION,
  MAX_KEY_BYTES,
  META,
  otherFormat,
  readFormat,
  readRevisions,
  unusable,
} from './layout.ts'
import { LOCK_FILE, lockDir, type DirLock, type LockOptions } from './lock.ts'
import { Space } from './space.ts'
import { Transaction } from './transaction.ts'
import { verifyStore, type Verify } from './verify.ts'
import { Versions } from './versions.ts'
import { WriteBehind } from './write-behind.ts'
import { WriteMemory } from './write-memory.ts'
import { WriteList } from './writes.ts'

export interface LmdbOptions extends LockOptions {
  /** Directory of the store, made when absent. */
  readonly dir: string
  readonly clock: Clock
  /** Words that the data depends on, such as the vocabulary: a store made with others is refused. */
  readonly format?: Readonly<Record<string, string>>
  /** What is checked before requests are served; by default the last writes. */
  readonly verify?: Verify
  /** How long keys live; without it no key expires, and recorded expiries wait. */
  readonly ttlMs?: TimeToLive | undefined
  /** Which format is opened, for moving one that is older. */
  readonly formatVersion?: string
  /** Called at the end, while the lock is still held: whether the store is removed with all its data. */
  readonly isToGo?: () => boolean
  /** Drops entries of a damaged journal behind the damage, instead of refusing the directory. */
  readonly cutJournal?: boolean
  /** Small transactions, or eight times as many larger ones, after which a journal is kept; 0: from the start. */
  readonly journalAfter?: number
  /** False: commits resolve before they are on disk, and a crash of the machine may lose or damage the store. */
  readonly isFlushed?: boolean
  /** Turns of the event loop that a transaction waits while each brings more commits; 0: those of one turn are made together. */
  readonly gatherTurns?: number
  /** Which of them keep everything else waiting while they are flushed. */
  readonly flushes?: Pick<FlushChoice, 'isAtOnce' | 'took'>
  /** How many requests have come: those beside commits are kept waiting by such flushes. */
  readonly requests?: () => number
}

/** Changes that one step of a compaction forgets on a full disk. */
const FEW_CHANGES = 4
const GATHER_TURNS = 5
/** A store that is hardly written to needs none, and a first start has enough to do. */
const JOURNAL_AFTER = 32

interface Waiting {
  readonly changes: readonly Change[]
  readonly resolve: (commit: Commit) => void
  readonly reject: (error: unknown) => void
}

/** Most bytes that a unit of a string takes. */
const BYTES_OF_UNIT = 3

/** Whether a key can be stored; most are so short that their bytes need not be counted. */
const isStorable = (key: string): boolean =>
  key !== '' &&
  (BYTES_OF_UNIT * key.length <= MAX_KEY_BYTES || Buffer.byteLength(key) <= MAX_KEY_BYTES)

const badKey = (key: string): StoreRefusal =>
  new StoreRefusal(`a key has 1 to ${MAX_KEY_BYTES} bytes, not ${Buffer.byteLength(key)}`, {
    tooLarge: key === '' ? null : 'name',
  })

/** Whether a commit only takes away, or is a step to that. */
const makeRoom = (changes: readonly Change[]): boolean =>
  changes.every(({ value, frees = false }) => value === null || frees)

/** Retries after there was no room for a batch: the changes that make room, in ever smaller parts. */
function smallerBatches(batch: readonly Waiting[]): readonly (readonly Waiting[])[] {
  const freeing = batch.filter(({ changes }) => makeRoom(changes))
  if (freeing.length < batch.length) return freeing.length === 0 ? [] : [freeing]
  const half = batch.length >> 1
  return half === 0 ? [] : [batch.slice(0, half), batch.slice(half)]
}

/** Opens the embedded durable store. Throws UnusableDataDir. */
export async function openLmdb(options: LmdbOptions): Promise<Engine> {
  const { dir } = options
  const lock = lockDir(dir, options)
  const path = join(dir, DATA_FILE)
  const known = existsSync(path)
  try {
    const walk = options.verify === 'all' ? 'all' : lock.isLeft ? 'small' : 'branches'
    await checkDataFile(dir, walk)
    if (!known && readdirSync(dir).some((name) => name !== LOCK_FILE)) {
      throw new UnusableDataDir(
        `directory ${dir} holds other files; choose an empty one with --data-dir`,
      )
    }
    return await opened(path, options, lock, known)
  } catch (error) {
    if (!known) lock.removeStore()
    lock.release()
    throw unusable(`data directory ${dir} cannot be opened`, error)
  }
}

/** An engine that is ready; after an error, everything but the lock is closed. */
async function opened(
  path: string,
  options: LmdbOptions,
  lock: DirLock,
  known: boolean,
): Promise<LmdbEngine> {
  new Space(options.dir).checkOpening()
  const file = new Environment(path, options.clock, { isFlushed: options.isFlushed ?? true })
  let engine: LmdbEngine | null = null
  try {
    lock.holdData()
    engine = new LmdbEngine(file, options, lock)
    await engine.prepare(known)
    return engine
  } catch (error) {
    // An error of closing is less helpful than the one before.
    await (engine ? engine.letGo() : file.close()).catch(() => {})
    throw error
  }
}

class LmdbEngine implements Engine {
  readonly name = 'lmdb'
  readonly isShared = false
  readonly #file: Environment
  readonly #versions: Versions
  readonly #clock: Clock
  readonly #options: LmdbOptions
  readonly #lock: DirLock
  #revision: Revision = 0
  #oldest: Revision = 0
  /** Whether the store is marked as having recorded expiries, which a write without them makes untrue. */
  #isMarked = false
  readonly #listeners = new Set<(events: readonly Event[]) => void>()
  #waiting: Waiting[] = []
  #flushing: Promise<void> | null = null
  /** Commits in the last transaction. */
  #together = 0
  #compacting: Promise<void> = Promise.resolve()
  #closed: Promise<void> | null = null
  readonly #expiries: LmdbExpiries | null
  #sweep: Sweep<StoredExpiry> | null = null
  #behind: WriteBehind
  readonly #memory = new WriteMemory()

  constructor(file: Environment, options: LmdbOptions, lock: DirLock) {
    this.#file = file
    this.#versions = new Versions(file)
    this.#options = options
    this.#clock = options.clock
    this.#lock = lock
    this.#behind = this.#behindAt(0, null)
    const { ttlMs } = options
    this.#expiries =
      ttlMs === undefined ? null : new LmdbExpiries(this.#file, ttlMs, () => this.#behind.settle())
  }

  /** Checks or writes the format, looks for damage and finds the newest revision. */
  async prepare(known: boolean): Promise<void> {
    const { dir, formatVersion = FORMAT_VERSION, format } = this.#options
    const wanted: Record<string, string> = { version: formatVersion, ...format }
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
        if (name === 'version') throw otherFormat(dir, found[name], value)
        throw new UnusableDataDir(
          `data directory ${dir} was made with ${name} ${found[name] ?? 'unknown'}, not ${value}; start with --${name} ${found[name] ?? ''} or choose another with --data-dir`,
        )
      }
    }
    await verifyStore(this.#file, this.#options.dir, this.#options.verify ?? 'newest')
    const mark = readJournalMark(this.#file.meta, this.#options.dir)
    await this.#recover(mark)
    const { oldest, revision } = readRevisions(this.#file)
    this.#oldest = oldest
    this.#revision = revision
    this.#behind = this.#behindAt(revision, mark)
    if (this.#options.journalAfter === 0) await this.#behind.keepJournal()
    await this.#prepareExpiry()
  }

  /** Brings to LMDB what only the journal has. */
  async #recover(mark: JournalMark | null): Promise<void> {
    const { revision } = readRevisions(this.#file)
    const { dir, cutJournal: cut = false } = this.#options
    const entries = await entriesToApply(dir, { revision, mark }, { cut })
    const apply = (some: readonly JournalEntry[]) =>
      this.#file.write(
        some.map(({ writes }) => writes),
        { frees: true },
      )
    try {
      await apply(entries)
    } catch (error) {
      // The estimate of one after the other is closer to what they take.
      if (!(error instanceof StoreFull) || entries.length === 1) throw error
      for (const entry of entries) await apply([entry])
    }
  }

  #behindAt(applied: Revision, mark: JournalMark | null): WriteBehind {
    const { dir, clock, requests, journalAfter = JOURNAL_AFTER } = this.#options
    const { flushes = new FlushChoice(requests) } = this.#options
    return new WriteBehind({ dir, file: this.#file, clock, applied, mark, journalAfter, flushes })
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
    for (const { key } of changes) if (!isStorable(key)) return Promise.reject(badKey(key))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ changes, resolve, reject })
      this.#flushing ??= this.#flush()
    })
  }

  /** Writes what waits, transaction after transaction, until nothing does. */
  async #flush(): Promise<void> {
    // Commits of one tick are made together: those of all requests that have arrived by now.
    await yieldToEventLoop()
    while (this.#waiting.length > 0) {
      await this.#gather()
      const batch = this.#waiting
      this.#waiting = []
      this.#together = batch.length
      await this.#commitTogether(batch)
    }
    // In the same tick as the look at the queue: a commit after it starts a flush of its own.
    this.#flushing = null
  }

  /**
   * Resolves after a turn of the event loop that brought no further commit, or after a few: to flush, and to be woken by
   * it, takes as much CPU as several commits. One caller alone, who waits for each commit, does not wait longer.
   */
  async #gather(): Promise<void> {
    const { gatherTurns = GATHER_TURNS } = this.#options
    let before = this.#together > 1 ? 0 : 1
    for (let turns = 0; turns < gatherTurns && this.#waiting.length > before; turns++) {
      before = this.#waiting.length
      await yieldToEventLoop()
    }
  }

  /** Makes one transaction of commits; where the disk has no room for all, of fewer that make room. */
  async #commitTogether(batch: readonly Waiting[]): Promise<void> {
    try {
      const timeMs = this.#clock.now()
      const transaction = this.#transaction(new WriteList(this.#memory), timeMs)
      const commits = this.#applied(batch, transaction)
      const { revision: last, made, writes } = transaction
      if (!writes.isEmpty)
        await this.#behind.write({
          commits: batch.length,
          frees: batch.every(({ changes }) => makeRoom(changes)),
          first: this.#revision + 1,
          last,
          timeMs,
          writes,
          made,
        })
      this.#publish(transaction)
      batch.forEach(({ resolve }, i) => resolve(commits[i]!))
    } catch (error) {
      const smaller = error instanceof StoreFull ? smallerBatches(batch) : []
      for (const one of batch) if (!smaller.some((part) => part.includes(one))) one.reject(error)
      for (const part of smaller) await this.#commitTogether(part)
    }
  }

  /** What becomes of commits in a transaction, which is released unless there is something to write. */
  #applied(batch: readonly Waiting[], transaction: Transaction): readonly Commit[] {
    const { writes } = transaction
    let isNeeded = false
    try {
      const commits = batch.map(({ changes }) => transaction.apply(changes))
      isNeeded = !writes.isEmpty
      // The next start that records expiries must look at everything written from now on.
      if (this.#isMarked && isNeeded) writes.remove('meta', META.expiring)
      return commits
    } finally {
      if (!isNeeded) writes.release()
    }
  }

  #transaction(writes: WriteList, timeMs: number): Transaction {
    return new Transaction({
      versions: this.#versions,
      expiries: this.#expiries,
      writes,
      unapplied: this.#behind,
      revision: this.#revision,
      timeMs,
    })
  }

  /** Makes committed changes readable, and notifies of them. */
  #publish({ revision, events, soonest }: Transaction): void {
    if (events.length === 0) return
    this.#revision = revision
    this.#isMarked = false
    this.#file.touched(events.reduce((bytes, { value }) => bytes + (value?.length ?? 0), 0))
    if (soonest !== Infinity) this.#sweep?.plan(soonest)
    notifyListeners(this.#listeners, events)
  }

  async get(key: string, options: { readonly at?: Revision } = {}): Promise<Item | null> {
    const at = options.at ?? this.#revision
    await this.#behind.settle()
    this.#check(at)
    return this.#versions.get(key, at)
  }

  async range(prefix: string, options: RangeOptions = {}): Promise<Page> {
    const at = options.at ?? this.#revision
    await this.#behind.settle()
    this.#check(at)
    const page = this.#versions.range(prefix, at, options)
    this.#file.touched(page.items.reduce((bytes, { value }) => bytes + value.length, 0))
    return page
  }

  async *changes(prefix: string, from: Revision, to: Revision): AsyncGenerator<readonly Event[]> {
    const check = (): void => {
      if (from < this.#oldest) throw new Compacted(this.#oldest)
    }
    const last = Math.min(to, this.#revision)
    await this.#behind.settle()
    check()
    yield* this.#versions.changes(prefix, { from, to: last, check })
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
    await this.#behind.settle()
    // History is not forgotten beyond what LMDB has: its newest change shows what follows.
    const target = Math.min(upTo, this.#behind.applied)
    let most: number | undefined
    while (this.#oldest < target && !this.#closed) {
      const from = this.#oldest
      try {
        await this.#file.transact(
          (writes) => {
            // Before it is committed: between the commit and its return, readers find nothing there any more.
            this.#oldest = forgetSome(this.#file, writes, { from, target, most })
          },
          { frees: true },
        )
      } catch (error) {
        this.#oldest = from
        // Room is made in small steps where there is hardly any.
        if (!(error instanceof StoreFull) || most !== undefined) throw error
        most = FEW_CHANGES
      }
    }
  }

  checkSpace(): void {
    this.#file.space.checkWritable()
  }

  revisionAt(timeMs: number): Revision {
    return (
      this.#behind.revisionAt(timeMs) ??
      this.#versions.revisionAt(timeMs, this.#oldest, this.#behind.applied)
    )
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#end())
  }

  async #end(): Promise<void> {
    try {
      await this.letGo()
    } finally {
      if (this.#options.isToGo?.() === true) this.#lock.removeStore()
      this.#lock.release()
    }
  }

  /** Ends all work under way and closes every file but those of the lock. */
  async letGo(): Promise<void> {
    await this.#sweep?.close()
    await this.#flushing
    await this.#compacting.catch(() => {})
    this.#listeners.clear()
    try {
      await this.#behind.close()
    } finally {
      await this.#file.close()
    }
  }
}
