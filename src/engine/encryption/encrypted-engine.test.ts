import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { storeSuite } from '../../../test/store/suite.ts'
import { ManualClock } from '../../base/clock.ts'
import { WatchCache } from '../../cache/watch-cache.ts'
import { encodeRecord } from '../record.ts'
import { openLmdb } from '../lmdb/engine.ts'
import { openMemory } from '../memory/engine.ts'
import type { Engine, Event } from '../engine.ts'
import { encryptedEngine } from './encrypted-engine.ts'
import { by, encryptionOf, identity, key, keyedKinds } from './encryption.fixture.ts'
import { TransformError, unreadableReason } from './unreadable.ts'

const dirs: string[] = []
const newDir = async () => {
  const dir = await mkdtemp(join(tmpdir(), 'encrypted-'))
  dirs.push(dir)
  return join(dir, 'store')
}
afterAll(() => Promise.all(dirs.map((dir) => rm(dir, { recursive: true, force: true }))))

const kind = keyedKinds.at(-1)!
storeSuite(`memory under ${kind}`, async (clock, ttlMs) =>
  encryptedEngine(openMemory({ clock, ttlMs }), await encryptionOf([by(kind, key('k', 1))], '')),
)
storeSuite('lmdb under aesgcm', async (clock, ttlMs) =>
  encryptedEngine(
    await openLmdb({ dir: await newDir(), clock, ttlMs }),
    await encryptionOf([by('aesgcm', key('k', 1))], ''),
  ),
)

const unreadable = (why: string) => new TransformError('/registry/core/secrets/ns/a', why)
const text = (value: Uint8Array | null | undefined) => (value ? Buffer.from(value).toString() : '-')

