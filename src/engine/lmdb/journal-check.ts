/**
 * Reads the journal that belongs to a data file, and refuses another: of several ways in which acknowledged writes can be
 * missing, each has its own message. What can be known after a crash and what cannot: docs/store.md.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readFile } from '../../base/files.ts'
import { UnusableDataDir, type Revision } from '../engine.ts'
import type { JournalMark } from './journal-mark.ts'
import {
  EARLIER_FORM,
  entriesAfter,
  findGap,
  formOf,
  JOURNAL_BYTES,
  readName,
  readPages,
  type JournalContent,
  type JournalEntry,
} from './journal-pages.ts'
import { DAMAGED, JOURNAL_FILE } from './layout.ts'

/** State of a data file, which its journal must continue. */
export interface DataState {
  /** Newest revision that LMDB has. */
  readonly revision: Revision
  readonly mark: JournalMark | null
}

/** Acknowledged writes are missing, or may be: the journal lacks them, or is not the one of the data file. */
export class DamagedJournal extends UnusableDataDir {
  override name = 'DamagedJournal'
  /** The newest revision that can be recovered. */
  readonly after: Revision
  /** The newest revision that the journal mentions; null where how much is missing is unknown. */
  readonly last: Revision | null

  constructor(message: string, { after, last }: Lack) {
    super(message)
    this.after = after
    this.last = last
  }
}

interface Lack {
  readonly after: Revision
  readonly last: Revision | null
}

/** The entries that follow what LMDB has, and what is wrong with the journal. */
interface Judged {
  readonly following: readonly JournalEntry[]
  readonly damage: DamagedJournal | null
}

/** Bytes of a directory's journal; null where there is none. */
export async function readJournal(dir: string): Promise<Buffer | null> {
  const path = join(dir, JOURNAL_FILE)
  return existsSync(path) ? readFile(path) : null
}

/**
 * The entries that LMDB is to be brought. Throws DamagedJournal when acknowledged writes are missing or may be, unless the
 * journal is to be `cut` there.
 */
export async function entriesToApply(
  dir: string,
  state: DataState,
  { cut = false } = {},
): Promise<readonly JournalEntry[]> {
  const { following, damage } = judgeJournal(dir, await readJournal(dir), state)
  if (damage && !cut) throw damage
  return following
}

/** Compares the content of a journal with the state of the data file. */
export function judgeJournal(dir: string, file: Buffer | null, state: DataState): Judged {
  const at = `journal ${join(dir, JOURNAL_FILE)}`
  const { mark } = state
  if (mark !== null && mark.journal !== null) return judgeOwn(at, file, state, mark.journal)
  return file === null ? GOOD : judgeUnneeded(at, file, state)
}

const GOOD: Judged = { following: [], damage: null }
const bad = (damage: DamagedJournal, following: readonly JournalEntry[] = []): Judged => ({
  following,
  damage,
})

/** Of a journal that may have writes which LMDB has not. */
function judgeOwn(at: string, file: Buffer | null, state: DataState, journal: string): Judged {
  const { revision, mark } = state
  if (file === null) return bad(mayLack(`${at} is missing`, revision))
  const name = file.length >= JOURNAL_BYTES ? readName(file) : null
  if (name && name.journal !== journal) {
    const which =
      name.store === mark?.store ? 'is another one of this store' : 'belongs to another store'
    return bad(mayLack(`${at} ${which}`, revision))
  }
  const content = readPages(file, formOf(journal))
  const following = entriesAfter(content.entries, revision)
  const after = following.at(-1)?.last ?? revision
  const gap = gapOf(at, content, after)
  if (gap) return bad(gap, following)
  // A page that says to which journal it belongs shows as much as the first one.
  if (name === null && content.pages.length === 0)
    return bad(mayLack(`${at} is damaged: it does not say to which store it belongs`, revision))
  const end = content.pages.reduce((newest, { last }) => Math.max(newest, last), 0)
  const { reach = 0 } = mark ?? {}
  if (end >= reach) return { following, damage: null }
  const is = `${at} is older than the data file: it ends at revision ${end}, and had revision ${reach}`
  return bad(mayLack(is, revision))
}

/** Of one that lies beside a data file that needs none. */
function judgeUnneeded(at: string, file: Buffer, { revision, mark }: DataState): Judged {
  const name = readName(file)
  if (name === null) {
    // One of a release that did not name them, or the remains of one.
    const content = readPages(file, EARLIER_FORM)
    const following = entriesAfter(content.entries, revision)
    return { following, damage: gapOf(at, content, following.at(-1)?.last ?? revision) }
  }
  const { pages } = readPages(file, formOf(name.journal))
  const last = pages.reduce((newest, page) => Math.max(newest, page.last), 0)
  const none = `the data file is at revision ${revision} and needs no journal`
  if (mark !== null && name.store !== mark.store) {
    const todo = `if the data file is the right one, move the journal away, otherwise ${DAMAGED}`
    const why = `${at} belongs to another store: ${none}; ${todo}`
    return bad(new DamagedJournal(why, { after: revision, last: revision }))
  }
  if (last <= revision) return GOOD
  const writes = `the journal has writes up to revision ${last}`
  const todo = `put the right data file back, ${remedy(writesOf(last - revision))}`
  const why = `${at} is newer than the data file: ${none}, and ${writes}; ${todo}`
  return bad(new DamagedJournal(why, { after: revision, last }))
}

/** What is missing behind a revision, as far as a journal shows it; null when nothing is. */
function gapOf(at: string, content: JournalContent, after: Revision): DamagedJournal | null {
  const gap = findGap(content, after)
  if (!gap) return null
  const { position, next, last } = gap
  const place = `${at} is damaged at byte ${position}`
  if (next === null) return mayLack(`${place}: it ends there`, after)
  const what = `the writes of ${revisions(after + 1, next - 1)} cannot be read, and later ones up to ${last} follow`
  const why = `${place}: ${what}; ${remedy(writesOf(last - after))}`
  return new DamagedJournal(why, { after, last })
}

/** How many writes are missing is not known. */
const mayLack = (what: string, after: Revision): DamagedJournal =>
  new DamagedJournal(
    `${what}; writes from revision ${after + 1} on may be missing: put the right one back, ${remedy('what is missing')}`,
    { after, last: null },
  )

const remedy = (what: string): string =>
  `${DAMAGED}, or give up ${what} with the command cut-journal (docs/store.md)`

const writesOf = (count: number): string => (count === 1 ? '1 write' : `${count} writes`)

const revisions = (first: Revision, last: Revision): string =>
  first === last ? `revision ${first}` : `revisions ${first} to ${last}`
