import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import { cutJournal } from './cut-journal.ts'
import { openLmdb } from './engine.ts'
import { Environment } from './environment.ts'
import {
  EARLIER_FORM,
  encodeEntry,
  entriesAfter,
  findGap,
  formOf,
  readName,
  readPages,
  type JournalEntry,
} from './journal-pages.ts'
import { Journal } from './journal.ts'
import { META } from './layout.ts'
import { openLmdbSnapshot } from './snapshot.ts'
import { WriteList } from './writes.ts'

const PAGE = 4_096
const HALF = 1 << 20
/** Half of a journal of the first release that had one. */
const FIRST_HALF = 512 << 10

/** All pages of a file that names itself. */
const ownPages = (file: Buffer) => readPages(file, formOf(readName(file)!.journal))

let root = ''
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'journal-'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

const clock = new ManualClock()
let serial = 0
const copyOf = async (dir: string) => {
  const copy = join(root, `copy-${serial++}`)
  await cp(dir, copy, { recursive: true, filter: (path) => !path.endsWith('lock') })
  return copy
}

/** Size of each of the entries that LMDB does not have. */
const SIZES = [20, 3_000, 6_000, 20, 7_000, 900]
/** Where each begins, in pages, and how many it has. */
const PLACES = [
  [0, 1],
  [1, 1],
  [2, 2],
  [4, 1],
  [5, 2],
  [7, 1],
] as const
const NEWEST = SIZES.length - 1

/** A store that lost power with six writes in its journal, whose halves were used `before` for so many. */
async function stopped(before: number): Promise<{ dir: string; applied: number }> {
  const dir = join(root, `store-${before}`)
  const engine = await openLmdb({ dir, clock, journalAfter: 0 })
  await engine.commit([{ key: '/a', value: Buffer.from('a') }])
  for (let i = 0; i < before; i++)
    await engine.commit([{ key: '/b', value: Buffer.alloc(700, 'old') }])
  // A read brings everything to LMDB, and the other half of the journal is begun.
  await engine.get('/a')
  const applied = engine.revision()
  for (const [i, bytes] of SIZES.entries())
    await engine.commit([{ key: `/c/${i}`, value: Buffer.alloc(bytes, `${i}`) }])
  const copy = await copyOf(dir)
  await engine.close()
  return { dir: copy, applied }
}

const journalOf = (dir: string) => join(dir, 'journal')

