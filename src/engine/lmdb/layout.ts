/** Names and formats of the embedded store's file. */
import type { Database, RootDatabase, RootDatabaseOptionsWithPath, Transaction } from 'lmdb'
import { OWNER_FILE } from '../../base/folders.ts'
import { UnusableDataDir, type Revision } from '../engine.ts'
import { readPlaceKey } from './value-record.ts'

/** Keys and values as they are. */
export type Bytes = Database<Buffer, Buffer>

/** The databases of a store. */
export interface Databases {
  /** Changes by revision; each value is here once. */
  readonly values: Bytes
  /** Newest change of each key. */
  readonly heads: Bytes
  readonly meta: Bytes
  /** Keys that go by themselves, by time. */
  readonly expiries: Bytes
}

/** A value in memory that the next read overwrites, which spares its garbage. */
export function readShortly(database: Bytes, key: Buffer): Buffer | undefined {
  const shared = database.getBinaryFast(key)
  // Its length is that of the value, and its memory longer.
  return shared?.subarray(0, shared.length)
}

/** Name of the file in the store's directory. */
export const DATA_FILE = 'data.mdb'
/** Name of the file with small transactions that LMDB has not yet. */
export const JOURNAL_FILE = 'journal'
/** Name of the file that is given up when a disk is full, so that there is room to delete. */
export const RESERVE_FILE = 'reserve'
/** Version of the format of the databases. */
export const FORMAT_VERSION = '2'
/** Larger pages hold a few objects each: less space is lost than with the system's 4 KiB. */
const PAGE_BYTES = 16_384
/** Longest key that LMDB takes, with some room. */
export const MAX_KEY_BYTES = 1_900
/** Keys of the database `meta`. */
export const META = {
  format: Buffer.from('format'),
  floor: Buffer.from('floor'),
  /** There while whatever writes the store records when keys go. */
  expiring: Buffer.from('expiring'),
  /** Which journal belongs to the file, and how far it reaches at least. */
  journal: Buffer.from('journal'),
} as const
/** Bytes of a time in front of a key of `expiries`. */
export const TIME_BYTES = 6
/** Remedy for damage, for messages. */
export const DAMAGED = 'restore a backup into another directory (docs/backup.md)'

/** Why a data directory cannot be used, with a remedy where the library reports damage. */
export function unusable(what: string, error: unknown): UnusableDataDir {
  if (error instanceof UnusableDataDir) return error
  const why = error instanceof Error ? error.message : String(error)
  const remedy = DAMAGE.test(why) ? `; the data file is damaged: ${DAMAGED}` : ''
  return new UnusableDataDir(`${what}: ${why}${remedy}`, { cause: error })
}

const DAMAGE = /^MDB_(PAGE_NOTFOUND|CORRUPTED|INVALID|PANIC|VERSION_MISMATCH)/

/** A store of another format; for the previous one the message says how to move it. */
export const otherFormat = (dir: string, found: string | undefined, wanted: string) =>
  new UnusableDataDir(
    `data directory ${dir} has format ${found ?? 'unknown'}, this program reads format ${wanted}${found === '1' ? '; move it with the command "migrate --in-place" (docs/store.md)' : ''}`,
  )

/** How the file is opened. */
export function openOptions(
  path: string,
  { readOnly = false, isFlushed = true } = {},
): RootDatabaseOptionsWithPath {
  return {
    path,
    noSubdir: true,
    permissionsMode: OWNER_FILE,
    pageSize: PAGE_BYTES,
    maxDbs: 8,
    // A commit resolves when it is on disk, not before.
    overlappingSync: false,
    // With it, a failed commit also rejects a promise that callers cannot reach, which ends the process.
    eventTurnBatching: false,
    // The system writes by itself, in its own time: a crash of this process loses nothing, one of the machine may.
    noSync: !isFlushed,
    readOnly,
    encoding: 'binary',
    keyEncoding: 'binary',
  } as RootDatabaseOptionsWithPath
}

/** Opens the databases; those of a file that is only read are undefined when they are not there. */
export function databases(root: RootDatabase<Buffer, Buffer>): Databases {
  const db = (name: string) =>
    root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' })
  return { values: db('values'), heads: db('heads'), meta: db('meta'), expiries: db('expiries') }
}

/** Where reads see the store: in a transaction of theirs, or as it is. */
export interface Reading {
  readonly transaction?: Transaction
}

/** The words that the data depends on; null when nothing was ever written. Throws UnusableDataDir. */
export function readFormat(
  meta: Bytes,
  dir: string,
  reading: Reading = {},
): Readonly<Record<string, string>> | null {
  const text = meta.get(META.format, reading)?.toString('utf8')
  if (text === undefined) return null
  try {
    const words = JSON.parse(text) as unknown
    if (typeof words === 'object' && words !== null) return words as Record<string, string>
  } catch {
    // Reported below, like JSON that is no map.
  }
  throw new UnusableDataDir(
    `data directory ${dir} is damaged: its format mark cannot be read; ${DAMAGED}`,
  )
}

/** The compaction floor and the newest revision. */
export function readRevisions(
  { values, meta }: Pick<Databases, 'values' | 'meta'>,
  reading: Reading = {},
): { readonly oldest: Revision; readonly revision: Revision } {
  const oldest = Number(meta.get(META.floor, reading)?.toString('utf8') ?? '0')
  let newest: Revision = 0
  for (const key of values.getKeys({ reverse: true, limit: 1, ...reading }))
    newest = readPlaceKey(key).revision
  // A deletion whose mark was compacted away may have been the newest revision.
  return { oldest, revision: Math.max(newest, oldest) }
}