for (const { name, open } of [
  { name: 'memory', open: async () => openMemory({ clock: new ManualClock() }) },
  {
    name: 'lmdb',
    open: async () => openLmdb({ dir: await newDir(), clock: new ManualClock() }),
  },
] satisfies { name: string; open: () => Promise<Engine> }[]) {
  describe(`encryption over ${name}`, () => {
    test('the engine below never sees a covered value in plain text, its users see nothing else', async () => {
      const inner = await open()
      const outer = encryptedEngine(inner, await encryptionOf([by('aescbc', key('k', 1))]))
      const heard: string[] = []
      const below: string[] = []
      const line = (e: Event) => `${e.at} ${e.key} ${text(e.value)}`
      outer.subscribe((events) => heard.push(...events.map(line)))
      inner.subscribe((events) =>
        below.push(...events.map((e) => `${e.key} ${text(e.value).slice(0, 20)}`)),
      )
      await outer.commit([
        { key: '/registry/core/secrets/ns/a', value: Buffer.from('one') },
        { key: '/registry/core/configmaps/ns/a', value: Buffer.from('open') },
      ])
      await outer.commit([{ key: '/registry/core/secrets/ns/a', value: Buffer.from('two') }])
      await outer.commit([{ key: '/registry/core/secrets/ns/a', value: null }])
      expect(heard).toEqual([
        '1 /registry/core/secrets/ns/a one',
        '1 /registry/core/configmaps/ns/a open',
        '2 /registry/core/secrets/ns/a two',
        '3 /registry/core/secrets/ns/a -',
      ])
      expect(below).toEqual([
        '/registry/core/secrets/ns/a k8s:enc:aescbc:v1:k:',
        '/registry/core/configmaps/ns/a open',
        '/registry/core/secrets/ns/a k8s:enc:aescbc:v1:k:',
        '/registry/core/secrets/ns/a -',
      ])
      const fed: string[] = []
      for await (const events of outer.changes('/registry/core/secrets/', 0, 3))
        fed.push(...events.map((e) => `${text(e.value)} <- ${text(e.before?.value)}`))
      expect(fed).toEqual(['one <- -', 'two <- one', '- <- two'])
      await outer.commit([{ key: '/registry/core/secrets/ns/b', value: Buffer.from('three') }])
      const conflict = await outer.commit([
        { key: '/registry/core/secrets/ns/b', value: Buffer.from('four'), ifChangedAt: 1 },
      ])
      expect(conflict.done ? null : text(conflict.found?.value)).toBe('three')
      await outer.close()
    })

    test('a value is stale until it is written by the first key, and readable all the time', async () => {
      const inner = await open()
      const at = '/registry/core/secrets/ns/a'
      const value = Buffer.from('same')
      const plain = encryptedEngine(inner, await encryptionOf([identity]))
      await plain.commit([{ key: at, value }])
      const rounds = [
        [by('aescbc', key('old', 1)), identity],
        [by('aescbc', key('new', 2), key('old', 1))],
        [by('aesgcm', key('new', 3)), by('aescbc', key('new', 2))],
        [identity, by('aesgcm', key('new', 3))],
      ]
      const seen: unknown[] = []
      for (const providers of rounds) {
        const engine = encryptedEngine(inner, await encryptionOf(providers))
        const before = await engine.isStale(at)
        const read = text((await engine.get(at))?.value)
        await engine.commit([{ key: at, value }])
        seen.push([before, read, await engine.isStale(at)])
      }
      expect(seen).toEqual(rounds.map(() => [true, 'same', false]))
      expect(text((await inner.get(at))?.value)).toBe('same')
      expect([
        await plain.isStale('/registry/core/secrets/ns/none'),
        await plain.isStale('/registry/core/pods/ns/a'),
      ]).toEqual([false, false])
      await inner.close()
    })

    test('a value that cannot be read fails a read of its key, and is marked in a range', async () => {
      const inner = await open()
      const good = encryptedEngine(inner, await encryptionOf([by('aesgcm', key('k', 1))]))
      await good.commit([{ key: '/registry/core/secrets/ns/a', value: Buffer.from('one') }])
      const lost = encryptedEngine(inner, await encryptionOf([by('aesgcm', key('k', 2))]))
      await lost.commit([{ key: '/registry/core/secrets/ns/b', value: Buffer.from('two') }])
      const reason = 'cipher: message authentication failed'
      const change = { key: '/registry/core/secrets/ns/a', value: null, ifChangedAt: 9 }
      await expect(lost.get('/registry/core/secrets/ns/a')).rejects.toThrow(unreadable(reason))
      await expect(lost.isStale('/registry/core/secrets/ns/a')).rejects.toThrow(unreadable(reason))
      const conflict = await lost.commit([change])
      expect(conflict.done ? null : unreadableReason(conflict.found!.value)).toBe(reason)
      const shown = (value: Uint8Array | null | undefined): string | null =>
        value ? (value[0] === 0xff ? unreadableReason(value) : text(value)) : '-'
      const { items } = await lost.range('/registry/core/secrets/')
      expect(items.map(({ value }) => shown(value))).toEqual([reason, 'two'])
      const heard: (string | null)[] = []
      lost.subscribe((events) => heard.push(...events.map(({ value }) => shown(value))))
      await good.commit([{ key: '/registry/core/secrets/ns/a', value: Buffer.from('three') }])
      await good.commit([{ key: '/registry/core/secrets/ns/a', value: null }])
      expect(heard).toEqual([reason, '-'])
      const fed: (string | null)[][] = []
      for await (const events of lost.changes('/', 0, 4))
        for (const { value, before } of events) fed.push([shown(value), shown(before?.value)])
      expect(fed).toEqual([
        [reason, '-'],
        ['two', '-'],
        [reason, reason],
        ['-', reason],
      ])
      expect(text((await lost.get('/registry/core/secrets/ns/b'))?.value)).toBe('two')
      await inner.close()
    })

    test('the cache above serves plain values: written, loaded and old ones', async () => {
      const inner = await open()
      const engine = encryptedEngine(inner, await encryptionOf([by('aesgcm', key('k', 1))]))
      const record = (word: string) =>
        encodeRecord({
          head: '{"metadata":{"resourceVersion":"',
          tail: `"},"word":"${word}"}`,
          metaStart: 12,
          metaLength: 22,
          selectors: '',
        })
      const at = '/registry/core/secrets/ns/a'
      const options = { clock: new ManualClock(), historyMs: 60_000 }
      const first = new WatchCache(engine, options)
      await first.resourceCache('/registry/core/secrets/')
      await first.commit([{ key: at, value: record('one') }])
      await first.commit([{ key: at, value: record('two') }])
      const second = new WatchCache(engine, options)
      const show = (cache: WatchCache, from: number) =>
        cache
          .list('/registry/core/secrets/', '/registry/core/secrets/', { at: from })
          .then(({ items }) => [...items].map((v) => v.json().toString()))
      const one = ['{"metadata":{"resourceVersion":"1"},"word":"one"}']
      const two = ['{"metadata":{"resourceVersion":"2"},"word":"two"}']
      await second.resourceCache('/registry/core/secrets/')
      expect([
        await show(first, 1),
        await show(first, 2),
        await show(second, 1),
        await show(second, 2),
      ]).toEqual([one, two, one, two])
      first.close()
      second.close()
      await engine.close()
    })
  })
}

for (const kind of keyedKinds) {
  test(`the files have no plain text of what ${kind} encrypted`, async () => {
    const dir = await newDir()
    const clock = new ManualClock()
    const inner = await openLmdb({ dir, clock })
    const engine = encryptedEngine(inner, await encryptionOf([by(kind, key('k', 1))]))
    const secret = 'correct horse battery staple'
    for (let i = 0; i < 40; i++) {
      await engine.commit([
        { key: `/registry/core/secrets/ns/a${i % 5}`, value: Buffer.from(`${secret} ${i}`) },
        { key: '/registry/core/configmaps/ns/a', value: Buffer.from('a word in the open') },
      ])
    }
    await engine.commit([
      { key: '/registry/core/secrets/ns/big', value: Buffer.from(secret.repeat(10_000)) },
    ])
    await engine.commit([{ key: '/registry/core/secrets/ns/a1', value: null }])
    await engine.compact(20)
    await engine.close()
    const files = await Promise.all((await readdir(dir)).map((name) => readFile(join(dir, name))))
    const all = Buffer.concat(files)
    expect({
      secret: all.includes(secret),
      part: all.includes('battery'),
      packed: all.includes(Buffer.from(secret).toString('base64').slice(0, 20)),
      open: all.includes('a word in the open'),
      marked: all.includes(`k8s:enc:${kind}:v1:k:`),
    }).toEqual({ secret: false, part: false, packed: false, open: true, marked: true })
  })
}