describe.each([
  ['new', 0],
  ['used', 180],
])('a journal that is %s', (_, before) => {
  let dir = ''
  let applied = 0
  let good = Buffer.alloc(0)
  /** Where its six entries begin. */
  let start = 0
  beforeAll(async () => {
    const made = await stopped(before)
    dir = made.dir
    applied = made.applied
    good = readFileSync(journalOf(dir))
    start = ownPages(good).pages.find(({ first }) => first === applied + 1)!.position
  })

  /** Result of reading a journal: how many entries follow, and the missing ones. */
  const read = (bytes: Buffer) => {
    const content = readPages(bytes, formOf(readName(good)!.journal))
    const following = entriesAfter(content.entries, applied)
    const gap = findGap(content, following.at(-1)?.last ?? applied)
    return { entries: following.length, gap }
  }
  const flipped = (position: number, bit = 0) => {
    const bytes = Buffer.from(good)
    bytes[position]! ^= 1 << bit
    return bytes
  }
  /** Where the other half begins. */
  const other = () => (start === PAGE ? PAGE + HALF : PAGE)
  const positionOf = (entry: number) => start + PLACES[entry]![0] * PAGE

  test('has its entries, and nothing lacks', () => {
    expect(read(good)).toEqual({ entries: 6, gap: null })
    expect((start - PAGE) % HALF).toBe(0)
    expect(ownPages(good).pages.length > 10).toBe(before > 0)
  })

  for (const [entry, [, pages]] of PLACES.entries()) {
    for (let page = 0; page < pages; page++) {
      test(`entry ${entry}, page ${page}: each bit of its header, and of content`, () => {
        const at = positionOf(entry) + page * PAGE
        const length = good.readUInt32LE(at + 24)
        const places = [...Array.from({ length: 32 }, (_, i) => i), 32, 40, 32 + length - 1]
        for (const place of places)
          for (let bit = 0; bit < 8; bit++) {
            expect({ place, bit, ...read(flipped(at + place, bit)) }).toEqual({
              place,
              bit,
              entries: entry,
              gap:
                entry === NEWEST
                  ? null
                  : {
                      position: positionOf(entry),
                      next: applied + entry + 2,
                      last: applied + 6,
                    },
            })
          }
      })
    }
  }

  test('any number of entries in the middle that cannot be read', () => {
    for (let from = 0; from < NEWEST; from++)
      for (let to = from; to < NEWEST; to++) {
        const bytes = Buffer.from(good)
        bytes.fill(0x5a, positionOf(from), positionOf(to + 1))
        expect({ from, to, ...read(bytes) }).toEqual({
          from,
          to,
          entries: from,
          gap: { position: positionOf(from), next: applied + to + 2, last: applied + 6 },
        })
      }
  })

  test('an entry that a crash cuts off at any byte is as if it had never been', () => {
    for (const entry of [4, 5]) {
      const [, pages] = PLACES[entry]!
      const at = positionOf(entry)
      // Earlier contents: nothing, or entries that LMDB has.
      const old = Buffer.from(good)
      if (before === 0) old.fill(0, at)
      else good.copy(old, at, other() + 9 * PAGE, other() + 19 * PAGE)
      const length = (pages - 1) * PAGE + 32 + good.readUInt32LE(at + (pages - 1) * PAGE + 24)
      for (let done = 0; done < length; done += entry === NEWEST ? 1 : 13) {
        good.copy(old, at, at, at + done)
        // The missing part may be the earlier contents.
        if (old.compare(good, at, at + length, at, at + length) === 0) continue
        const found = read(old)
        if (found.entries !== entry || found.gap !== null)
          expect({ entry, done, ...found }).toEqual({ entry, done, entries: entry, gap: null })
      }
      good.copy(old, at, at, at + length)
      expect(read(old)).toEqual({ entries: entry + 1, gap: null })
    }
  })

  test('pages of it that arrive in any order are no damage', () => {
    const bytes = Buffer.from(good)
    // Of the last but one the second page alone, and of the last nothing.
    bytes.fill(0, positionOf(4), positionOf(4) + PAGE)
    bytes.fill(0, positionOf(5), positionOf(5) + PAGE)
    expect(read(bytes)).toEqual({ entries: 4, gap: null })
  })

  test('a truncated file is damaged', () => {
    for (const bytes of [0, start + 6 * PAGE + 100, start + 8 * PAGE, 2 * HALF, positionOf(1)]) {
      const { gap } = read(good.subarray(0, bytes))
      expect(gap).toEqual({ position: bytes, next: null, last: expect.any(Number) })
    }
  })

  test('damage to entries that LMDB has applied is ignored', () => {
    for (const at of [other(), other() + PAGE, start + 8 * PAGE, start + 9 * PAGE + 40])
      expect(read(flipped(at))).toEqual({ entries: 6, gap: null })
  })

  test('a store is refused with the place, and is not changed; the command continues without the rest', async () => {
    const store = await copyOf(dir)
    writeFileSync(journalOf(store), flipped(positionOf(2) + PAGE + 100, 3))
    const message =
      `journal ${journalOf(store)} is damaged at byte ${positionOf(2)}: the writes of revision ${applied + 3} cannot be read, and later ones up to ${applied + 6} follow; ` +
      'restore a backup into another directory (docs/backup.md), or give up 4 writes with the command cut-journal (docs/store.md)'
    const before = readFileSync(journalOf(store))
    for (let i = 0; i < 2; i++)
      await expect(openLmdb({ dir: store, clock })).rejects.toMatchObject({
        name: 'DamagedJournal',
        message,
      })
    await expect(openLmdbSnapshot(store)).rejects.toMatchObject({ message })
    expect(readFileSync(journalOf(store)).equals(before)).toBe(true)

    expect(await cutJournal(store, { clock, bump: 1_000_000 })).toEqual({
      kept: applied + 2,
      lost: 4,
      revision: 2_000_000,
    })
    expect(await cutJournal(store, { clock, bump: 1_000_000 })).toBeNull()
    const engine = await openLmdb({ dir: store, clock, verify: 'all' })
    const { items } = await engine.range('/c/')
    expect([
      items.map(({ key, value }) => [key, value.length]),
      engine.revision(),
      engine.oldest(),
    ]).toEqual([
      [
        ['/c/0', 20],
        ['/c/1', 3_000],
      ],
      2_000_000,
      2_000_000,
    ])
    expect(await engine.commit([{ key: '/c/2', value: Buffer.from('new') }])).toMatchObject({
      done: true,
      at: 2_000_001,
    })
    await engine.compact(2_000_001)
    await engine.close()
  })

  test('a store whose newest entry is cut off opens without it', async () => {
    const store = await copyOf(dir)
    writeFileSync(journalOf(store), flipped(positionOf(NEWEST) + 100))
    const engine = await openLmdb({ dir: store, clock, verify: 'all' })
    expect(engine.revision()).toBe(applied + NEWEST)
    await engine.close()
  })
})

