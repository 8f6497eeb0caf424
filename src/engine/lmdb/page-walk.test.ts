import { spawn } from 'node:child_process'
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import { neededPages, newestMeta, PAGE, type Needed } from './damage.fixture.ts'
import { checkDataFile } from './data-file.ts'
import { openLmdb } from './engine.ts'
import type { Verify } from './verify.ts'

const dir = mkdtempSync(join(tmpdir(), 'page-walk-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
const good = join(dir, 'good')
const fileOf = (store: string) => join(store, 'data.mdb')
let needed: readonly Needed[] = []
let size = 0

beforeAll(async () => {
  // One transaction for each write, so that the pages of a tree lie apart.
  const engine = await openLmdb({ dir: good, clock: new ManualClock(), journalAfter: Infinity })
  const put = (key: string, bytes: number) =>
    engine.commit([{ key, value: Buffer.alloc(bytes, 'v') }])
  for (let i = 0; i < 300; i++) await put(`/things/${i}`, 1_500)
  for (let i = 0; i < 10; i++) await put(`/large/${i}`, 50_000)
  await engine.close()
  needed = neededPages(fileOf(good))
  size = statSync(fileOf(good)).size
})

/** The one of its kind that lies last in the file. */
const last = (kind: Needed['kind']) =>
  needed.filter((run) => run.kind === kind).reduce((a, b) => (b.page > a.page ? b : a))
const end = () => Math.max(...needed.map(({ page, count }) => page + count))

interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly said: string
}

const PROGRAM = join(import.meta.dirname, 'opening.fixture.ts')
async function opened(store: string, verify: Verify): Promise<Ended> {
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, store, verify])
  let said = ''
  child.stdout.on('data', (chunk) => (said += chunk))
  return new Promise((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal, said: said.trim() })),
  )
}

const cutAt = (bytes: () => number) => (path: string) => truncateSync(path, bytes())
const written = (at: () => number, content: (bytes: Buffer) => Buffer) => (path: string) => {
  const bytes = readFileSync(path)
  content(bytes).copy(bytes, at())
  writeFileSync(path, bytes)
}
const zeroed = (page: () => number) =>
  written(
    () => page() * PAGE,
    () => Buffer.alloc(PAGE),
  )
const copied = (from: () => number, to: () => number) =>
  written(
    () => to() * PAGE,
    (bytes) => Buffer.from(bytes.subarray(from() * PAGE, (from() + 1) * PAGE)),
  )
const inNewest = (at: number, content: string) => (path: string) => {
  const bytes = readFileSync(path)
  bytes.write(content, newestMeta(bytes) * PAGE + at, 'hex')
  writeFileSync(path, bytes)
}

const START = 'it does not begin as a store does'
const missing = (page: number) =>
  new RegExp(
    `^page ${page} of .+ is missing; it has \\d+ bytes of up to ${size}$`.replaceAll('/', '.'),
  )
const not = (kind: string) => new RegExp(`^page \\d+ of .+ is no ${kind} page$`)
const OTHER = /^page \d+ of .+ says that it is page \d+$/

interface Damage {
  readonly what: string
  readonly damage: (path: string) => void
  /** null: it is whole. */
  readonly why: string | (() => RegExp) | RegExp | null
  /** The check that finds it. */
  readonly verify: Verify
}
const damaged = (
  what: string,
  damage: Damage['damage'],
  why: Damage['why'],
  verify: Verify = 'newest',
): Damage => ({ what, damage, why, verify })

