/**
 * Two ways to the disk: a transaction is appended to the journal (one flush) and applied to LMDB later together with
 * others; a very large one goes to LMDB directly, behind everything that waits. A transaction is acknowledged when it is
 * on disk in either place.
 *
 * Example: T4 is too large for the journal. The journal has two halves; the one that is written to is marked with *.
 *
 *     what happens                          journal halves       unapplied   LMDB has   acknowledged
 *     append T1                             T1*        -         T1          -          T1
 *     append T2                             T1 T2*     -         T1 T2       -          T1 T2
 *     200 ms later: begin to apply T1 T2;    T1 T2      *         T1 T2       -          T1 T2
 *       the journal turns to the other half
 *     append T3 meanwhile                   T1 T2      T3*       T1 T2 T3    -          T1 to T3
 *     LMDB has committed                    (free)     T3*       T3          T1 T2      T1 to T3
 *     write T4: T3 and T4 in one LMDB       *          T3        T3          T1 T2      T1 to T3
 *       transaction
 *     LMDB has committed                    *          (free)    -           T1 to T4   T1 to T4
 *
 * After a crash at any line the start reads LMDB and then applies the entries of both halves with newer revisions. A half
 * is overwritten only after LMDB has all of its transactions. Each transaction of LMDB also says which journal belongs to
 * the file and how far it reaches (`journal-mark.ts`). `made` is the overlay that reads look at before LMDB.
 */
import type { Clock } from '../../base/clock.ts'
import { StoreFull, type Revision } from '../engine.ts'
import type { Environment } from './environment.ts'
import type { FlushChoice } from './flush-choice.ts'
import { begunMark, endedMark, markWrites, type JournalMark } from './journal-mark.ts'
import { encodeEntry, entryBytes, JOURNAL_BYTES } from './journal-pages.ts'
import { Journal } from './journal.ts'
import { spaceFor } from './space.ts'
import type { PendingChange } from './transaction.ts'
import type { WriteList } from './writes.ts'

/** Largest transaction that the journal takes; of larger ones a half would hold a few only. */
const MOST_BYTES = 256 << 10
/** Where there is no journal, larger ones call for it as much less: a first start has some. */
const SMALL_BYTES = 8 << 10
const LARGE_WEIGHT = 1 / 8
const APPLY_AFTER_MS = 200
const RETRY_AFTER_MS = 1_000
/** Bytes that the mark of a journal may take beside what is applied. */
const MARK_SPACE = spaceFor(256)

/** One transaction: its writes, its revisions, and the resulting state of its keys. */
export interface Written {
  /** How many commits are in it. */
  readonly commits: number
  /** Whether it makes room, and may use the last that there is. */
  readonly frees: boolean
  readonly first: Revision
  readonly last: Revision
  /** When, milliseconds since the epoch. */
  readonly timeMs: number
  readonly writes: WriteList
  readonly made: ReadonlyMap<string, PendingChange>
}

/** Dependencies of durable writes. */
export interface WriteBehindOptions {
  readonly dir: string
  readonly file: Environment
  readonly clock: Clock
  /** The newest revision that LMDB has. */
  readonly applied: Revision
  /** What LMDB says of a journal. */
  readonly mark: JournalMark | null
  /** Small transactions after which there is a journal. */
  readonly journalAfter: number
  readonly flushes: Pick<FlushChoice, 'isAtOnce' | 'took'>
}

/**
 * Makes transactions durable: most in the journal, from where many go to LMDB together a little later, large ones in
 * LMDB at once, together with all that wait.
 */
export class WriteBehind {
  readonly #options: WriteBehindOptions
  #applied: Revision
  readonly #unapplied: Written[] = []
  /** Bytes that LMDB's file may need for what waits. */
  #unappliedSpace = 0
  /** The newest changes of keys that wait, and of those that LMDB is being brought, which are older. */
  #waiting = new Map<string, PendingChange>()
  #leaving = new Map<string, PendingChange>()
  #journal: Journal | null = null
  #mark: JournalMark | null
  #memory: Buffer = Buffer.alloc(0)
  #keeping: Promise<void> = Promise.resolve()
  /** Transactions before there was a journal, large ones as parts; no more are counted when there can be none. */
  #counted = 0
  #applying: Promise<void> | null = null
  #isAppending = false
  #onAppended: (() => void) | null = null
  #cancel: (() => void) | null = null
  #closed = false

