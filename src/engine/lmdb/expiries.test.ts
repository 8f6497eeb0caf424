import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import type { TimeToLive } from '../expiry.ts'
import type { Engine } from '../engine.ts'
import { openLmdb } from './engine.ts'
import { fillLmdb } from './fill.ts'
import { openLmdbSnapshot } from './snapshot.ts'

const dirs: string[] = []
afterAll(() => Promise.all(dirs.map((dir) => rm(dir, { recursive: true, force: true }))))
const newDir = async () => {
  const dir = await mkdtemp(join(tmpdir(), 'expiries-'))
  dirs.push(dir)
  return join(dir, 'store')
}

const HOUR = 3_600_000
const ttlMs: TimeToLive = (key) => (key.startsWith('/events/') ? HOUR : undefined)
const put = (engine: Engine, ...keys: string[]) =>
  Promise.all(keys.map((key) => engine.commit([{ key, value: Buffer.from('1') }])))
const keysOf = async (engine: Engine) => (await engine.range('/')).items.map(({ key }) => key)
const until = (engine: Engine, want: string[]) =>
  vi.waitFor(async () => expect(await keysOf(engine)).toEqual(want), { interval: 5 })

test('recorded expiries hold over restarts, and keys that fell due meanwhile are deleted at the start', async () => {
  const dir = await newDir()
  const clock = new ManualClock()
  let engine = await openLmdb({ dir, clock, ttlMs })
  await put(engine, '/events/a', '/pods/a')
  clock.advance(HOUR / 2)
  await put(engine, '/events/b')
  await engine.close()
  clock.advance(HOUR / 2 - 1)
  engine = await openLmdb({ dir, clock, ttlMs })
  expect(await keysOf(engine)).toEqual(['/events/a', '/events/b', '/pods/a'])
  clock.advance(1)
  await until(engine, ['/events/b', '/pods/a'])
  await engine.close()
  clock.advance(HOUR)
  engine = await openLmdb({ dir, clock, ttlMs, verify: 'all' })
  clock.advance(0)
  await until(engine, ['/pods/a'])
  await engine.close()
})

test('in a store without recorded expiries, the time of present keys begins at the first opening', async () => {
  const dir = await newDir()
  const clock = new ManualClock()
  let engine = await openLmdb({ dir, clock })
  await put(engine, '/events/a', '/events/gone', '/pods/a')
  await engine.commit([{ key: '/events/gone', value: null }])
  await engine.close()
  clock.advance(100 * HOUR)
  engine = await openLmdb({ dir, clock, ttlMs })
  const revision = engine.revision()
  clock.advance(HOUR - 1)
  await put(engine, '/events/b')
  expect(await keysOf(engine)).toEqual(['/events/a', '/events/b', '/pods/a'])
  clock.advance(1)
  await until(engine, ['/events/b', '/pods/a'])
  expect(engine.revision()).toBe(revision + 2)
  await engine.close()
})

test('after a restore, events have their full TTL again', async () => {
  const dir = await newDir()
  const clock = new ManualClock()
  const item = (key: string, at: number) => ({
    key,
    value: Buffer.from('1'),
    created: at,
    changed: at,
  })
  async function* items() {
    yield [item('/events/a', 3), item('/pods/a', 5)]
  }
  await fillLmdb({ dir, revision: 7, timeMs: clock.now() - 5 * HOUR, items: items() })
  const engine = await openLmdb({ dir, clock, ttlMs })
  const told: string[] = []
  engine.subscribe((events) =>
    told.push(...events.map(({ at, key, value }) => `${at} ${key} ${value}`)),
  )
  expect(await keysOf(engine)).toEqual(['/events/a', '/pods/a'])
  clock.advance(HOUR)
  await until(engine, ['/pods/a'])
  expect(told).toEqual(['8 /events/a null'])
  await engine.close()
})

test('without times to live no key expires, and keys written then get their time later', async () => {
  const dir = await newDir()
  const clock = new ManualClock()
  let engine = await openLmdb({ dir, clock, ttlMs })
  await put(engine, '/events/a', '/events/b')
  await engine.close()
  engine = await openLmdb({ dir, clock })
  clock.advance(2 * HOUR)
  await put(engine, '/events/a', '/events/c')
  expect(await keysOf(engine)).toEqual(['/events/a', '/events/b', '/events/c'])
  await engine.close()
  engine = await openLmdb({ dir, clock, ttlMs })
  clock.advance(0)
  // Due for long; the others were written since.
  await until(engine, ['/events/a', '/events/c'])
  clock.advance(HOUR)
  await until(engine, [])
  await engine.close()
})

test('opening a store without times to live, and writing nothing, changes no expiry', async () => {
  const dir = await newDir()
  const clock = new ManualClock()
  let engine = await openLmdb({ dir, clock, ttlMs })
  await put(engine, '/events/a')
  await engine.close()
  engine = await openLmdb({ dir, clock })
  clock.advance(HOUR / 2)
  expect(await keysOf(engine)).toEqual(['/events/a'])
  await engine.close()
  engine = await openLmdb({ dir, clock, ttlMs })
  clock.advance(HOUR / 2)
  await until(engine, [])
  await engine.close()
})

test('keys that go shortly after one another go in one sweep, and an idle store has no timer', async () => {
  const clock = new ManualClock()
  const after = vi.spyOn(clock, 'after')
  const engine = await openLmdb({ dir: await newDir(), clock, ttlMs })
  await put(engine, '/pods/a')
  expect(after.mock.calls.length).toBe(0)
  for (let i = 0; i < 20; i++) {
    await put(engine, `/events/${i}`)
    clock.advance(10)
  }
  expect(after.mock.calls.length).toBe(1)
  clock.advance(HOUR - 200)
  await until(engine, [
    ...Array.from({ length: 19 }, (_, i) => `/events/${i + 1}`).toSorted(),
    '/pods/a',
  ])
  await vi.waitFor(() => expect(after.mock.calls.length).toBe(2))
  clock.advance(1_000)
  await until(engine, ['/pods/a'])
  expect(after.mock.calls.map(([ms]) => ms)).toEqual([HOUR, 1_000])
  await engine.close()
})

test('a snapshot reads a store with expiries, and one from before there were any', async () => {
  for (const lives of [ttlMs, undefined]) {
    const dir = await newDir()
    const engine = await openLmdb({ dir, clock: new ManualClock(), ttlMs: lives, format: {} })
    await put(engine, '/events/a', '/pods/a')
    const snapshot = await openLmdbSnapshot(dir)
    expect([snapshot.revision, snapshot.objects]).toEqual([2, 2])
    await snapshot.close()
    await engine.close()
  }
})