const damages: readonly Damage[] = [
  damaged('left as it is', () => {}, null),
  damaged(
    'cut at its own length',
    cutAt(() => size),
    null,
  ),
  damaged(
    'a byte short',
    cutAt(() => size - 1),
    () => missing(size / PAGE - 1),
  ),
  damaged(
    'cut in a value',
    cutAt(() => (last('overflow').page + 1) * PAGE + 7),
    () => /is missing; /,
  ),
  damaged(
    'cut in a leaf',
    cutAt(() => last('leaf').page * PAGE + 100),
    () => /is missing; /,
  ),
  damaged(
    'cut at a branch',
    cutAt(() => last('branch').page * PAGE),
    () => /is missing; /,
  ),
  damaged(
    'cut to its first pages',
    cutAt(() => 2 * PAGE),
    () => /is missing; /,
  ),
  damaged(
    'with a leaf of zeros',
    zeroed(() => last('leaf').page),
    OTHER,
    'all',
  ),
  damaged(
    'with a branch of zeros',
    zeroed(() => last('branch').page),
    OTHER,
  ),
  damaged(
    'with a value of zeros',
    zeroed(() => last('overflow').page),
    OTHER,
    'all',
  ),
  damaged(
    'with a leaf in place of another',
    copied(
      () => last('leaf').page,
      () => needed.find(({ kind }) => kind === 'leaf')!.page,
    ),
    OTHER,
  ),
  damaged(
    'with a page that says it is another kind',
    written(
      () => last('branch').page * PAGE + 18,
      () => Buffer.from([2, 0]),
    ),
    not('branch'),
  ),
  damaged(
    'without its first page',
    zeroed(() => 0),
    START,
  ),
  damaged(
    'without its second page',
    zeroed(() => 1),
    START,
  ),
  damaged(
    'without both',
    written(
      () => 0,
      () => Buffer.alloc(2 * PAGE),
    ),
    START,
  ),
  damaged('of another version', inNewest(28, '03'), START),
  damaged(
    'with a root far behind its end',
    inNewest(136, 'ffffff0000000000'),
    'the list of databases leads to page 16777215, which cannot be',
  ),
  damaged(
    'with a last page that no map reaches',
    inNewest(144, 'ffffffffff000000'),
    'the number of its pages cannot be read',
  ),
  damaged(
    'that knows the state before only',
    inNewest(152, '0000000000000000'),
    'its first two pages do not follow each other',
  ),
]

describe('a data file', () => {
  test.concurrent.each(damages)('$what', { timeout: 60_000 }, async (row) => {
    const { what, damage, why, verify } = row
    const store = join(dir, what.replaceAll(' ', '-'))
    cpSync(good, store, { recursive: true })
    const path = fileOf(store)
    damage(path)
    const before = readFileSync(path)
    const { code, signal, said } = await opened(store, verify)
    if (why === null) {
      expect({ code, signal, said }).toEqual({
        code: 0,
        signal: null,
        said: '310 objects',
      })
      return
    }
    const told =
      /^data file (.+) is damaged: (.+); restore a backup into another directory \(docs\/backup\.md\)$/
    const reason = typeof why === 'function' ? why() : why
    expect({ code, signal, path: told.exec(said)?.[1], why: told.exec(said)?.[2] ?? said }).toEqual(
      {
        code: 1,
        signal: null,
        path,
        why: typeof reason === 'string' ? reason : expect.stringMatching(reason),
      },
    )
    // Nothing was changed, and the lock is free.
    expect(readFileSync(path).equals(before)).toBe(true)
    expect(readdirSync(store)).not.toContain('lock')
  })

  test('that lost only unreferenced pages is intact', async () => {
    const store = join(dir, 'free-end')
    const clock = new ManualClock()
    const engine = await openLmdb({ dir: store, clock })
    await engine.commit([{ key: '/a', value: Buffer.alloc(100) }])
    await engine.commit([{ key: '/b', value: Buffer.alloc(500_000) }])
    await engine.commit([{ key: '/b', value: null }])
    await engine.compact(engine.revision())
    await engine.commit([{ key: '/c', value: Buffer.alloc(100) }])
    await engine.close()
    const path = fileOf(store)
    const used = Math.max(...neededPages(path).map(({ page, count }) => page + count))
    expect(used * PAGE).toBeLessThan(statSync(path).size)
    truncateSync(path, used * PAGE)
    expect(await opened(store, 'newest')).toEqual({ code: 0, signal: null, said: '2 objects' })
  })

  test('whose server was killed is verified completely', async () => {
    const store = join(dir, 'killed')
    cpSync(good, store, { recursive: true })
    zeroed(() => last('overflow').page)(fileOf(store))
    await checkDataFile(store)
    // Left by a process that is gone.
    writeFileSync(join(store, 'lock'), '999999999 1\n')
    await expect(openLmdb({ dir: store, clock: new ManualClock() })).rejects.toMatchObject({
      name: 'UnusableDataDir',
      message: expect.stringMatching(/ says that it is page 0; /),
    })
  })
})

test('the file of the table ends with a page that is needed', () => {
  expect(end() * PAGE).toBe(size)
})
