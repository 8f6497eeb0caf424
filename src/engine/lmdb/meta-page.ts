import { readSync } from 'node:fs'

/** A tree of the file: the main one, the free list, or a database. */
export interface Tree {
  readonly name: string
  /** Number of its first page; null when it is empty. */
  readonly root: number | null
  /** Flags of the tree, bits of LMDB. */
  readonly flags: number
  /** Pages from its root to a leaf. */
  readonly depth: number
}

/** State of a store according to one of the two first pages of a file. */
export interface Meta {
  readonly pageBytes: number
  /** How much of the file was mapped when this was written. */
  readonly mapBytes: number
  readonly transaction: bigint
  /** Number of the last page that was ever used; the file may be shorter. */
  readonly lastPage: number
  readonly free: Tree
  readonly main: Tree
}

/** Bytes in front of every page, with its own number and its type. */
export const HEADER_BYTES = 24
/** Bytes of the record of a tree. */
export const TREE_BYTES = 48

const MAGIC = 0xbeefc0de
const VERSION = 2
const IS_META = 8
/** No system maps more than that. */
const MAX_MAP_BYTES = 2 ** 47
/** Offsets in the two pages that an LMDB file begins with. */
const AT = {
  kind: 18,
  magic: 24,
  version: 28,
  mapBytes: 40,
  pageBytes: 48,
  free: 48,
  main: 96,
  lastPage: 144,
  transaction: 152,
} as const
const META_BYTES = 160
const NO_PAGE = 0xffff_ffff_ffff_ffffn
/** Pages in front of those of trees. */
export const FIRST_PAGE = 2
/** Transactions that may have freed nothing yet. */
const FIRST_TRANSACTIONS = 2n
/** Flags of the free list: its keys are numbers; and a setting that LMDB keeps there. */
export const NUMBERS = 0x08
const WITHOUT_FOLDER = 0x4000
const NO_SIZE = 'the size of its pages cannot be read'

/** Reads the record of a tree. */
export function readTree(name: string, bytes: Buffer): Tree {
  const root = bytes.readBigUInt64LE(40)
  return {
    name,
    root: root === NO_PAGE ? null : Number(root),
    flags: bytes.readUInt16LE(4),
    depth: bytes.readUInt16LE(6),
  }
}

/**
 * The newest state that an open file has, as LMDB would choose it. Both of its first pages are looked at, since LMDB
 * takes its settings from the first one whichever is newer. Throws what `damaged` makes of a reason.
 */
export function readNewestMeta(fd: number, damaged: (what: string) => Error): Meta {
  const first = readMeta(fd, 0, damaged)
  const { pageBytes } = first
  const isSize = pageBytes >= 256 && pageBytes <= 65_536 && (pageBytes & (pageBytes - 1)) === 0
  if (!isSize) throw damaged(NO_SIZE)
  const second = readMeta(fd, pageBytes, damaged)
  if (second.pageBytes !== pageBytes) throw damaged(NO_SIZE)
  for (const { free, main } of [first, second])
    if ((free.flags & ~WITHOUT_FOLDER) !== NUMBERS || main.flags !== 0)
      throw damaged('it has settings that no store has')
  const [older, newest] = second.transaction > first.transaction ? [first, second] : [second, first]
  checkOrder(first, second, damaged)
  const { lastPage, mapBytes } = newest
  // No page is ever given back.
  const isRange = lastPage >= older.lastPage && (lastPage + 1) * pageBytes <= mapBytes
  if (!isRange || mapBytes > MAX_MAP_BYTES) throw damaged('the number of its pages cannot be read')
  if (newest.main.root === null && lastPage >= FIRST_PAGE)
    throw damaged('it has no list of databases')
  if (newest.free.root === null && newest.transaction > FIRST_TRANSACTIONS)
    throw damaged('it has no free list')
  return newest
}

/**
 * Transactions are numbered without gaps and write the two pages in turn, even ones the first. Where one page has another
 * number, LMDB would take an older state for the newest, or overwrite the newest.
 */
function checkOrder(first: Meta, second: Meta, damaged: (what: string) => Error): void {
  const [a, b] = [first.transaction, second.transaction]
  const isNew = a === 0n && b === 0n
  const isTurn = a % 2n === 0n && (b === a + 1n || a === b + 1n)
  if (!isNew && !isTurn) throw damaged('its first two pages do not follow each other')
}

function readMeta(fd: number, position: number, damaged: (what: string) => Error): Meta {
  const bytes = Buffer.alloc(META_BYTES)
  const bytesRead = readSync(fd, bytes, 0, META_BYTES, position)
  const isMeta =
    bytesRead === META_BYTES &&
    bytes.readUInt32LE(AT.magic) === MAGIC &&
    bytes.readUInt32LE(AT.version) === VERSION &&
    (bytes.readUInt16LE(AT.kind) & IS_META) !== 0
  if (!isMeta) throw damaged('it does not begin as a store does')
  return {
    pageBytes: bytes.readUInt32LE(AT.pageBytes),
    mapBytes: Number(bytes.readBigUInt64LE(AT.mapBytes)),
    transaction: bytes.readBigUInt64LE(AT.transaction),
    lastPage: Number(bytes.readBigUInt64LE(AT.lastPage)),
    free: readTree('the free list', bytes.subarray(AT.free)),
    main: readTree('the list of databases', bytes.subarray(AT.main)),
  }
}
