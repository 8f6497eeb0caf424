/** Format of the journal's file, and detection of its damage. */
import { crc32 } from 'node:zlib'
import type { Revision } from '../engine.ts'
import { crcOfFew } from './crc-of-few.ts'
import { WriteList } from './writes.ts'

/*
 * The first page names the store and the journal:
 *
 *     bytes 0-3    mark
 *     bytes 4-19   identity of the store
 *     bytes 20-35  identity of the journal, a new one each time that a server begins to keep one
 *     bytes 36-39  CRC-32 of bytes 0 to 35
 *
 * Two halves of pages follow. An entry is one transaction, in as many of them as it takes:
 *
 *     bytes 0-3    mark
 *     bytes 4-5    which page of the entry this is, from 0
 *     bytes 6-7    how many the entry has
 *     bytes 8-15   first revision of the transaction
 *     bytes 16-23  last revision
 *     bytes 24-27  bytes of the writes that are in this page
 *     bytes 28-31  CRC-32 of bytes 0 to 27 and of those, XOR that of the identity of the journal
 *     writes, as a list of them is packed (writes.ts)
 *
 * Numbers are doubles (revisions) or integers, little-endian. Pages behind the last one keep their earlier contents.
 *
 * Each page identifies itself, so that every one is found whatever became of those before it, those of other journals are
 * not read, and a client's data cannot be taken for one: no page begins with it. An entry is begun when the one before is on disk, and acknowledged
 * when it is itself. So of entries that LMDB does not have, only the newest can have been cut off by a crash, and what
 * such an entry lacks was never acknowledged. What else lacks was, which a page of a later entry shows. Pages of entries
 * that LMDB has, behind the last, show nothing.
 */

/** Revisions of one transaction and its writes. */
export interface JournalEntry {
  readonly first: Revision
  readonly last: Revision
  readonly writes: WriteList
}

/** A page that can be read. */
interface JournalPage {
  /** Where it begins in the file. */
  readonly position: number
  readonly index: number
  readonly count: number
  readonly first: Revision
  readonly last: Revision
  readonly content: Buffer
}

/** Which store a journal belongs to, and which of its journals it is: 32 hexadecimal digits each. */
export interface JournalIdentity {
  readonly store: string
  readonly journal: string
}

/** What the pages of one journal have in common. */
export interface PageForm {
  readonly mark: number
  /** What their checksums are combined with. */
  readonly seed: number
  /** Where the first half begins. */
  readonly start: number
}

/** All that can be read of a journal. */
export interface JournalContent {
  readonly form: PageForm
  /** In order of revision. */
  readonly entries: readonly JournalEntry[]
  /** In order of position. */
  readonly pages: readonly JournalPage[]
  /** Length of the file. */
  readonly bytes: number
}

/** Writes that were acknowledged and cannot be read. */
export interface JournalGap {
  /** Where in the file the first of them should be. */
  readonly position: number
  /** The first revision behind the missing ones that is there; null when the file ends before. */
  readonly next: Revision | null
  /** The newest revision in the file. */
  readonly last: Revision
}

const PAGE_BYTES = 4_096
export const HALF_BYTES = 1 << 20
/** Where the first half begins: behind the page that names the journal. */
export const HALVES_AT = PAGE_BYTES
export const JOURNAL_BYTES = HALVES_AT + 2 * HALF_BYTES
/** Bytes of journals of earlier releases, which are read. */
const EARLIER_BYTES = 2 * HALF_BYTES
const FIRST_HALF_BYTES = 512 << 10
const FIRST_BYTES = 2 * FIRST_HALF_BYTES
const HEADER_BYTES = 32
/** Where the checksum is in a header. */
const SUM_AT = 28
const CONTENT_BYTES = PAGE_BYTES - HEADER_BYTES
const MARK = 0x334e524a
const NAME_MARK = 0x484e524a
const IDENTITY_BYTES = 16
const NAME_SUM_AT = 4 + 2 * IDENTITY_BYTES
const NAME_BYTES = NAME_SUM_AT + 4

