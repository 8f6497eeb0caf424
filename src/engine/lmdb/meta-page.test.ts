import { execFile } from 'node:child_process'
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import { newestMeta, PAGE } from './damage.fixture.ts'
import { checkDataFile } from './data-file.ts'
import { openLmdb } from './engine.ts'

const run = promisify(execFile)
const root = mkdtempSync(join(tmpdir(), 'meta-page-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const PROGRAM = join(import.meta.dirname, 'damaged-metas.fixture.ts')
const options = { clock: new ManualClock(), journalAfter: Infinity }

/** Bytes of the record of a state, with some behind it that are not used. */
const META_BYTES = 176
const REMEDY = 'restore a backup into another directory (docs/backup.md)'

/** A store whose newest state is in either of the two pages: `extra` commits more. */
async function made(name: string, extra: number): Promise<{ dir: string; objects: number }> {
  const dir = join(root, name)
  const engine = await openLmdb({ ...options, dir })
  const put = (key: string, bytes: number | null) =>
    engine.commit([{ key, value: bytes === null ? null : Buffer.alloc(bytes, 'v') }])
  for (let i = 0; i < 40; i++) await put(`/things/${i}`, 1_500)
  await put('/large', 50_000)
  for (let i = 0; i < 20; i++) await put(`/things/${i}`, null)
  await engine.compact(engine.revision())
  for (let i = 0; i < 4 + extra; i++) await put(`/others/${i}`, 1_500)
  await engine.close()
  return { dir, objects: 25 + extra }
}

/**
 * What becomes of a store with a changed byte in a field of the newer state, or of the older one. A byte that is `free`
 * has no meaning; `any`: some values do no harm, such as a larger map.
 */
type Outcome = 'refused' | 'free' | 'any'
const fields: readonly (readonly [
  what: string,
  from: number,
  to: number,
  newest: Outcome,
  older: Outcome,
])[] = [
  ['number and transaction of the page', 0, 18, 'free', 'free'],
  // One of its bits is looked at.
  ['kind of the page', 18, 20, 'any', 'any'],
  ['room in the page', 20, 24, 'free', 'free'],
  ['mark and version', 24, 32, 'refused', 'refused'],
  ['address of the map', 32, 40, 'free', 'free'],
  ['size of the map', 40, 48, 'any', 'free'],
  ['size of the pages', 48, 52, 'refused', 'refused'],
  // But for the setting without a folder.
  ['settings and order of the free list', 52, 54, 'any', 'any'],
  ['levels of the free list', 54, 56, 'refused', 'free'],
  ['statistics of the free list', 56, 88, 'free', 'free'],
  ['root of the free list', 88, 96, 'refused', 'free'],
  ['size of keys, unused', 96, 100, 'free', 'free'],
  ['order of the list of databases', 100, 102, 'refused', 'refused'],
  ['levels of the list of databases', 102, 104, 'refused', 'free'],
  ['statistics of the list of databases', 104, 136, 'free', 'free'],
  ['root of the list of databases', 136, 144, 'refused', 'free'],
  ['number of the last page', 144, 152, 'any', 'any'],
  ['number of the transaction', 152, 160, 'refused', 'refused'],
  ['start of the machine, and nothing', 160, META_BYTES, 'free', 'free'],
]

test('the table has every byte', () => {
  let end = 0
  for (const [, from, to] of fields) {
    expect(from).toBe(end)
    end = to
  }
  expect(end).toBe(META_BYTES)
})

describe.each([
  ['one', 0],
  ['the other', 1],
])('a data file whose newer state is in %s of its first pages', (name, extra) => {
  let dir = ''
  let path = ''
  let objects = 0
  let good = Buffer.alloc(0)
  let newest = 0
  beforeAll(async () => {
    ;({ dir, objects } = await made(name.replace(' ', '-'), extra))
    path = join(dir, 'data.mdb')
    good = readFileSync(path)
    newest = newestMeta(good)
  })

  /** Why it is refused with some bytes changed, null: it is not. */
  async function refusal(at: number, bytes: Buffer): Promise<string | null> {
    const fd = openSync(path, 'r+')
    try {
      writeSync(fd, bytes, 0, bytes.length, at)
      return await checkDataFile(dir).then(
        () => null,
        (error: Error) => error.message,
      )
    } finally {
      writeSync(fd, good, at, bytes.length, at)
      closeSync(fd)
    }
  }

  /** Every value that differs in one bit, and the extremes. */
  const changes = (byte: number): readonly number[] =>
    [...new Set([...Array.from({ length: 8 }, (_, bit) => byte ^ (1 << bit)), 0, 255])].filter(
      (value) => value !== byte,
    )

  /** Whether a change makes the newest transaction that before the last. */
  const isBefore = (at: number, value: number) =>
    at === newest * PAGE + 152 && value === good[at]! - 2

  describe.each([
    ['newer', 3],
    ['older', 4],
  ] as const)('%s state', (which, column) => {
    test.each(fields)('%s', { timeout: 120_000 }, async (...field) => {
      const [, from, to] = field
      const outcome = field[column]
      const meta = which === 'newer' ? newest : 1 - newest
      const passing: [number, number][] = []
      for (let at = meta * PAGE + from; at < meta * PAGE + to; at++)
        for (const value of changes(good[at]!)) {
          if (isBefore(at, value)) continue
          const why = await refusal(at, Buffer.from([value]))
          if (why === null) passing.push([at, value])
          else {
            expect(why.startsWith(`data file ${path} is damaged: `)).toBe(true)
            expect(why.endsWith(`; ${REMEDY}`)).toBe(true)
          }
          if (outcome !== 'any')
            expect({ at: at % PAGE, value, isRefused: why !== null }).toEqual({
              at: at % PAGE,
              value,
              isRefused: outcome === 'refused',
            })
        }
      // What passes is opened: all of those that may do harm, one of the others.
      const opening = outcome === 'any' ? passing : passing.slice(-1)
      if (opening.length === 0) return
      const work = join(root, `work-${extra}`)
      const args = ['--import', 'tsx', PROGRAM, dir, work, JSON.stringify(opening)]
      const { stdout } = await run(process.execPath, args)
      const said = stdout.trim().split('\n')
      const whole = `${objects} objects at ${65 + extra}`
      expect(said.map((text, i) => [opening[i], text])).toEqual(
        opening.map((damage) => [damage, whole]),
      )
    })
  })

  test.each([
    ['root of the free list', 88],
    ['root of the list of databases', 136],
    ['number of the last page', 144],
    ['number of the transaction', 152],
  ])('no other %s', async (_, from) => {
    const at = newest * PAGE + from
    for (const word of [0n, 1n, 2n ** 20n, 2n ** 40n, 2n ** 63n, 2n ** 64n - 1n]) {
      const bytes = Buffer.alloc(8)
      bytes.writeBigUInt64LE(word)
      expect({ word, why: await refusal(at, bytes) }).toEqual({
        word,
        why: expect.stringContaining(' is damaged: '),
      })
    }
  })

  test('one with the number of the transaction before the last is as if the last had failed', async () => {
    const at = newest * PAGE + 152
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64LE(good.readBigUInt64LE(at) - 2n)
    // LMDB writes that number back itself where it cannot write a state.
    expect(await refusal(at, bytes)).toBeNull()
  })

  test('pages of zeros, copies of each other, or exchanged', async () => {
    const [first, second] = [good.subarray(0, PAGE), good.subarray(PAGE, 2 * PAGE)]
    const NOT = 'it does not begin as a store does'
    const TURN = 'its first two pages do not follow each other'
    for (const [what, at, bytes, why] of [
      ['zeros first', 0, Buffer.alloc(PAGE), NOT],
      ['zeros second', PAGE, Buffer.alloc(PAGE), NOT],
      ['zeros both', 0, Buffer.alloc(2 * PAGE), NOT],
      ['first twice', PAGE, first, TURN],
      ['second twice', 0, second, TURN],
      ['exchanged', 0, Buffer.concat([second, first]), TURN],
    ] as const)
      expect([what, await refusal(at, bytes)]).toEqual([
        what,
        `data file ${path} is damaged: ${why}; ${REMEDY}`,
      ])
  })

  test('a file that is cut in or behind its first pages', async () => {
    const ends = [1, 24, 159, 160, 4_096, PAGE - 1, PAGE, PAGE + 24, PAGE + 159, PAGE + 160]
    for (const end of [...ends, 2 * PAGE - 1, 2 * PAGE, 2 * PAGE + 1, 3 * PAGE]) {
      truncateSync(path, end)
      const why = await checkDataFile(dir).then(
        () => null,
        (error: Error) => error.message,
      )
      expect({ end, why }).toEqual({
        end,
        why: expect.stringMatching(
          / is damaged: (it does not begin as|page \d+ of .+ is missing; )/,
        ),
      })
      writeFileSync(path, good)
    }
  })
})
