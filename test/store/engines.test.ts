import { TRANSPORTS, type TransportName } from '../../src/engine/etcd/transport.ts'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { ManualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { openEtcd } from '../../src/engine/etcd/engine.ts'
import { openLmdb } from '../../src/engine/lmdb/engine.ts'
import type { TimeToLive } from '../../src/engine/expiry.ts'
import { openMemory } from '../../src/engine/memory/engine.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { hasEtcd, NO_ETCD, rebased, startEtcd, type Etcd } from './etcd.ts'
import { storeSuite } from './suite.ts'

const dirs: string[] = []
const newDir = async () => {
  const dir = await mkdtemp(join(tmpdir(), 'store-'))
  dirs.push(dir)
  return join(dir, 'store')
}
afterAll(() => Promise.all(dirs.map((dir) => rm(dir, { recursive: true, force: true }))))

storeSuite('memory', async (clock, ttlMs) => openMemory({ clock, ttlMs }))
storeSuite('lmdb', async (clock, ttlMs) => openLmdb({ dir: await newDir(), clock, ttlMs }))
storeSuite('lmdb with a journal', async (clock, ttlMs) =>
  openLmdb({ dir: await newDir(), clock, ttlMs, journalAfter: 0 }),
)
storeSuite('lmdb without flushes', async (clock, ttlMs) =>
  openLmdb({ dir: await newDir(), clock, ttlMs, journalAfter: Infinity, isFlushed: false }),
)
const flushes = { isAtOnce: () => true, took: () => {} }
storeSuite('lmdb with a journal that is flushed at once', async (clock, ttlMs) =>
  openLmdb({ dir: await newDir(), clock, ttlMs, journalAfter: 0, flushes }),
)

// One process for all cases, a prefix for each; what was there before is revision 0.
let etcd: Promise<Etcd> | null = null
let prefixes = 0
afterAll(async () => (await etcd)?.close())
const openCase = async (clock: ManualClock, ttlMs?: TimeToLive, transport?: TransportName) => {
  const engine = rebased(
    await openEtcd({
      transport,
      servers: [(await (etcd ??= startEtcd())).url],
      prefix: `/case-${prefixes++}`,
      dialTimeoutMs: 5_000,
      requestTimeoutMs: 5_000,
      log: silentLog,
      clock,
      ...(ttlMs ? { ttlMs } : {}),
    }),
  )
  if (ttlMs === undefined) return engine
  // A key that expires after its case would use up a revision of a later one.
  let emptying: Promise<void> | null = null
  const close = async () => {
    try {
      await (emptying ??= empty(engine))
    } finally {
      await engine.close()
    }
  }
  return { ...engine, close }
}
async function empty(engine: Engine): Promise<void> {
  const { items } = await engine.range('/')
  for (const { key } of items) await engine.commit([{ key, value: null }])
}
for (const transport of TRANSPORTS) {
  storeSuite(`etcd over ${transport}`, (clock, ttlMs) => openCase(clock, ttlMs, transport), {
    skip: hasEtcd ? null : NO_ETCD,
    ordered: false,
    realTime: true,
  })
}

test('everything is there after closing and opening again, history included', async () => {
  const dir = await newDir()
  const clock = new ManualClock()
  let engine = await openLmdb({ dir, clock })
  await engine.commit([{ key: '/a', value: Buffer.from('1') }])
  await engine.commit([{ key: '/a', value: Buffer.from('2') }])
  await engine.commit([{ key: '/a', value: Buffer.from('3') }])
  await engine.commit([{ key: '/a', value: null }])
  await engine.compact(2)
  await engine.close()
  engine = await openLmdb({ dir, clock })
  expect([engine.revision(), engine.oldest()]).toEqual([4, 2])
  expect(Buffer.from((await engine.get('/a', { at: 3 }))!.value).toString()).toBe('3')
  expect(await engine.get('/a')).toBeNull()
  expect(await engine.commit([{ key: '/b', value: Buffer.from('1') }])).toEqual({
    done: true,
    at: 5,
  })
  await engine.compact(5)
  await engine.commit([{ key: '/b', value: null }])
  await engine.compact(6)
  await engine.close()
  // The newest revision was that of a deletion whose mark is gone: revisions must not fall all the same.
  engine = await openLmdb({ dir, clock })
  expect(await engine.commit([{ key: '/b', value: Buffer.from('2') }])).toEqual({
    done: true,
    at: 7,
  })
  await engine.close()
})

test('a directory in use, of another vocabulary, of another form or of somebody else is refused', async () => {
  const dir = await newDir()
  const clock = new ManualClock()
  const engine = await openLmdb({ dir, clock, format: { vocabulary: 'one' } })
  await expect(openLmdb({ dir, clock })).rejects.toThrow(
    `data directory ${dir} is in use by process ${process.pid}; stop it or choose another with --data-dir`,
  )
  await engine.close()
  await expect(openLmdb({ dir, clock, format: { vocabulary: 'two' } })).rejects.toThrow(
    `data directory ${dir} was made with vocabulary one, not two; start with --vocabulary one or choose another with --data-dir`,
  )
  await expect(
    openLmdb({ dir, clock, format: { vocabulary: 'one', version: '9' } }),
  ).rejects.toThrow(`data directory ${dir} has format 2, this program reads format 9`)
  const again = await openLmdb({ dir, clock, format: { vocabulary: 'one' } })
  await again.close()
  const other = await newDir()
  const { mkdir } = await import('node:fs/promises')
  await mkdir(other, { recursive: true })
  await writeFile(join(other, 'letter.txt'), 'dear')
  await expect(openLmdb({ dir: other, clock })).rejects.toThrow(
    `directory ${other} holds other files; choose an empty one with --data-dir`,
  )
})

test('the space of expired history is used again', async () => {
  const dir = await newDir()
  const engine = await openLmdb({ dir, clock: new ManualClock() })
  const value = Buffer.alloc(8192, 1)
  const round = async () => {
    for (let i = 0; i < 10; i++) {
      await Promise.all(
        Array.from({ length: 50 }, (_, k) => engine.commit([{ key: `/k${k}`, value }])),
      )
    }
    await engine.compact(engine.revision())
    return (await stat(join(dir, 'data.mdb'))).size
  }
  await round()
  const early = await round()
  let late = 0
  for (let i = 0; i < 8; i++) late = await round()
  expect(late).toBeLessThanOrEqual(early * 1.5)
  await engine.close()
})

type Step =
  | {
      readonly do: 'put'
      readonly key: string
      readonly value: string
      readonly conditional: boolean
    }
  | { readonly do: 'delete'; readonly key: string }
  | { readonly do: 'compact'; readonly back: number }
  | { readonly do: 'reopen' }

const key = fc.constantFrom('/registry/a', '/registry/b', '/registry/b/c', '/registry/d')
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('put' as const),
      key,
      value: fc.string({ maxLength: 4 }),
      conditional: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), key }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const), back: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'reopen' as const }) },
)

