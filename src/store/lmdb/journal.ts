import {
  close,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  write,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { readFile } from '../../base/files.ts'
import type { Revision } from '../store.ts'
import { JOURNAL_FILE, type Databases } from './layout.ts'
import { WriteList } from './writes.ts'

/**
 * Small transactions before LMDB has them: one flush each where LMDB takes two, and a thread that it has to wake. The
 * file has two halves of one size; each begins with what was written into it since it was last begun:
 *
 *     bytes 0-3    mark
 *     bytes 4-7    length of the writes
 *     bytes 8-15   first revision of the transaction
 *     bytes 16-23  last revision
 *     bytes 24-27  CRC-32 of bytes 4 to 23 and of the writes
 *     writes: database (1), 1 for a removal (1), length of the key (2), of the value (4), key, value
 *
 * Numbers are doubles (revisions) or integers, little-endian. Each entry begins on a page of its own, so that one which a
 * power loss cuts off takes nothing with it that was acknowledged. What stands behind the last is older, which its
 * revisions tell.
 */
export class Journal {
  readonly #fd: number
  #half = 0
  #at = 0
  /** Whether the other half has entries that are in LMDB not yet. */
  #isOtherNeeded = false

  private constructor(fd: number) {
    this.#fd = fd
  }

  /** Opens the journal of a directory whose entries are all in LMDB; makes one where there is none. */
  static async open(dir: string): Promise<Journal> {
    const path = join(dir, JOURNAL_FILE)
    const isNew = !existsSync(path)
    // Each write is on disk when it is done.
    const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_DSYNC, 0o600)
    try {
      // All of its room is taken at once: later writes change nothing but content.
      await writeAll(fd, Buffer.alloc(2 * HALF_BYTES), 0)
      if (isNew) flushDirectory(dir)
      return new Journal(fd)
    } catch (error) {
      closeSync(fd)
      throw error
    }
  }

  /** Whether an entry of so many bytes can be added. */
  hasRoom(bytes: number): boolean {
    return this.#at + bytes <= HALF_BYTES
  }

  /** Whether enough was written into this half that the next should be begun. */
  get isWorn(): boolean {
    return this.#at > HALF_BYTES / 2
  }

  /** Adds an entry for which there is room; resolves when it is on disk. */
  async append(entry: Buffer): Promise<void> {
    await writeAll(this.#fd, entry, this.#half * HALF_BYTES + this.#at)
    this.#at = aligned(this.#at + entry.length)
  }

  /** The same at once: it is on disk when this returns, and nothing else happens meanwhile. Throws. */
  appendAtOnce(entry: Buffer): void {
    let done = 0
    while (done < entry.length) {
      const position = this.#half * HALF_BYTES + this.#at + done
      done += writeSync(this.#fd, entry, done, entry.length - done, position)
    }
    this.#at = aligned(this.#at + entry.length)
  }

  /** Begins with the other half, unless that is needed: what is in this one is going to be in LMDB. */
  turnOver(): void {
    if (this.#isOtherNeeded) return
    this.#half = 1 - this.#half
    this.#at = 0
    this.#isOtherNeeded = true
  }

  /** What is in the other half is in LMDB. */
  release(): void {
    this.#isOtherNeeded = false
  }

  async close(): Promise<void> {
    await promisify(close)(this.#fd)
  }
}

const HALF_BYTES = 512 << 10
const PAGE_BYTES = 4_096
const HEADER_BYTES = 28
const WRITE_BYTES = 8
const MARK = 0x314e524a
const DATABASES: readonly (keyof Databases)[] = ['values', 'heads', 'meta', 'expiries']

/** Revisions of one transaction and what it writes. */
export interface JournalEntry {
  readonly first: Revision
  readonly last: Revision
  readonly writes: WriteList
}

/** An entry as it stands in the file. */
export function encodeEntry({ first, last, writes }: JournalEntry): Buffer {
  let length = 0
  for (const { key, value } of writes) length += WRITE_BYTES + key.length + (value?.length ?? 0)
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + length)
  bytes.writeUInt32LE(MARK, 0)
  bytes.writeUInt32LE(length, 4)
  bytes.writeDoubleLE(first, 8)
  bytes.writeDoubleLE(last, 16)
  let at = HEADER_BYTES
  for (const { database, key, value } of writes) {
    bytes[at] = DATABASES.indexOf(database)
    bytes[at + 1] = value === null ? 1 : 0
    bytes.writeUInt16LE(key.length, at + 2)
    bytes.writeUInt32LE(value?.length ?? 0, at + 4)
    at += WRITE_BYTES
    at += key.copy(bytes, at)
    if (value !== null) at += value.copy(bytes, at)
  }
  bytes.writeUInt32LE(sumOf(bytes), 24)
  return bytes
}

/** What a directory's journal holds, in order of revision; most of it is in LMDB too. */
export async function readJournal(dir: string): Promise<readonly JournalEntry[]> {
  const path = join(dir, JOURNAL_FILE)
  if (!existsSync(path)) return []
  const file = await readFile(path)
  return [0, HALF_BYTES]
    .flatMap((start) => [...entriesOf(file.subarray(start, start + HALF_BYTES))])
    .sort((a, b) => a.first - b.first)
}

/** The entries that follow a revision without a gap. */
export function entriesAfter(
  entries: readonly JournalEntry[],
  after: Revision,
): readonly JournalEntry[] {
  const following: JournalEntry[] = []
  let revision = after
  for (const entry of entries) {
    if (entry.first !== revision + 1) continue
    following.push(entry)
    revision = entry.last
  }
  return following
}

/** Entries from the start, as long as each is whole and younger than the one before. */
function* entriesOf(half: Buffer): Generator<JournalEntry> {
  let at = 0
  let revision = -1
  while (at + HEADER_BYTES <= half.length && half.readUInt32LE(at) === MARK) {
    const length = half.readUInt32LE(at + 4)
    if (at + HEADER_BYTES + length > half.length) return
    const bytes = half.subarray(at, at + HEADER_BYTES + length)
    const first = bytes.readDoubleLE(8)
    if (bytes.readUInt32LE(24) !== sumOf(bytes) || first <= revision) return
    revision = bytes.readDoubleLE(16)
    yield { first, last: revision, writes: decodeWrites(bytes.subarray(HEADER_BYTES)) }
    at = aligned(at + bytes.length)
  }
}

function decodeWrites(bytes: Buffer): WriteList {
  const writes = new WriteList()
  for (let at = 0; at < bytes.length;) {
    const database = DATABASES[bytes[at]!]!
    const isRemoval = bytes[at + 1] === 1
    const keyEnd = at + WRITE_BYTES + bytes.readUInt16LE(at + 2)
    const end = keyEnd + bytes.readUInt32LE(at + 4)
    const key = bytes.subarray(at + WRITE_BYTES, keyEnd)
    if (isRemoval) writes.remove(database, key)
    else writes.put(database, key, bytes.subarray(keyEnd, end))
    at = end
  }
  return writes
}

const aligned = (at: number): number => Math.ceil(at / PAGE_BYTES) * PAGE_BYTES

const sumOf = (bytes: Buffer): number =>
  crc32(bytes.subarray(HEADER_BYTES), crc32(bytes.subarray(4, 24)))

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
  const fd = openSync(dir, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
