import { open, type RootDatabase } from 'lmdb'
import type { Clock } from '../../base/clock.ts'
import { databases, openOptions, type Bytes, type Databases } from './layout.ts'

/** Bytes read and written after which the mapping is worth giving back, when there is a pause of so long. */
const WORTH_BYTES = 8 << 20
const PAUSE_MS = 500
/** Bytes after which nobody waits for a pause. */
const MOST_BYTES = 64 << 20

interface Opened {
  readonly root: RootDatabase<Buffer, Buffer>
  readonly databases: Databases
}

/**
 * The open data file. What is read of it stays mapped, and so do the pages around what is written; hardly any is needed
 * again, since reads are answered by the cache above, but the system counts all of it as memory of the process. Closing
 * the file and opening it anew gives it back.
 */
export class Environment implements Databases {
  readonly #path: string
  readonly #clock: Clock
  /** Null while the file could not be opened anew: whoever needs it next tries, and is told. */
  #opened: Opened | null
  #times = 0
  /** Transactions under way. */
  #running = 0
  #reopening: Promise<void> | null = null
  #onQuiet: () => void = () => {}
  /** Bytes read and written since the file was opened, and when the pause was looked for. */
  #bytes = 0
  #bytesBefore = 0
  #cancel: (() => void) | null = null
  #closed = false

  /** Throws what LMDB throws. */
  constructor(path: string, clock: Clock) {
    this.#path = path
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

  /** Runs `work` in one durable transaction; rejects when it could not be written. */
  async transact(work: () => void): Promise<void> {
    while (this.#reopening) await this.#reopening
    this.#running++
    try {
      await this.#current().root.transaction(work)
    } finally {
      this.#running--
      if (this.#running === 0) this.#onQuiet()
    }
  }

  /** Is told how many bytes of values were read or written. */
  touched(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes >= WORTH_BYTES && !this.#cancel && !this.#reopening) this.#lookForPause()
  }

  /** Closes the file when nothing is under way. */
  async close(): Promise<void> {
    this.#closed = true
    this.#cancel?.()
    await this.#reopening
    await this.#opened?.root.close()
  }

  #lookForPause(): void {
    this.#bytesBefore = this.#bytes
    this.#cancel = this.#clock.after(PAUSE_MS, () => {
      this.#cancel = null
      if (this.#closed) return
      if (this.#bytes > this.#bytesBefore && this.#bytes < MOST_BYTES) this.#lookForPause()
      else this.#reopening = this.#reopen().finally(() => (this.#reopening = null))
    })
  }

  async #reopen(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#onQuiet = resolve))
    this.#onQuiet = () => {}
    // Closing waits for promises that are settled by now: begun in a turn of its own, it ends before anybody reads.
    await new Promise<void>((resolve) => setImmediate(resolve))
    if (this.#closed) return
    await this.#opened?.root.close()
    this.#bytes = 0
    this.#opened = null
    try {
      this.#current()
    } catch {
      // Told to whoever needs it next.
    }
  }

  #current(): Opened {
    return (this.#opened ??= this.#open())
  }

  #open(): Opened {
    this.#times++
    const root = open(openOptions(this.#path)) as RootDatabase<Buffer, Buffer>
    return { root, databases: databases(root) }
  }
}