/** Pages as earlier releases wrote them, which belong to any journal. */
export const EARLIER_FORM: PageForm = { mark: 0x324e524a, seed: 0, start: 0 }

/** Pages of the journal with an identity. */
export const formOf = (journal: string): PageForm => ({
  mark: MARK,
  seed: crc32(Buffer.from(journal, 'hex')),
  start: HALVES_AT,
})

/** The first page of a journal. */
export function encodeName({ store, journal }: JournalIdentity): Buffer {
  const page = Buffer.alloc(PAGE_BYTES)
  page.writeUInt32LE(NAME_MARK, 0)
  page.write(store, 4, 'hex')
  page.write(journal, 4 + IDENTITY_BYTES, 'hex')
  page.writeUInt32LE(crc32(page.subarray(0, NAME_SUM_AT)), NAME_SUM_AT)
  return page
}

/** The identity in the first page of a file; null where none can be read. */
export function readName(file: Buffer): JournalIdentity | null {
  if (file.length < NAME_BYTES || file.readUInt32LE(0) !== NAME_MARK) return null
  if (file.readUInt32LE(NAME_SUM_AT) !== crc32(file.subarray(0, NAME_SUM_AT))) return null
  return {
    store: file.toString('hex', 4, 4 + IDENTITY_BYTES),
    journal: file.toString('hex', 4 + IDENTITY_BYTES, NAME_SUM_AT),
  }
}

/** Bytes of an entry in the file. */
export const entryBytes = ({ bytes }: WriteList): number =>
  bytes + Math.max(1, Math.ceil(bytes / CONTENT_BYTES)) * HEADER_BYTES

/** An entry as it is in the file, at the beginning of `memory` that has room for it. */
export function encodeEntry(
  entry: JournalEntry,
  { mark, seed }: PageForm,
  memory: Buffer = Buffer.allocUnsafe(entryBytes(entry.writes)),
): Buffer {
  const { first, last, writes } = entry
  const bytes = memory.subarray(0, entryBytes(writes))
  const { packed } = writes
  const count = Math.ceil(bytes.length / PAGE_BYTES)
  for (let index = 0; index < count; index++) {
    const at = index * PAGE_BYTES
    const content = packed.subarray(index * CONTENT_BYTES, (index + 1) * CONTENT_BYTES)
    bytes.set(content, at + HEADER_BYTES)
    bytes.writeUInt32LE(mark, at)
    bytes.writeUInt16LE(index, at + 4)
    bytes.writeUInt16LE(count, at + 6)
    bytes.writeDoubleLE(first, at + 8)
    bytes.writeDoubleLE(last, at + 16)
    bytes.writeUInt32LE(content.length, at + 24)
    const sum = crc32(content, crcOfFew(bytes, at, at + SUM_AT))
    bytes.writeUInt32LE((sum ^ seed) >>> 0, at + SUM_AT)
  }
  return bytes
}

