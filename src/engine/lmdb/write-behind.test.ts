import { readdirSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import type { Engine, Event } from '../engine.ts'
import { openLmdb } from './engine.ts'
import { Environment } from './environment.ts'
import { readJournalMark } from './journal-mark.ts'
import { Journal } from './journal.ts'
import { openLmdbSnapshot } from './snapshot.ts'

const dirs: string[] = []
const newDir = async () => {
  const dir = await mkdtemp(join(tmpdir(), 'write-behind-'))
  dirs.push(dir)
  return join(dir, 'store')
}
afterAll(() => Promise.all(dirs.map((dir) => rm(dir, { recursive: true, force: true }))))

/** The files of a machine that stops now. */
async function crashed(dir: string): Promise<string> {
  const copy = await newDir()
  await cp(dir, copy, { recursive: true, filter: (path) => !path.endsWith('lock') })
  return copy
}

interface State {
  readonly revision: number
  readonly objects: readonly (readonly [key: string, value: string, changed: number])[]
  readonly changes: readonly (readonly [at: number, key: string, value: string | null])[]
}

const textOf = (value: Uint8Array | null) => value && Buffer.from(value).toString()

async function stateOf(engine: Engine): Promise<State> {
  const revision = engine.revision()
  const { items } = await engine.range('/')
  const changes: Event[] = []
  for await (const events of engine.changes('/', 0, revision)) changes.push(...events)
  return {
    revision,
    objects: items.map(({ key, value, changed }) => [key, textOf(value)!, changed] as const),
    changes: changes.map(({ at, key, value }) => [at, key, textOf(value)] as const),
  }
}

/** A value of one letter and as many bytes. */
const valueOf = (letter: string, bytes: number) => Buffer.alloc(bytes, letter)
const SMALL = 20
const ODD = 25
const LARGE = 40_000
/** As much as fills half of a journal in a few. */
const MIDDLE = 15_000

type Step =
  | { readonly is: 'write'; readonly key: string; readonly letter: string; readonly bytes: number }
  | { readonly is: 'remove'; readonly key: string }
  | { readonly is: 'conflict'; readonly key: string }
  | { readonly is: 'time'; readonly ms: number }
  | { readonly is: 'look' }

const key = fc.constantFrom('/a/1', '/a/2', '/b/1')
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      is: fc.constant('write' as const),
      key,
      letter: fc.constantFrom('x', 'y', 'z'),
      bytes: fc.constantFrom(SMALL, ODD, ODD, MIDDLE, LARGE),
    }),
  },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('remove' as const), key }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('conflict' as const), key }) },
  {
    weight: 2,
    arbitrary: fc.record({ is: fc.constant('time' as const), ms: fc.constantFrom(1, 60) }),
  },
  { weight: 1, arbitrary: fc.constant({ is: 'look' as const }) },
)

/** Thread that flushes the journal. */
const flushers = [
  ['another thread', { isAtOnce: () => false, took() {} }],
  ['this thread', { isAtOnce: () => true, took() {} }],
] as const

