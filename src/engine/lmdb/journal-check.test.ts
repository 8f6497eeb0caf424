import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import { cutJournal } from './cut-journal.ts'
import { openLmdb } from './engine.ts'
import { formOf, readName, readPages } from './journal-pages.ts'
import { openLmdbSnapshot } from './snapshot.ts'

const clock = new ManualClock()
const root = mkdtempSync(join(tmpdir(), 'journal-check-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const PROGRAM = join(import.meta.dirname, 'stopped-store.fixture.ts')
const PAGE = 4_096
/** Acknowledged writes, and the last that LMDB has of a killed one. */
const ALL = 36
const APPLIED = 24

/** A store with copies of its files beside it, whose process was killed. */
async function stopped(name: string, how: string): Promise<string> {
  const made = join(root, name)
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, made, how], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'close')
  return made
}

beforeAll(async () => {
  await stopped('killed', 'killed')
  await stopped('other', 'killed')
  await stopped('closed', 'closed')
}, 60_000)

const hashOf = (dir: string) =>
  ['data.mdb', 'journal'].map((file) => {
    try {
      return createHash('sha256')
        .update(readFileSync(join(dir, file)))
        .digest('hex')
    } catch {
      return null
    }
  })

/** What is done to the files of a store; `made` has it and the copies. */
type Damage = (dir: string, made: string) => void

const journal = (dir: string) => join(dir, 'journal')
const copied =
  (from: string, to = from.split('.')[0]!): Damage =>
  (dir, made) =>
    cpSync(join(made, from === 'data' ? 'data.mdb' : from), join(dir, to))
const data = (copy: string) => copied(`data.mdb.${copy}`, 'data.mdb')
const changed =
  (change: (bytes: Buffer) => void): Damage =>
  (dir) => {
    const bytes = readFileSync(journal(dir))
    change(bytes)
    writeFileSync(journal(dir), bytes)
  }
/** The page of the newest entries with a revision, flipped in its content. */
const flippedAt = (revision: number) =>
  changed((bytes) => {
    for (const { position } of pagesOf(bytes).filter((page) => page.last === revision))
      bytes[position + 40]! ^= 1
  })
const pagesOf = (bytes: Buffer) => readPages(bytes, formOf(readName(bytes)!.journal)).pages

const REMEDY =
  'restore a backup into another directory (docs/backup.md), or give up what is missing with the command cut-journal (docs/store.md)'
const lacks = (what: string, after = APPLIED) =>
  `${what}; writes from revision ${after + 1} on may be missing: put the right one back, ${REMEDY}`
const unreadable = (at: number, what: string, writes: number) =>
  `is damaged at byte ${at}: the writes of ${what} cannot be read, and later ones up to ${ALL} follow; ${REMEDY.replace('what is missing', `${writes} writes`)}`
const foreign = `belongs to another store: the data file is at revision ${ALL} and needs no journal; if the data file is the right one, move the journal away, otherwise restore a backup into another directory (docs/backup.md)`
const newer = (at: number, writes: number) =>
  `is newer than the data file: the data file is at revision ${at} and needs no journal, and the journal has writes up to revision ${ALL}; put the right data file back, ${REMEDY.replace('what is missing', `${writes} writes`)}`

interface Row {
  readonly what: string
  readonly damage: Damage
  /** What a start says of the journal, or the newest revision that it finds. */
  readonly killed: string | number
  readonly closed: string | number
}
const row = (
  what: string,
  damage: Damage,
  killed: Row['killed'],
  closed: Row['closed'] = ALL,
): Row => ({ what, damage, killed, closed })