/** A store as an earlier release left it: its data file names no journal. */
async function ofEarlierRelease(dir: string, journal: Buffer): Promise<string> {
  const store = await copyOf(dir)
  const file = new Environment(join(store, 'data.mdb'), clock)
  await file.transact((writes) => writes.remove('meta', META.journal))
  await file.close()
  writeFileSync(journalOf(store), journal)
  return store
}

describe('a journal of an earlier release', () => {
  let dir = ''
  let applied = 0
  let entries: readonly JournalEntry[] = []
  beforeAll(async () => {
    const made = await stopped(4)
    ;({ dir, applied } = made)
    entries = entriesAfter(ownPages(readFileSync(journalOf(dir))).entries, applied)
  })

  /** Pages that do not say to which journal they belong. */
  const pagesIn = (bytes: number, start: number): Buffer => {
    const file = Buffer.alloc(bytes)
    let at = start
    for (const entry of entries) {
      const pages = encodeEntry(entry, EARLIER_FORM)
      pages.copy(file, at)
      at = Math.ceil((at + pages.length) / PAGE) * PAGE
    }
    return file
  }

  test.each([
    ['1 MiB', FIRST_HALF, 0],
    ['1 MiB', FIRST_HALF, FIRST_HALF],
    ['2 MiB', HALF, HALF],
  ])('that has %s is read, and replaced', async (_, half, start) => {
    const store = await ofEarlierRelease(dir, pagesIn(2 * half, start))
    const engine = await openLmdb({ dir: store, clock, verify: 'all', journalAfter: 0 })
    expect(engine.revision()).toBe(applied + 6)
    expect(statSync(journalOf(store)).size).toBe(PAGE + 2 * HALF)
    await engine.close()
  })

  test('is refused where it is damaged', async () => {
    const bytes = pagesIn(2 * HALF, 0)
    bytes[PAGE + 40]! ^= 1
    const store = await ofEarlierRelease(dir, bytes)
    await expect(openLmdb({ dir: store, clock })).rejects.toThrow(
      `journal ${journalOf(store)} is damaged at byte ${PAGE}: the writes of revision ${applied + 2} cannot be read, and later ones up to ${applied + 6} follow; restore a backup into another directory (docs/backup.md), or give up 5 writes with the command cut-journal (docs/store.md)`,
    )
  })

  test('is not read beside a data file that names one', async () => {
    const store = await copyOf(dir)
    writeFileSync(journalOf(store), Buffer.concat([pagesIn(2 * HALF, 0), Buffer.alloc(PAGE)]))
    await expect(openLmdb({ dir: store, clock })).rejects.toThrow(
      `journal ${journalOf(store)} is damaged: it does not say to which store it belongs; writes from revision ${applied + 1} on may be missing`,
    )
  })

  test('of the first one is read', async () => {
    const old = Buffer.alloc(2 * FIRST_HALF)
    let at = 0
    for (const { first, last, writes } of entries) {
      const body = Buffer.from(writes.packed)
      const head = Buffer.alloc(28)
      head.writeUInt32LE(0x314e524a, 0)
      head.writeUInt32LE(body.length, 4)
      head.writeDoubleLE(first, 8)
      head.writeDoubleLE(last, 16)
      head.writeUInt32LE(crc32(body, crc32(head.subarray(4, 24))), 24)
      Buffer.concat([head, body]).copy(old, at)
      at = Math.ceil((at + 28 + body.length) / PAGE) * PAGE
    }
    const store = await ofEarlierRelease(dir, old)
    const engine = await openLmdb({ dir: store, clock, verify: 'all' })
    expect(engine.revision()).toBe(applied + 6)
    expect((await engine.get('/c/4'))?.value).toHaveLength(7_000)
    await engine.close()
  })
})