  constructor(options: WriteBehindOptions) {
    this.#options = options
    this.#applied = options.applied
    this.#mark = options.mark
  }

  /** The newest revision that LMDB has. */
  get applied(): Revision {
    return this.#applied
  }

  /** Newest revision that was committed at or before a time and is not in LMDB; undefined when there is none. */
  revisionAt(timeMs: number): Revision | undefined {
    return this.#unapplied.findLast((written) => written.timeMs <= timeMs)?.last
  }

  /** The newest change of a key that is committed and that LMDB may not have yet. */
  made(key: string): PendingChange | undefined {
    return this.#waiting.get(key) ?? this.#leaving.get(key)
  }

  /**
   * Resolves when a transaction is on disk; not to be called again before. Rejects when it could not be written, for
   * instance on a full disk. Releases its list as soon as LMDB has it, or it could not be written.
   */
  async write(written: Written): Promise<void> {
    let waits = false
    try {
      waits = await this.#writeToJournal(written)
      if (!waits) await this.#apply(written)
    } finally {
      if (!waits) written.writes.release()
    }
  }

  /** False when there is no journal that takes a transaction, or no room in LMDB's file behind all that wait. */
  async #writeToJournal(written: Written): Promise<boolean> {
    // A disk that is flushed for LMDB, too, takes longer.
    const isAtOnce = this.#options.flushes.isAtOnce(written.commits) && !this.#applying
    const journal = this.#journalFor(written)
    if (!journal) return false
    if (!this.#fits(written)) {
      // Alone it may fit: what waits takes less than was estimated.
      await this.settle()
      return false
    }
    const entry = encodeEntry(written, journal.form, this.#memoryFor(written))
    if (!(await this.#append(journal, entry, { written, isAtOnce }))) {
      await this.#forgetJournal()
      return false
    }
    this.#plan(journal.isWorn ? 0 : APPLY_AFTER_MS)
    return true
  }

  /** The journal, if it takes a transaction. */
  #journalFor({ writes }: Written): Journal | null {
    const { bytes } = writes
    if (bytes > MOST_BYTES) return null
    if (this.#journal) return this.#journal.hasRoom(entryBytes(writes)) ? this.#journal : null
    this.#count(bytes)
    return null
  }

  /** Begins to keep a journal when there were so many transactions that it pays. */
  #count(bytes: number): void {
    const { journalAfter } = this.#options
    if (this.#counted >= journalAfter) return
    this.#counted += bytes <= SMALL_BYTES ? 1 : LARGE_WEIGHT
    if (this.#counted >= journalAfter) void this.keepJournal()
  }

  /** Whether there is room in LMDB's file for a transaction behind all that wait: what is acknowledged must fit. */
  #fits({ writes, frees }: Written): boolean {
    try {
      const bytes = this.#unappliedSpace + writes.space + MARK_SPACE
      this.#options.file.space.check(bytes, { frees })
      return true
    } catch (error) {
      if (error instanceof StoreFull) return false
      throw error
    }
  }

  /** Memory for an entry: one is written at a time. */
  #memoryFor({ writes }: Written): Buffer {
    const bytes = entryBytes(writes)
    if (this.#memory.length < bytes) this.#memory = Buffer.allocUnsafeSlow(2 * bytes)
    return this.#memory
  }

  /** False when the journal cannot be written. */
  async #append(
    journal: Journal,
    entry: Buffer,
    { written, isAtOnce }: { readonly written: Written; readonly isAtOnce: boolean },
  ): Promise<boolean> {
    const from = performance.now()
    const isShared = this.#applying !== null
    this.#isAppending = true
    let isWritten = true
    try {
      if (isAtOnce) journal.appendAtOnce(entry)
      else await journal.append(entry)
    } catch {
      isWritten = false
    }
    this.#isAppending = false
    if (!isShared) this.#options.flushes.took(performance.now() - from, isAtOnce)
    if (isWritten) {
      this.#unapplied.push(written)
      this.#unappliedSpace += written.writes.space
      for (const [key, made] of written.made) this.#waiting.set(key, made)
    }
    this.#onAppended?.()
    this.#onAppended = null
    return isWritten
  }

