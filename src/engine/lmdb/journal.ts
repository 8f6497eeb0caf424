import {
  close,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  rmSync,
  statSync,
  write,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { flushed } from '../../base/files.ts'
import { keepToOwner, OWNER_FILE } from '../../base/folders.ts'
import {
  aligned,
  encodeName,
  formOf,
  HALF_BYTES,
  HALVES_AT,
  JOURNAL_BYTES,
  type JournalIdentity,
  type PageForm,
} from './journal-pages.ts'
import { JOURNAL_FILE } from './layout.ts'

/**
 * Transactions before LMDB has them: one flush each where LMDB takes two, and a thread that it has to wake. The
 * file has two halves of one size; each begins with what was written into it since it was last begun. Its pages, and how
 * damage of them is found, are those of `journal-pages.ts`.
 */
export class Journal {
  /** How its pages are written. */
  readonly form: PageForm
  readonly #fd: number
  readonly #flushes: boolean
  #half = 0
  #at = 0
  /** Whether the other half has entries that are in LMDB not yet. */
  #isOtherNeeded = false

  private constructor(fd: number, form: PageForm, flushes: boolean) {
    this.form = form
    this.#fd = fd
    this.#flushes = flushes
  }

  /**
   * Begins a journal in the place of the one that a directory may have, of which LMDB has everything. `flushes`: whether
   * each write is followed by a flush, where a file cannot be opened so that writes are on disk when they are done.
   */
  static async begin(
    dir: string,
    identity: JournalIdentity,
    { flushes = !WRITES_THROUGH } = {},
  ): Promise<Journal> {
    const path = join(dir, JOURNAL_FILE)
    // One of another release, of which LMDB has everything.
    if (existsSync(path) && statSync(path).size !== JOURNAL_BYTES) rmSync(path)
    const isNew = !existsSync(path)
    const through = flushes ? 0 : constants.O_DSYNC
    const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | through, OWNER_FILE)
    try {
      keepToOwner(path, OWNER_FILE)
      // All of its room is taken at once: later writes change nothing but content.
      const nothing = Buffer.alloc(HALF_BYTES / 2)
      for (let at = HALVES_AT; at < JOURNAL_BYTES; at += nothing.length)
        await writeAll(fd, nothing, at)
      await writeAll(fd, encodeName(identity), 0)
      if (flushes) await flushed(fd)
      if (isNew) flushDirectory(dir)
      return new Journal(fd, formOf(identity.journal), flushes)
    } catch (error) {
      closeSync(fd)
      // A partial file has no use, and takes room.
      if (isNew) rmSync(path, { force: true })
      throw error
    }
  }

  /** Whether an entry of so many bytes can be added. */
  hasRoom(bytes: number): boolean {
    return this.#at + bytes <= HALF_BYTES
  }

  /** Whether enough was written into this half that the next should be begun. */
  get isWorn(): boolean {
    return this.#at > (HALF_BYTES * 3) / 4
  }

  /** Where the next entry begins in the file. */
  get #position(): number {
    return HALVES_AT + this.#half * HALF_BYTES + this.#at
  }

  /** Adds an entry for which there is room; resolves when it is on disk. */
  async append(entry: Buffer): Promise<void> {
    await writeAll(this.#fd, entry, this.#position)
    if (this.#flushes) await flushed(this.#fd)
    this.#at = aligned(this.#at + entry.length)
  }

  /** The same, synchronously: it is on disk when this returns. Throws. */
  appendAtOnce(entry: Buffer): void {
    let done = 0
    while (done < entry.length) {
      done += writeSync(this.#fd, entry, done, entry.length - done, this.#position + done)
    }
    if (this.#flushes) fsyncSync(this.#fd)
    this.#at = aligned(this.#at + entry.length)
  }

  /** Continues in the other half, unless that is needed: LMDB is about to have the entries of this one. */
  turnOver(): void {
    if (this.#isOtherNeeded) return
    this.#half = 1 - this.#half
    this.#at = 0
    this.#isOtherNeeded = true
  }

  /** LMDB has the entries of the other half. */
  release(): void {
    this.#isOtherNeeded = false
  }

  async close(): Promise<void> {
    await promisify(close)(this.#fd)
  }
}

/**
 * Whether O_DSYNC reaches the disk. Windows has no such flag, and on macOS it ends at the disk's own memory; a flush of
 * Node reaches the disk on both (libuv: F_FULLFSYNC and FlushFileBuffers). docs/store.md.
 */
const WRITES_THROUGH = process.platform === 'linux'

function writeAll(fd: number, bytes: Buffer, position: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const from = (done: number): void =>
      write(fd, bytes, done, bytes.length - done, position + done, (error, written) => {
        if (error) reject(error)
        else if (done + written < bytes.length) from(done + written)
        else resolve()
      })
    from(0)
  })
}

/** Makes a new name of a directory last. */
function flushDirectory(dir: string): void {
  // Windows opens no directories, and makes names durable without a flush.
  if (process.platform === 'win32') return
  const fd = openSync(dir, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
