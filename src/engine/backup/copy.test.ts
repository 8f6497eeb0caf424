import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import { openLmdb } from '../lmdb/engine.ts'
import { openMemory } from '../memory/engine.ts'
import { Compacted, type Engine, type Event } from '../engine.ts'
import { copyStore, type CopyTarget } from './copy.ts'
import { installStore } from './install.ts'
import { itemsOf } from './snapshot.ts'
import { allOf, temporaryDir, writeHistory } from './store.fixture.ts'

const clock = new ManualClock()
const dir = temporaryDir()

/** An engine that is empty but not new, as others' are. */
async function used(revisions: number): Promise<Engine> {
  const engine = openMemory({ clock })
  for (let i = 0; i < revisions; i++)
    await engine.commit([{ key: '/x', value: i % 2 === 0 ? Buffer.from('x') : null }])
  if (revisions % 2 === 1) throw new Error('something is left')
  return engine
}

/** An engine that can use up revisions at once; `spent` receives their number. */
function spending(engine: Engine, spent: (revisions: number) => void): CopyTarget {
  const spend = async (revisions: number, key: string) => {
    spent(revisions)
    for (let i = 0; i < revisions; i++) await engine.commit([{ key, value: Buffer.from([0]) }])
    return engine.revision()
  }
  return new Proxy<CopyTarget>(engine, {
    get(_, name) {
      if (name === 'spend') return spend
      const value = engine[name as keyof Engine] as unknown
      return typeof value === 'function' ? value.bind(engine) : value
    },
  })
}

describe('a copy has everything, in the same order', () => {
  for (const { name, before, moved, spends } of [
    { name: 'to a new store: with the same revisions', before: 0, moved: 0 },
    { name: 'to one that is not new: all later by as much as it must', before: 6, moved: 5 },
    { name: 'to one that uses up revisions at once', before: 8, moved: 7, spends: true },
  ]) {
    test(name, async () => {
      const from = await openLmdb({ dir: join(dir, `from-${before}`), clock })
      await writeHistory(from, 1_000)
      const [items, source] = [await allOf(from), from.revision()]
      let spent = 0
      const inner = await used(before)
      const to = spends ? spending(inner, (revisions) => (spent += revisions)) : inner
      const seen: [number, number][] = []
      const copied = await copyStore(from, to, { onProgress: (...at) => seen.push(at) })
      const last = source + moved
      // The last revision of all removes the keys written only to use up revisions.
      expect(copied).toEqual({ objects: items.length, moved, revision: last + 1 })
      expect(to.revision()).toBe(last + 1)
      expect(await allOf(to)).toEqual(
        items.map((item) => ({
          ...item,
          created: item.created + moved,
          changed: item.changed + moved,
        })),
      )
      expect(seen.at(-1)).toEqual([last + 1, last])
      // All after those that were used before, but for those that something was written at.
      const kept = new Set(items.flatMap(({ created, changed }) => [created, changed]))
      expect(spent).toBe(spends ? source + moved - before - kept.size : 0)
      // A client at the newest revision of the source continues where nothing was moved, and else lists anew.
      const after = async () => {
        const found: Event[] = []
        for await (const events of to.changes('/registry/core/things/', source, to.revision()))
          found.push(...events)
        return found
      }
      if (moved === 0) expect(await after()).toEqual([])
      else await expect(after()).rejects.toEqual(new Compacted(last + 1))
      await expect(to.range('', { at: source - 1 })).rejects.toThrow(Compacted)

      // And back, where revisions can be given.
      const back = join(dir, `back-${before}`)
      const revision = to.revision()
      const count = await installStore({
        dataDir: back,
        clock,
        format: {},
        revision,
        items: itemsOf(to, revision),
      })
      const again = await openLmdb({ dir: join(back, 'store'), clock, verify: 'all' })
      expect([count, again.revision(), again.oldest()]).toEqual([items.length, revision, revision])
      expect(await allOf(again)).toEqual(await allOf(to))
      await Promise.all([from.close(), again.close()])
    })
  }
})

test('a store with nothing, and one with nothing left', async () => {
  const empty = openMemory({ clock })
  expect(await copyStore(empty, openMemory({ clock }))).toEqual({
    objects: 0,
    moved: 0,
    revision: 0,
  })
  expect(await copyStore(await used(4), openMemory({ clock }))).toEqual({
    objects: 0,
    moved: 0,
    revision: 5,
  })
})

test('a target with objects, and one with another writer, are refused', async () => {
  const from = openMemory({ clock })
  await writeHistory(from, 10)
  const full = openMemory({ clock })
  await full.commit([{ key: '/a', value: Buffer.from('1') }])
  await expect(copyStore(from, full)).rejects.toThrow(
    'the memory store that is copied to has objects already; use an empty one',
  )
  const inner = openMemory({ clock })
  let commits = 0
  const shared: Engine = Object.create(inner, {
    name: { value: 'shared' },
    revision: { value: () => inner.revision() },
    range: { value: inner.range.bind(inner) },
    commit: {
      value: async (changes: Parameters<Engine['commit']>[0]) => {
        if (++commits === 5) await inner.commit([{ key: '/b', value: Buffer.from('1') }])
        return inner.commit(changes)
      },
    },
  })
  await expect(copyStore(from, shared)).rejects.toThrow(
    /^the shared store is at revision \d+, not \d+: somebody else writes to it; stop that, empty it and try again$/,
  )
})
