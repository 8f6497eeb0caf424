/** What the data file says of the journal beside it. */
import { randomBytes } from 'node:crypto'
import { UnusableDataDir, type Revision } from '../engine.ts'
import { DAMAGED, META, type Bytes, type Reading } from './layout.ts'
import { WriteList, type Writes } from './writes.ts'

/**
 * Written when a journal is begun, before its first entry is acknowledged; with each transaction that brings entries to
 * LMDB; and when everything is in LMDB and the journal is used no more. So it costs no flush of its own but at the begin
 * and, where nothing else is left to be written, at the end.
 */
export interface JournalMark {
  /** Identity of the store: made with its first journal. */
  readonly store: string
  /** Identity of the journal that may have writes which LMDB has not; null: LMDB has everything. */
  readonly journal: string | null
  /** The newest revision that went to LMDB by way of that journal, which it has too; 0: none did. */
  readonly reach: Revision
}

const IDENTITY = /^[0-9a-f]{32}$/

/** An identity that no other store or journal has. */
const newIdentity = (): string => randomBytes(16).toString('hex')

/** Mark of a new journal, in the place of the last one. */
export const begunMark = (
  before: JournalMark | null,
): JournalMark & { readonly journal: string } => ({
  store: before?.store ?? newIdentity(),
  journal: newIdentity(),
  reach: 0,
})

/** Mark of a store that needs no journal. */
export const endedMark = ({ store }: JournalMark): JournalMark => ({
  store,
  journal: null,
  reach: 0,
})

/** Adds the write of a mark. */
export const writeMark = (writes: Writes, mark: JournalMark): void =>
  writes.put('meta', META.journal, Buffer.from(JSON.stringify(mark)))

/** The write of a mark, alone. */
export function markWrites(mark: JournalMark): WriteList {
  const writes = new WriteList()
  writeMark(writes, mark)
  return writes
}

/** The mark of a data file; null where no journal was ever begun. Throws UnusableDataDir. */
export function readJournalMark(
  meta: Bytes,
  dir: string,
  reading: Reading = {},
): JournalMark | null {
  const text = meta.get(META.journal, reading)?.toString('utf8')
  if (text === undefined) return null
  const mark = parsed(text)
  if (mark !== null) return mark
  throw new UnusableDataDir(
    `data directory ${dir} is damaged: its mark of the journal cannot be read; ${DAMAGED}`,
  )
}

function parsed(text: string): JournalMark | null {
  try {
    const { store, journal, reach } = JSON.parse(text) as Record<string, unknown>
    const isIdentity = (value: unknown): value is string =>
      typeof value === 'string' && IDENTITY.test(value)
    if (!isIdentity(store) || !(journal === null || isIdentity(journal))) return null
    return Number.isSafeInteger(reach) ? { store, journal, reach: reach as Revision } : null
  } catch {
    return null
  }
}