for (const { name, open, reopens } of [
  { name: 'memory', open: async (clock: ManualClock) => openMemory({ clock }), reopens: false },
  {
    name: 'lmdb',
    open: async (clock: ManualClock, dir: string) => openLmdb({ dir, clock }),
    reopens: true,
  },
  ...(hasEtcd
    ? [{ name: 'etcd', open: (clock: ManualClock) => openCase(clock), reopens: false }]
    : []),
]) {
  test(`any history reads as a plain model does: ${name}`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const clock = new ManualClock()
        const dir = await newDir()
        let engine: Engine = await open(clock, dir)
        const states: Map<string, { value: string; at: number }>[] = [new Map()]
        const events: string[] = ['']
        let floor = 0
        for (const s of steps) {
          const now = new Map(states.at(-1))
          const at = states.length
          if (s.do === 'reopen') {
            if (!reopens) continue
            await engine.close()
            engine = await open(clock, dir)
          } else if (s.do === 'compact') {
            const upTo = Math.max(0, engine.revision() - s.back)
            await engine.compact(upTo)
            floor = Math.max(floor, upTo)
          } else if (s.do === 'delete') {
            await engine.commit([{ key: s.key, value: null }])
            const old = now.get(s.key)
            if (!old) continue
            now.delete(s.key)
            states.push(now)
            events.push(`${at} ${s.key} - <- ${old.value}`)
          } else {
            const old = now.get(s.key)
            const commit = await engine.commit([
              {
                key: s.key,
                value: Buffer.from(s.value),
                ...(s.conditional ? { ifChangedAt: 0 } : {}),
              },
            ])
            expect(commit.done).toBe(!s.conditional || !old)
            if (!commit.done) continue
            expect(commit.at).toBe(at)
            now.set(s.key, { value: s.value, at })
            states.push(now)
            events.push(`${at} ${s.key} ${s.value} <- ${old ? old.value : '-'}`)
          }
        }
        expect([engine.revision(), engine.oldest()]).toEqual([states.length - 1, floor])
        for (let at = floor; at < states.length; at++) {
          const { items } = await engine.range('/', { at })
          expect(items.map((i) => [i.key, Buffer.from(i.value).toString(), i.changed])).toEqual(
            [...states[at]!]
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([k, v]) => [k, v.value, v.at]),
          )
        }
        const seen: string[] = []
        for await (const batch of engine.changes('/', floor, engine.revision())) {
          for (const e of batch) {
            const before = e.before ? Buffer.from(e.before.value).toString() : '-'
            seen.push(
              `${e.at} ${e.key} ${e.value ? Buffer.from(e.value).toString() : '-'} <- ${before}`,
            )
          }
        }
        expect(seen).toEqual(events.slice(floor + 1))
        await engine.close()
      }),
      { numRuns: name === 'memory' ? 150 : 25 },
    )
  })
}