test('writes of any length survive, wherever in a page they begin', () => {
  for (let shift = 0; shift < 64; shift++) {
    const writes = new WriteList()
    // Headers, keys and values end and begin around the ends of pages.
    for (const bytes of [4_010 - shift, 0, 4_064, shift, 20_000 + shift, 4_040])
      writes.put('values', Buffer.from(`key ${shift}`), Buffer.alloc(bytes, `${bytes} `))
    writes.remove('heads', Buffer.from('k'))
    const form = formOf('ab'.repeat(16))
    const bytes = encodeEntry({ first: 5, last: 7, writes }, form)
    const [entry, ...others] = readPages(bytes, form).entries
    expect(readPages(bytes, formOf('ac'.repeat(16))).pages).toEqual([])
    expect(others).toEqual([])
    expect([entry?.first, entry?.last, entry?.writes.all]).toEqual([5, 7, writes.all])
  }
})

test('client data is never mistaken for an entry', async () => {
  const dir = join(root, 'planted')
  const engine = await openLmdb({ dir, clock, journalAfter: 0 })
  await engine.get('/a')
  const writes = new WriteList()
  writes.put('meta', Buffer.from('floor'), Buffer.from('1'))
  const { journal } = readName(readFileSync(journalOf(dir)))!
  const planted = encodeEntry({ first: 900, last: 900, writes }, formOf(journal))
  // At every place of a page, so that it also lies where a page of the file begins.
  for (let shift = 0; shift < PAGE; shift += 128) {
    const value = Buffer.alloc(7_900)
    for (let at = shift % planted.length; at + planted.length < value.length; at += planted.length)
      planted.copy(value, at)
    await engine.commit([{ key: '/a', value }])
  }
  const { entries } = ownPages(readFileSync(journalOf(dir)))
  expect(entries.filter(({ first }) => first === 900)).toEqual([])
  await engine.close()
})

test.each([[false], [true]])(
  'a journal with flushes of its own (%s) has the same content',
  async (flushes) => {
    const dir = await mkdtemp(join(root, 'flushes-'))
    const identity = { store: '12'.repeat(16), journal: '34'.repeat(16) }
    const journal = await Journal.begin(dir, identity, { flushes })
    const writes = new WriteList()
    writes.put('values', Buffer.from('k'), Buffer.alloc(5_000, 'v'))
    await journal.append(encodeEntry({ first: 1, last: 1, writes }, journal.form))
    journal.appendAtOnce(encodeEntry({ first: 2, last: 2, writes }, journal.form))
    await journal.close()
    const bytes = readFileSync(join(dir, 'journal'))
    expect(readName(bytes)).toEqual(identity)
    expect(entriesAfter(ownPages(bytes).entries, 0).map(({ last }) => last)).toEqual([1, 2])
    expect(statSync(join(dir, 'journal')).mode & 0o777).toBe(0o600)
    rmSync(dir, { recursive: true })
  },
)
