import { createHash, type Hash } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import type { Item } from '../engine.ts'
import {
  decodeHeading,
  FILE_FIXED,
  FORM_VERSION,
  OLD_FORM_VERSION,
  HASH_BYTES,
  KIND,
  MARK,
  MAX_HEADING,
  MAX_VALUE,
  OBJECT_FIXED,
  UnusableBackup,
  type Heading,
  type BackupFile,
} from './form.ts'

/** A backup file whose heading was read and found good. */
export interface Backup {
  readonly heading: Heading
  /**
   * Everything behind the heading, once. Throws UnusableBackup, at the very end too: nothing that was read may be used
   * before this is done.
   */
  read(): AsyncGenerator<BackupPart>
  close(): Promise<void>
}

/** A part of a backup: some items, or a file. */
export type BackupPart = { readonly items: readonly Item[] } | { readonly file: BackupFile }

const PAGE_ITEMS = 500
const PAGE_BYTES = 1 << 20

/** Opens a backup. Throws UnusableBackup, and the system's error where there is no such file. */
export async function openBackup(path: string): Promise<Backup> {
  const file = await open(path, 'r')
  try {
    const reader = new Reader(file, path)
    const heading = await readHeading(reader, path)
    return { heading, read: () => readParts(reader, heading), close: () => file.close() }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function readHeading(reader: Reader, path: string): Promise<Heading> {
  const mark = await reader.upTo(MARK.length)
  if (!mark.equals(MARK)) throw new UnusableBackup(`${path} is not a backup`)
  const length = (await reader.take(4, 'heading')).readUInt32LE(0)
  if (length > MAX_HEADING) throw reader.damaged('the heading cannot be read')
  const json = await reader.take(length, 'heading')
  const expected = reader.digest()
  const digest = await reader.take(HASH_BYTES, 'heading')
  if (!digest.equals(expected)) throw reader.damaged('the checksum of the heading does not match')
  const heading = decodeHeading(json)
  if (heading === null) throw reader.damaged('the heading cannot be read')
  if (heading.version !== FORM_VERSION && heading.version !== OLD_FORM_VERSION) {
    throw new UnusableBackup(
      `${path} has form ${heading.version}, this program reads form ${FORM_VERSION}`,
    )
  }
  return heading
}

async function* readParts(reader: Reader, heading: Heading): AsyncGenerator<BackupPart> {
  let [objects, files, bytes] = [0, 0, 0]
  let items: Item[] = []
  let last: Buffer | null = null
  for (;;) {
    const kind = (await reader.take(1, 'records'))[0]
    if (kind === KIND.end) break
    if (kind === KIND.object && files === 0) {
      const { item, key } = await readObject(reader)
      const isPossible =
        item.created >= 1 && item.created <= item.changed && item.changed <= heading.revision
      if (!isPossible) throw reader.damaged('an object has revisions that cannot be')
      if (last !== null && Buffer.compare(last, key) >= 0)
        throw reader.damaged('its objects are out of order')
      last = key
      objects++
      items.push(item)
      bytes += item.value.length
    } else if (kind === KIND.file) {
      if (items.length > 0) yield { items }
      items = []
      files++
      yield { file: await readFile(reader) }
    } else throw reader.damaged('a record of unknown kind')
    if (items.length >= PAGE_ITEMS || bytes >= PAGE_BYTES) {
      yield { items }
      items = []
      bytes = 0
    }
  }
  const expected = reader.digest()
  const digest = await reader.take(HASH_BYTES, 'checksum')
  if (!digest.equals(expected)) throw reader.damaged('its checksum does not match')
  if ((await reader.upTo(1)).length > 0) throw reader.damaged('something follows its end')
  if (objects !== heading.objects || files !== heading.files) {
    throw reader.damaged(
      `it has ${objects} objects and ${files} files, not ${heading.objects} and ${heading.files}`,
    )
  }
  if (items.length > 0) yield { items }
}

async function readObject(reader: Reader): Promise<{ item: Item; key: Buffer }> {
  const fixed = await reader.take(OBJECT_FIXED, 'records')
  const keyBytes = fixed.readUInt16LE(0)
  const valueBytes = fixed.readUInt32LE(2)
  if (keyBytes === 0 || valueBytes > MAX_VALUE) throw reader.damaged('an object has no size')
  const both = await reader.take(keyBytes + valueBytes, 'records')
  const key = both.subarray(0, keyBytes)
  const item = {
    key: key.toString('utf8'),
    value: both.subarray(keyBytes),
    created: fixed.readDoubleLE(6),
    changed: fixed.readDoubleLE(14),
  }
  if (![item.created, item.changed].every(Number.isSafeInteger))
    throw reader.damaged('an object has revisions that cannot be')
  return { item, key }
}

async function readFile(reader: Reader): Promise<BackupFile> {
  const fixed = await reader.take(FILE_FIXED, 'records')
  const nameBytes = fixed.readUInt16LE(0)
  const size = fixed.readUInt32LE(2)
  if (size > MAX_VALUE) throw reader.damaged('a file has no size')
  const name = (await reader.take(nameBytes, 'records')).toString('utf8')
  return { name, content: await reader.take(size, 'records') }
}

/** Reads a file from its start and updates the checksum of the bytes read. */
class Reader {
  readonly #file: FileHandle
  readonly #path: string
  readonly #hash: Hash = createHash('sha256')
  #chunk: Buffer = Buffer.alloc(0)
  /** Offset of the next byte in the file. */
  #at = 0

  constructor(file: FileHandle, path: string) {
    this.#file = file
    this.#path = path
  }

  /** Checksum of everything that was read so far. */
  digest(): Buffer {
    return this.#hash.copy().digest()
  }

  damaged(what: string): UnusableBackup {
    return new UnusableBackup(
      `backup ${this.#path} is damaged: ${what} (before byte ${this.#at}); use another copy of it`,
    )
  }

  /** The next bytes; throws where the file ends before them. */
  async take(length: number, part: string): Promise<Buffer> {
    const bytes = await this.upTo(length)
    if (bytes.length === length) return bytes
    throw new UnusableBackup(
      `backup ${this.#path} is cut off: it ends in its ${part}, after ${this.#at} bytes; use another copy of it`,
    )
  }

  /** The next bytes, fewer where the file ends. */
  async upTo(length: number): Promise<Buffer> {
    while (this.#chunk.length < length) {
      // A damaged length leads to the end of the file, not to a large allocation.
      const piece = Buffer.allocUnsafe(Math.max(1 << 16, Math.min(length, 1 << 20)))
      const { bytesRead } = await this.#file.read(piece, 0, piece.length, null)
      if (bytesRead === 0) break
      this.#chunk = Buffer.concat([this.#chunk, piece.subarray(0, bytesRead)])
    }
    const bytes = this.#chunk.subarray(0, length)
    this.#chunk = this.#chunk.subarray(bytes.length)
    this.#hash.update(bytes)
    this.#at += bytes.length
    return bytes
  }
}
