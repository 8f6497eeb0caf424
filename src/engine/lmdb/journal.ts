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
import { flushed, readFile } from '../../base/files.ts'
import { keepToOwner, OWNER_FILE } from '../../base/folders.ts'
import { UnusableDataDir, type Revision } from '../engine.ts'
import {
  aligned,
  entriesAfter,
  findGap,
  HALF_BYTES,
  JOURNAL_BYTES,
  readPages,
  type JournalContent,
  type JournalEntry,
} from './journal-pages.ts'
import { DAMAGED, JOURNAL_FILE } from './layout.ts'

/**
 * Transactions before LMDB has them: one flush each where LMDB takes two, and a thread that it has to wake. The
 * file has two halves of one size; each begins with what was written into it since it was last begun. Its pages, and how
 * damage of them is found, are those of `journal-pages.ts`.
 */
export class Journal {
  readonly #fd: number
  readonly #flushes: boolean
  #half = 0
  #at = 0
  /** Whether the other half has entries that are in LMDB not yet. */
  #isOtherNeeded = false

  private constructor(fd: number, flushes: boolean) {
    this.#fd = fd
    this.#flushes = flushes
  }

  /**
   * Opens the journal of a directory whose entries are all in LMDB; makes one where there is none. `flushes`: whether
   * each write is followed by a flush, where a file cannot be opened so that writes are on disk when they are done.
   */
  static async open(dir: string, { flushes = !WRITES_THROUGH } = {}): Promise<Journal> {
    const path = join(dir, JOURNAL_FILE)
    // One of another release, of which LMDB has everything.
    if (existsSync(path) && statSync(path).size !== JOURNAL_BYTES) rmSync(path)
    const isNew = !existsSync(path)
    const through = flushes ? 0 : constants.O_DSYNC
    const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | through, OWNER_FILE)
    try {
      keepToOwner(path, OWNER_FILE)
      // All of its room is taken at once: later writes change nothing but content.
      const nothing = Buffer.alloc(JOURNAL_BYTES / 4)
      for (let at = 0; at < JOURNAL_BYTES; at += nothing.length) await writeAll(fd, nothing, at)
      if (flushes) await flushed(fd)
      if (isNew) flushDirectory(dir)
      return new Journal(fd, flushes)
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

  /** Adds an entry for which there is room; resolves when it is on disk. */
  async append(entry: Buffer): Promise<void> {
    await writeAll(this.#fd, entry, this.#half * HALF_BYTES + this.#at)
    if (this.#flushes) await flushed(this.#fd)
    this.#at = aligned(this.#at + entry.length)
  }

  /** The same, synchronously: it is on disk when this returns. Throws. */
  appendAtOnce(entry: Buffer): void {
    let done = 0
    while (done < entry.length) {
      const position = this.#half * HALF_BYTES + this.#at + done
      done += writeSync(this.#fd, entry, done, entry.length - done, position)
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

const EMPTY: JournalContent = { entries: [], pages: [], bytes: 0 }

/** Contents of a directory's journal; most of it is in LMDB too. */
export async function readJournal(dir: string): Promise<JournalContent> {
  const path = join(dir, JOURNAL_FILE)
  return existsSync(path) ? readPages(await readFile(path)) : EMPTY
}

/**
 * The entries that LMDB is to be brought, which has everything up to a revision. Throws DamagedJournal when the file shows
 * that entries are missing which were acknowledged, unless it is to be `cut` there.
 */
export async function entriesToApply(
  dir: string,
  revision: Revision,
  { cut = false } = {},
): Promise<readonly JournalEntry[]> {
  const content = await readJournal(dir)
  const following = entriesAfter(content.entries, revision)
  const after = following.at(-1)?.last ?? revision
  const gap = findGap(content, after)
  if (!gap || cut) return following
  const { position, next, last } = gap
  const place = `journal ${join(dir, JOURNAL_FILE)} is damaged at byte ${position}`
  const [what, lost] =
    next === null
      ? ['it ends there, and writes may be missing', 'what is missing']
      : [
          `the writes of ${revisions(after + 1, next - 1)} cannot be read, and later ones up to ${last} follow`,
          `${last - after} writes`,
        ]
  throw new DamagedJournal(
    `${place}: ${what}; ${DAMAGED}, or give up ${lost} with the command cut-journal (docs/store.md)`,
    { after, last },
  )
}

const revisions = (first: Revision, last: Revision): string =>
  first === last ? `revision ${first}` : `revisions ${first} to ${last}`

/** The journal lacks writes that were acknowledged. */
export class DamagedJournal extends UnusableDataDir {
  override name = 'DamagedJournal'
  /** The newest revision that can be recovered, and the newest that the journal mentions. */
  readonly after: Revision
  readonly last: Revision

  constructor(message: string, { after, last }: { after: Revision; last: Revision }) {
    super(message)
    this.after = after
    this.last = last
  }
}

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