/** Reads every page of a file that has a form, wherever it is. */
export function readPages(file: Buffer, form: PageForm): JournalContent {
  const pages: JournalPage[] = []
  for (let position = 0; position < file.length; position += PAGE_BYTES) {
    const page = pageOf(file.subarray(position, position + PAGE_BYTES), position, form)
    if (page) pages.push(page)
  }
  const first = form === EARLIER_FORM ? entriesOfFirstRelease(file) : []
  const entries = [...entriesOf(pages), ...first]
  return { form, pages, entries: entries.sort((a, b) => a.first - b.first), bytes: file.length }
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

/** The gap behind a revision up to which everything is there; null when there is none. */
export function findGap(content: JournalContent, after: Revision): JournalGap | null {
  const { pages, bytes } = content
  // A page of the entry that follows at once may be all of it that a crash let through.
  const later = pages.filter(({ first }) => first > after + 1)
  const [some] = later
  if (some) {
    const next = later.reduce((a, b) => (b.first < a.first ? b : a), some)
    const last = Math.max(...later.map((page) => page.last))
    return { position: damageBefore(content, next.position, after), next: next.first, last }
  }
  // All of its room is taken before the first entry: a crash makes it no shorter.
  const isShort =
    content.form !== EARLIER_FORM
      ? bytes < JOURNAL_BYTES
      : bytes < EARLIER_BYTES && bytes !== FIRST_BYTES && pages.length > 0
  return isShort ? { position: bytes, next: null, last: after } : null
}

/** Position of the missing pages before a page: behind the good pages of its half, or in the other half. */
function damageBefore(content: JournalContent, next: number, after: Revision): number {
  const { pages, bytes, form } = content
  const halfBytes = bytes === FIRST_BYTES ? FIRST_HALF_BYTES : HALF_BYTES
  const good = (from: number, to: number): number =>
    pages
      .filter(({ position, last }) => position >= from && position < to && last <= after)
      .reduce((end, { position }) => Math.max(end, position + PAGE_BYTES), from)
  const [one, other] = [form.start, form.start + halfBytes]
  const half = next < other ? one : other
  const end = good(half, next)
  if (end < next) return end
  const newest = pages.filter(({ last }) => last === after).at(-1)
  return newest ? newest.position + PAGE_BYTES : one + other - half
}

function pageOf(bytes: Buffer, position: number, { mark, seed }: PageForm): JournalPage | null {
  if (bytes.length < HEADER_BYTES || bytes.readUInt32LE(0) !== mark) return null
  const length = bytes.readUInt32LE(24)
  if (length > bytes.length - HEADER_BYTES) return null
  const page = bytes.subarray(0, HEADER_BYTES + length)
  if (page.readUInt32LE(SUM_AT) !== (sumOf(page) ^ seed) >>> 0) return null
  return {
    position,
    index: page.readUInt16LE(4),
    count: page.readUInt16LE(6),
    first: page.readDoubleLE(8),
    last: page.readDoubleLE(16),
    content: page.subarray(HEADER_BYTES),
  }
}

/** Entries of which every page is there. */
function* entriesOf(pages: readonly JournalPage[]): Generator<JournalEntry> {
  for (const [at, { first, last, index, count, position }] of pages.entries()) {
    if (index !== 0) continue
    const own = pages
      .slice(at, at + count)
      .filter(
        (page, i) =>
          page.first === first && page.index === i && page.position === position + i * PAGE_BYTES,
      )
    if (own.length !== count) continue
    const content = own.length === 1 ? own[0]!.content : Buffer.concat(own.map((p) => p.content))
    yield { first, last, writes: WriteList.of(content) }
  }
}

/**
 * Entries as the first release with a journal wrote them, one behind the other from the start of each half, which its
 * crash may have left: mark, length (4), first and last revision, CRC-32 of bytes 4 to 23 and of the writes, writes.
 */
function* entriesOfFirstRelease(file: Buffer): Generator<JournalEntry> {
  for (const start of [0, FIRST_HALF_BYTES]) {
    const half = file.subarray(start, start + FIRST_HALF_BYTES)
    let newest = -1
    for (let at = 0; at + 28 <= half.length && half.readUInt32LE(at) === 0x314e524a;) {
      const bytes = half.subarray(at, at + 28 + half.readUInt32LE(at + 4))
      const first = bytes.readDoubleLE(8)
      const sum = crc32(bytes.subarray(28), crc32(bytes.subarray(4, 24)))
      if (bytes.readUInt32LE(24) !== sum || first <= newest) break
      newest = bytes.readDoubleLE(16)
      yield { first, last: newest, writes: WriteList.of(bytes.subarray(28)) }
      at = aligned(at + bytes.length)
    }
  }
}

/** Where the next page begins. */
export const aligned = (at: number): number => Math.ceil(at / PAGE_BYTES) * PAGE_BYTES

const sumOf = (page: Buffer): number =>
  crc32(page.subarray(HEADER_BYTES), crcOfFew(page, 0, SUM_AT))
