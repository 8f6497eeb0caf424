import { dirname } from 'node:path'
import type { RootDatabase } from 'lmdb'
import { open } from './library.ts'
import type { Clock } from '../../base/clock.ts'
import { databases, openOptions, type Bytes, type Databases } from './layout.ts'
import { Space } from './space.ts'
import { WriteList } from './writes.ts'

/** Bytes read and written after which the mapping is worth giving back, when there is a pause of so long. */
const WORTH_BYTES = 8 << 20
const PAUSE_MS = 250
/** Most that is read and written in a pause: some always is. */
const PAUSE_BYTES = 256 << 10
/** Bytes after which the file is opened anew without a pause. */
const MOST_BYTES = 64 << 20

const nothing = () => {}

interface Opened {
  readonly root: RootDatabase<Buffer, Buffer>
  readonly databases: Databases
}

/**
 * The open data file. Pages that were read stay mapped, and so do those around writes; hardly any is needed
 * again, since the cache above serves reads, but the system counts all of it as memory of the process. Closing
 * the file and opening it anew gives it back.
 */
export class Environment implements Databases {
  readonly space: Space
  readonly #path: string
  readonly #isFlushed: boolean
  readonly #clock: Clock
  /** Null while the file could not be opened anew: its next user tries, and gets the error. */
  #opened: Opened | null
  #times = 0
  /** Ends when there is no writer and the file is open. */
  #turns: Promise<unknown> = Promise.resolve()
  /** Bytes read and written since the file was opened, and when the pause was looked for. */
  #bytes = 0
  #bytesBefore = 0
  #cancel: (() => void) | null = null
  #closed = false

  /** Throws what LMDB throws. */
  constructor(path: string, clock: Clock, { isFlushed = true } = {}) {
    this.space = new Space(dirname(path))
    this.#path = path
    this.#isFlushed = isFlushed
    this.#clock = clock
    this.#opened = this.#open()
  }

  /** How many times the file was opened. */
  get times(): number {
    return this.#times
  }
  get values(): Bytes {
    return this.#current().databases.values
  }
  get heads(): Bytes {
    return this.#current().databases.heads
  }
  get meta(): Bytes {
    return this.#current().databases.meta
  }
  get expiries(): Bytes {
    return this.#current().databases.expiries
  }

  /**
   * Runs `work` when all transactions before are committed, and writes its list in one durable transaction. Rejects
   * when that could not be written, for instance on a full disk: then nothing of it was. A transaction that `frees`
   * makes room, or was acknowledged before, and may use the last free bytes.
   */
  transact<T>(work: (writes: WriteList) => T, { frees = false } = {}): Promise<T> {
    return this.#inTurn(async () => {
      const writes = new WriteList()
      const result = work(writes)
      await this.#write([writes], frees)
      return result
    })
  }

  /** Writes several lists in one transaction, in the same way. */
  write(lists: readonly WriteList[], { frees = false } = {}): Promise<void> {
    return this.#inTurn(() => this.#write(lists, frees))
  }

  async #write(lists: readonly WriteList[], frees: boolean): Promise<void> {
    if (lists.every(({ isEmpty }) => isEmpty)) return
    this.space.check(
      lists.reduce((sum, { space }) => sum + space, 0),
      { frees },
    )
    const { root, databases: stores } = this.#current()
    try {
      // Handed over to the library's thread, which need not come back for more.
      await root.batch(() => {
        for (const writes of lists) writes.handOver(stores)
      })
    } catch (error) {
      // The cause comes as a promise of its own, which would end the process if it were left unhandled.
      const { commitError } = error as { readonly commitError?: Promise<unknown> }
      commitError?.catch(() => {})
      throw error
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turns.then(work)
    // Of the result nothing is kept.
    this.#turns = done.then(nothing, nothing)
    return done
  }

  /** Adds to the count of bytes of values that were read or written. */
  touched(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes >= WORTH_BYTES && !this.#cancel) this.#lookForPause()
  }

  /** Closes the file when nothing is under way. */
  async close(): Promise<void> {
    this.#closed = true
    this.#cancel?.()
    await this.#turns
    await this.#opened?.root.close()
  }

  #lookForPause(): void {
    this.#bytesBefore = this.#bytes
    this.#cancel = this.#clock.after(PAUSE_MS, () => {
      this.#cancel = null
      if (this.#closed) return
      const isBusy = this.#bytes - this.#bytesBefore > PAUSE_BYTES
      if (isBusy && this.#bytes < MOST_BYTES) this.#lookForPause()
      else void this.#inTurn(() => this.#reopen())
    })
  }

  async #reopen(): Promise<void> {
    // Closing waits for promises that are settled by now: begun in a tick of its own, it ends before the next read.
    await new Promise<void>((resolve) => setImmediate(resolve))
    if (this.#closed) return
    await this.#opened?.root.close()
    this.#bytes = 0
    this.#opened = null
    try {
      this.#current()
    } catch {
      // The next user gets the error.
    }
  }

  #current(): Opened {
    return (this.#opened ??= this.#open())
  }

  #open(): Opened {
    this.#times++
    const root = open(openOptions(this.#path, { isFlushed: this.#isFlushed })) as RootDatabase<
      Buffer,
      Buffer
    >
    try {
      return { root, databases: databases(root) }
    } catch (error) {
      root.close().catch(nothing)
      throw error
    }
  }
}
