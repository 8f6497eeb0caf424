import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ManualClock } from '../../src/base/clock.ts'
import { openLmdb } from '../../src/engine/lmdb/engine.ts'
import { openMemory } from '../../src/engine/memory/engine.ts'

for (const { name, open } of [
  { name: 'memory', open: async (_dir: string) => openMemory({ clock: new ManualClock() }) },
  { name: 'lmdb', open: (dir: string) => openLmdb({ dir, clock: new ManualClock() }) },
]) {
  const used = async (work: (engine: Awaited<ReturnType<typeof open>>) => Promise<void>) => {
    const dir = await mkdtemp(join(tmpdir(), 'compaction-'))
    const engine = await open(join(dir, 'store'))
    try {
      await work(engine)
    } finally {
      await engine.close()
      await rm(dir, { recursive: true, force: true })
    }
  }

  test(`${name}: a key deleted and made anew in one transaction outlives compaction`, () =>
    used(async (engine) => {
      await engine.commit([{ key: '/registry/a', value: Buffer.from('1') }])
      await engine.commit([
        { key: '/registry/a', value: null },
        { key: '/registry/a', value: Buffer.from('2') },
      ])
      await engine.compact(2)
      const item = await engine.get('/registry/a')
      expect([Buffer.from(item!.value).toString(), item!.created, item!.changed]).toEqual([
        '2',
        2,
        2,
      ])
    }))

  test(`${name}: a transaction larger than a round of compaction is forgotten whole`, () =>
    used(async (engine) => {
      const all = (value: string | null) =>
        Array.from({ length: 600 }, (_, i) => ({
          key: `/registry/k${i}`,
          value: value === null ? null : Buffer.from(value),
        }))
      await engine.commit(all('1'))
      await engine.commit(all('2'))
      await engine.commit([{ key: '/registry/z', value: Buffer.from('1') }])
      await engine.commit(all(null))
      await engine.compact(2)
      expect([
        engine.oldest(),
        (await engine.range('/registry/k', { at: 3 })).items.length,
      ]).toEqual([2, 600])
      await engine.compact(4)
      expect((await engine.range('/registry/')).items.map((i) => i.key)).toEqual(['/registry/z'])
    }))
}

test('lmdb: a key that is too long is refused alone, not with its neighbours', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'keys-'))
  const engine = await openLmdb({ dir: join(dir, 'store'), clock: new ManualClock() })
  try {
    const put = (key: string) => engine.commit([{ key, value: Buffer.from('1') }])
    const results = await Promise.allSettled([
      put('/registry/a'),
      put('/' + 'x'.repeat(1_900)),
      put('/' + 'y'.repeat(1_899)),
    ])
    expect(results.map((r) => (r.status === 'fulfilled' ? r.value : r.reason.message))).toEqual([
      { done: true, at: 1 },
      'a key has 1 to 1900 bytes, not 1901',
      { done: true, at: 2 },
    ])
  } finally {
    await engine.close()
    await rm(dir, { recursive: true, force: true })
  }
})