const NO_NAME = 'is damaged: it does not say to which store it belongs'
const rows: readonly Row[] = [
  row('left as it is', () => {}, ALL),
  row('removed', (dir) => rmSync(journal(dir)), lacks('is missing')),
  row(
    'emptied',
    (dir) => truncateSync(journal(dir), 0),
    lacks('is damaged at byte 0: it ends there'),
  ),
  row(
    'zeros',
    changed((bytes) => bytes.fill(0)),
    lacks(NO_NAME),
  ),
  row(
    'zeros, and short',
    (dir) => writeFileSync(journal(dir), Buffer.alloc(8_192)),
    lacks('is damaged at byte 8192: it ends there'),
  ),
  row(
    'another file',
    changed((bytes) => bytes.fill('x')),
    lacks(NO_NAME),
  ),
  row(
    'zeros but for its first page',
    changed((bytes) => bytes.fill(0, PAGE)),
    lacks(`is older than the data file: it ends at revision 0, and had revision ${APPLIED}`),
  ),
  row(
    'without its first page',
    changed((bytes) => bytes.fill(0, 0, PAGE)),
    ALL,
  ),
  row(
    'with a bit of its first page flipped',
    changed((bytes) => void (bytes[10]! ^= 4)),
    ALL,
  ),
  row('with the last entry flipped, which a crash may have cut off', flippedAt(ALL), ALL - 1),
  row(
    'with the first entry flipped that only it has',
    flippedAt(APPLIED + 1),
    unreadable(PAGE, `revision ${APPLIED + 1}`, 12),
  ),
  row('with the last entry flipped that LMDB has too', flippedAt(APPLIED), ALL),
  row(
    'begun, and without an entry',
    copied('journal.begun'),
    lacks(`is older than the data file: it ends at revision 0, and had revision ${APPLIED}`),
  ),
  row(
    'an older copy',
    copied('journal.early'),
    lacks(`is older than the data file: it ends at revision 9, and had revision ${APPLIED}`),
  ),
  // Nothing was written since that says how far it reaches.
  row('a copy from when LMDB was last brought something', copied('journal.applied'), APPLIED),
  row('a copy from after that', copied('journal.late'), 30),
  row('that of the last time', copied('journal.last-time'), lacks('is another one of this store')),
  row(
    'that of another directory',
    copied('../other/store/journal', 'journal'),
    lacks('belongs to another store'),
    foreign,
  ),
  row('with the data file of before, but all since', data('applied'), ALL),
  row(
    'with the data file of when it was begun',
    data('begun'),
    unreadable(PAGE, 'revisions 5 to 14', 32),
    unreadable(PAGE, 'revisions 5 to 14', 32),
  ),
  row('with the data file of the last time', data('last-time'), newer(4, 32), newer(4, 32)),
  row(
    'and the data file that of another directory',
    copied('../other/store/data.mdb', 'data.mdb'),
    lacks('belongs to another store'),
    lacks('belongs to another store'),
  ),
]

describe.each(['killed', 'closed'] as const)('after a server was %s, a journal', (how) => {
  let serial = 0
  const copyOf = (damage: Damage): string => {
    const made = join(root, how)
    const dir = join(root, `${how}-${serial++}`)
    cpSync(join(made, 'store'), dir, { recursive: true, filter: (path) => !path.endsWith('lock') })
    damage(dir, made)
    return dir
  }

  /** What a start makes of a store: the newest revision, or what it says. */
  async function started(dir: string): Promise<string | number> {
    try {
      const engine = await openLmdb({ dir, clock, verify: 'all', journalAfter: 0 })
      const { items } = await engine.range('/a/')
      expect(items).toHaveLength(engine.revision())
      await engine.close()
      return engine.revision()
    } catch (error) {
      const { message } = error as Error
      expect(message.startsWith(`journal ${journal(dir)} `)).toBe(true)
      return message.slice(`journal ${journal(dir)} `.length)
    }
  }

  test.each(rows)('$what', async ({ damage, [how]: wanted }) => {
    const dir = copyOf(damage)
    const before = hashOf(dir)
    const found = await started(dir)
    expect(found).toEqual(wanted)
    if (typeof wanted === 'number') {
      expect(await started(dir)).toBe(wanted)
      return
    }
    expect(hashOf(dir)).toEqual(before)
    await expect(openLmdbSnapshot(dir)).rejects.toThrow(wanted)
    const cut = await cutJournal(dir, { clock, bump: 1_000 })
    expect(cut?.revision).toBe(1_000_000)
    const engine = await openLmdb({ dir, clock, verify: 'all' })
    expect((await engine.range('/a/')).items).toHaveLength(cut!.kept)
    await engine.close()
  })

  test('cut off at the end of any page, or within', async () => {
    const length = readFileSync(join(root, how, 'store', 'journal')).length
    const ends = [1, 2, 3, 8, 14, 15, 16, 257, 258, 513 - 1]
      .flatMap((pages) => [pages * PAGE, pages * PAGE - 1, pages * PAGE + 33])
      .filter((end) => end < length)
    for (const end of ends) {
      const dir = copyOf((store) => truncateSync(journal(store), end))
      const found = await started(dir)
      if (how === 'closed') expect({ end, found }).toEqual({ end, found: ALL })
      else
        expect(found).toMatch(
          new RegExp(
            `^is damaged at byte ${end}: it ends there; writes from revision \\d+ on may be missing: `,
          ),
        )
      rmSync(dir, { recursive: true })
    }
  })
})