  /** Begins to keep a journal, if there can be one. */
  keepJournal(): Promise<void> {
    return (this.#keeping = this.#keepJournal())
  }

  async #keepJournal(): Promise<void> {
    const { dir, file } = this.#options
    try {
      file.space.check(JOURNAL_BYTES)
      file.space.keepReserve()
      // Before the last one is overwritten, LMDB says that it needs it no more.
      await this.#markEnded()
      const mark = begunMark(this.#mark)
      const journal = await Journal.begin(dir, mark)
      if (this.#closed || !(await this.#marked(mark))) await journal.close()
      else this.#journal = journal
    } catch {
      // Without one everything takes the longer way.
    }
  }

  /** Whether LMDB has a mark. */
  async #marked(mark: JournalMark): Promise<boolean> {
    try {
      await this.#options.file.write([markWrites(mark)], { frees: mark.journal === null })
      this.#mark = mark
      return true
    } catch {
      return false
    }
  }

  /** Lets LMDB say that it has everything. */
  async #markEnded(): Promise<void> {
    const mark = this.#mark
    if (mark === null || mark.journal === null) return
    if (!(await this.#marked(endedMark(mark)))) throw new Error('the journal is still needed')
  }

  /** Resolves when everything that was written before is in LMDB. Rejects when that could not be written. */
  async settle(): Promise<void> {
    if (this.#applying) await this.#applying.catch(() => {})
    if (this.#unapplied.length > 0) await this.#apply(null)
  }

  /** Leaves everything in LMDB, or what cannot be written there in the journal. */
  async close(): Promise<void> {
    this.#closed = true
    this.#cancel?.()
    await this.settle().catch(() => {})
    // The next owner of the directory must not find it incomplete.
    await this.#keeping
    if (this.#unapplied.length === 0) await this.#markEnded().catch(() => {})
    await this.#journal?.close()
  }

  async #forgetJournal(): Promise<void> {
    const journal = this.#journal
    this.#journal = null
    await journal?.close().catch(() => {})
  }

  #plan(afterMs: number): void {
    if (this.#closed || (this.#cancel && afterMs > 0)) return
    this.#cancel?.()
    this.#cancel = this.#options.clock.after(afterMs, () => {
      this.#cancel = null
      this.settle().catch(() => this.#plan(RETRY_AFTER_MS))
    })
  }

  /** Brings what waits to LMDB, and one more with it. */
  async #apply(more: Written | null): Promise<void> {
    while (this.#applying) await this.#applying.catch(() => {})
    this.#applying = this.#applyAll(more)
    try {
      await this.#applying
    } finally {
      this.#applying = null
    }
  }

  /** Waiting entries, and all in the journal's half: not while something is being added to it. */
  #take(): Promise<readonly Written[]> {
    const take = (): readonly Written[] => {
      if (this.#unapplied.length > 0) this.#journal?.turnOver()
      this.#leave()
      return this.#unapplied.slice()
    }
    if (!this.#isAppending) return Promise.resolve(take())
    return new Promise((resolve) => (this.#onAppended = () => resolve(take())))
  }

  /** LMDB is about to have all that waits. */
  #leave(): void {
    // What is there could not be written before.
    if (this.#leaving.size === 0) this.#leaving = this.#waiting
    else for (const [key, made] of this.#waiting) this.#leaving.set(key, made)
    this.#waiting = new Map()
  }

  /** The mark that LMDB gets with entries of the journal, when it has no others to wait for; null: it stays. */
  #markAfter(taken: readonly Written[]): JournalMark | null {
    const mark = this.#mark
    if (mark === null || mark.journal === null) return null
    if (this.#journal === null || this.#closed) return endedMark(mark)
    const newest = taken.at(-1)
    return newest ? { ...mark, reach: newest.last } : null
  }

  async #applyAll(more: Written | null): Promise<void> {
    const taken = await this.#take()
    const all = more ? [...taken, more] : taken
    // The waiting entries were acknowledged.
    const frees = more?.frees ?? true
    const mark = this.#markAfter(taken)
    const lists = all.map(({ writes }) => writes)
    await this.#options.file.write(mark ? [...lists, markWrites(mark)] : lists, { frees })
    if (mark) this.#mark = mark
    // Entries that came in between wait for the next.
    this.#unapplied.splice(0, taken.length)
    for (const { writes } of taken) this.#unappliedSpace -= writes.space
    this.#journal?.release()
    this.#applied = all.at(-1)?.last ?? this.#applied
    this.#leaving = new Map()
    for (const { writes } of taken) writes.release()
  }
}