describe.each(flushers)('flushed by %s', (_, flushes) => {
  test('a machine that stops at any moment leaves all acknowledged writes, history included', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 60 }),
        fc.nat(60),
        async (steps, stopAt) => {
          const dir = await newDir()
          const clock = new ManualClock()
          const engine = await openLmdb({ dir, clock, journalAfter: 0, flushes })
          const objects = new Map<string, readonly [value: string, changed: number]>()
          const changes: State['changes'][number][] = []
          const seen: State['changes'][number][] = []
          engine.subscribe((events) => {
            for (const event of events) seen.push([event.at, event.key, textOf(event.value)])
          })
          for (const one of steps.slice(0, stopAt)) {
            if (one.is === 'time') clock.advance(one.ms)
            else if (one.is === 'look') await stateOf(engine)
            else if (one.is === 'conflict') {
              const there = objects.get(one.key)
              const found = await engine.commit([
                { key: one.key, value: Buffer.from('no'), ifChangedAt: 1_000_000 },
              ])
              expect(found.done).toBe(false)
              const item = found.done ? null : found.found
              expect(item && [textOf(item.value), item.changed]).toEqual(there ?? null)
            } else {
              const value = one.is === 'write' ? valueOf(one.letter, one.bytes) : null
              const before = engine.revision()
              const committing = engine.commit([{ key: one.key, value }])
              if (one.is === 'write' && one.letter === 'z') {
                // Waiting entries are applied to LMDB while this one is on its way.
                if (one.bytes !== MIDDLE) await new Promise((resolve) => setImmediate(resolve))
                for (let i = 0; i < one.bytes % 7; i++) await Promise.resolve()
                clock.advance(60)
              }
              const { at } = (await committing) as { at: number }
              if (value === null && !objects.has(one.key)) expect(at).toBe(before)
              else changes.push([at, one.key, textOf(value)])
              if (value === null) objects.delete(one.key)
              else objects.set(one.key, [value.toString(), at])
            }
          }
          const wanted: State = {
            revision: changes.at(-1)?.[0] ?? 0,
            objects: [...objects]
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([name, [value, changed]]) => [name, value, changed] as const),
            changes,
          }
          expect(seen).toEqual(changes)

          const copy = await crashed(dir)
          const again = await openLmdb({ dir: copy, clock, verify: 'all' })
          expect(await stateOf(again)).toEqual(wanted)
          await again.close()

          const snapshot = await openLmdbSnapshot(await crashed(dir))
          const kept: State['objects'][number][] = []
          for await (const page of snapshot.items())
            for (const item of page) kept.push([item.key, textOf(item.value)!, item.changed])
          expect([snapshot.revision, kept]).toEqual([wanted.revision, wanted.objects])
          await snapshot.close()

          expect(await stateOf(engine)).toEqual(wanted)
          await engine.close()
          const closed = await openLmdb({ dir, clock, verify: 'all' })
          expect(await stateOf(closed)).toEqual(wanted)
          await closed.close()
        },
      ),
      { numRuns: 25 },
    )
  }, 60_000)

  test('more is written than a journal holds, so it is reused many times', async () => {
    const dir = await newDir()
    const clock = new ManualClock()
    const engine = await openLmdb({ dir, clock, journalAfter: 0, flushes })
    for (let i = 0; i < 600; i++) {
      await engine.commit([{ key: `/a/${i % 50}`, value: Buffer.from(`${i}`) }])
      if (i % 37 === 0) clock.advance(60)
    }
    const again = await openLmdb({ dir: await crashed(dir), clock, verify: 'all' })
    expect(await stateOf(again)).toEqual(await stateOf(engine))
    expect(again.revision()).toBe(600)
    await again.close()
    await engine.close()
  }, 60_000)

  test('commits at the same time, small and large, each see those before them', async () => {
    const dir = await newDir()
    const clock = new ManualClock()
    const engine = await openLmdb({ dir, clock, journalAfter: 0, flushes })
    const made = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        if (i % 20 === 0) await new Promise((resolve) => setImmediate(resolve))
        if (i % 50 === 0) clock.advance(60)
        const bytes = i % 7 === 0 ? LARGE : SMALL
        return engine.commit([
          { key: '/a/1', value: valueOf('x', bytes), ifChangedAt: i === 0 ? 0 : 1 },
        ])
      }),
    )
    // The first makes it; a writer right behind it knows its revision, and the others meet a newer one.
    expect(made.filter(({ done }) => done).length).toBeLessThanOrEqual(2)
    const again = await openLmdb({ dir: await crashed(dir), clock, verify: 'all' })
    expect(await stateOf(again)).toEqual(await stateOf(engine))
    await again.close()
    await engine.close()
  })

  test('what a conflict found stays as it was when its memory is used again', async () => {
    const engine = await openLmdb({
      dir: await newDir(),
      clock: new ManualClock(),
      journalAfter: 0,
      flushes,
    })
    await engine.commit([{ key: '/a/1', value: valueOf('x', MIDDLE) }])
    const [other, conflict] = await Promise.all([
      engine.commit([{ key: '/a/2', value: valueOf('y', MIDDLE) }]),
      engine.commit([{ key: '/a/1', value: valueOf('z', MIDDLE), ifChangedAt: 7 }]),
    ])
    for (let i = 0; i < 100; i++) {
      await engine.commit([{ key: '/a/1', value: valueOf('w', MIDDLE) }])
      await engine.get('/a/1')
    }
    expect(other).toEqual({ done: true, at: 2 })
    expect(conflict.done || textOf(conflict.found?.value ?? null)).toBe('x'.repeat(MIDDLE))
    await engine.close()
  })

  test('conditions see what could not be brought to LMDB, and what was written since', async () => {
    const dir = await newDir()
    const clock = new ManualClock()
    const engine = await openLmdb({ dir, clock, journalAfter: 0, flushes })
    const write = vi.spyOn(Environment.prototype, 'write')
    const create = (key: string) =>
      engine.commit([{ key, value: Buffer.from('x'), ifChangedAt: 0 }])
    const keys = ['/a/1', '/a/2', '/a/3']
    for (const key of keys) {
      expect((await create(key)).done).toBe(true)
      write.mockRejectedValueOnce(new Error('the disk is away'))
      await expect(engine.get(key)).rejects.toThrow('the disk is away')
    }
    await engine.commit([{ key: '/a/1', value: null, ifChangedAt: 1 }])
    expect(await Promise.all(keys.map(create))).toMatchObject([
      { done: true, at: 5 },
      { done: false, found: { changed: 2 } },
      { done: false, found: { changed: 3 } },
    ])
    write.mockRestore()
    const state = await stateOf(engine)
    expect(state.objects.map(([key, , changed]) => [key, changed])).toEqual([
      ['/a/1', 5],
      ['/a/2', 2],
      ['/a/3', 3],
    ])
    expect((await Promise.all(keys.map(create))).map(({ done }) => done)).toEqual([
      false,
      false,
      false,
    ])
    const again = await openLmdb({ dir: await crashed(dir), clock, verify: 'all' })
    expect(await stateOf(again)).toEqual(state)
    await again.close()
    await engine.close()
  })

  test('entries added while others are applied to LMDB are not lost with them', async () => {
    const dir = await newDir()
    const clock = new ManualClock()
    const engine = await openLmdb({ dir, clock, journalAfter: 0, flushes })
    for (let i = 0; i < 40; i++) {
      const committing = engine.commit([{ key: `/a/${i}`, value: Buffer.from(`${i}`) }])
      // By now it is on its way to the journal.
      await new Promise((resolve) => setImmediate(resolve))
      for (let ticks = 0; ticks < i % 3; ticks++) await Promise.resolve()
      clock.advance(60)
      await committing
      if (i % 4 === 0) await engine.commit([{ key: '/a/0', value: Buffer.from(`again ${i}`) }])
      const again = await openLmdb({ dir: await crashed(dir), clock, verify: 'all' })
      expect(again.revision()).toBe(engine.revision())
      await again.close()
    }
    await engine.close()
  }, 60_000)
})

test('what LMDB says of the journal costs no transaction of its own, neither with commits nor at the end', async () => {
  const dir = await newDir()
  const clock = new ManualClock()
  const write = vi.spyOn(Environment.prototype, 'write')
  try {
    const engine = await openLmdb({ dir, clock, journalAfter: 0 })
    write.mockClear()
    for (let i = 0; i < 100; i++) await engine.commit([{ key: '/a/1', value: valueOf('x', SMALL) }])
    expect(write).not.toHaveBeenCalled()
    await engine.get('/a/1')
    expect(write).toHaveBeenCalledTimes(1)
    await engine.commit([{ key: '/a/1', value: valueOf('y', SMALL) }])
    await engine.close()
    expect(write).toHaveBeenCalledTimes(2)
  } finally {
    write.mockRestore()
  }
  const file = new Environment(join(dir, 'data.mdb'), clock)
  expect(readJournalMark(file.meta, dir)).toMatchObject({ journal: null, reach: 0 })
  await file.close()
})

test('a journal that cannot be written any more is not needed either, once LMDB has everything', async () => {
  const dir = await newDir()
  const clock = new ManualClock()
  const engine = await openLmdb({ dir, clock, journalAfter: 0 })
  const commit = () => engine.commit([{ key: '/a/1', value: valueOf('x', SMALL) }])
  await commit()
  const append = vi.spyOn(Journal.prototype, 'append').mockRejectedValue(new Error('no disk'))
  const atOnce = vi.spyOn(Journal.prototype, 'appendAtOnce').mockImplementation(() => {
    throw new Error('no disk')
  })
  expect(await commit()).toEqual({ done: true, at: 2 })
  append.mockRestore()
  atOnce.mockRestore()
  const copy = await crashed(dir)
  await rm(join(copy, 'journal'))
  const again = await openLmdb({ dir: copy, clock, verify: 'all' })
  expect(again.revision()).toBe(2)
  await again.close()
  await engine.close()
})

test.each([
  ['small', SMALL, 32],
  ['large', MIDDLE, 256],
] as const)('a journal is kept after some %s transactions', async (_, bytes, count) => {
  const dir = await newDir()
  const engine = await openLmdb({ dir, clock: new ManualClock() })
  const commit = () => engine.commit([{ key: '/a/1', value: valueOf('x', bytes) }])
  for (let i = 1; i < count; i++) await commit()
  expect(readdirSync(dir)).not.toContain('journal')
  await commit()
  await vi.waitFor(() => expect(readdirSync(dir)).toContain('journal'))
  await engine.close()
})
