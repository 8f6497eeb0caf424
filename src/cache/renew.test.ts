/** Tables that are retired, and read again in another form. */
import { expect, test } from 'vitest'
import { ManualClock } from '../base/clock.ts'
import { storageTag } from '../base/storage-tag.ts'
import { openMemory } from '../engine/memory/engine.ts'
import { WatchCache } from './watch-cache.ts'
import { followVersions } from './follow.ts'
import { encodeRecord } from '../engine/record.ts'
import { ResourceCacheGone, type StorageForm } from './storage-form.ts'
import type { StoredObject } from './stored-object.ts'

const P = '/registry/example.com/things/'

/** A record of some bytes in a version. */
function record(value: string, version: string): Buffer {
  const head = '{"metadata":{"resourceVersion":"'
  const tail = `"},"value":${JSON.stringify(value)}}`
  return encodeRecord({
    head,
    tail,
    metaStart: '{"metadata":'.length,
    metaLength: head.length - '{"metadata":'.length + 2,
    selectors: '',
    tag: storageTag(version),
  })
}

/** A form that prefixes records of another version with its own version. */
const formIn = (version: string): StorageForm => ({
  of: { keyPrefix: P },
  tag: storageTag(version),
  convert: (bytes) => {
    const value = /"value":"([^"]*)"/.exec(Buffer.from(bytes).toString())?.[1]
    return record(`${version} of ${value}`, version)
  },
})

function open() {
  const clock = new ManualClock()
  const engine = openMemory({ clock })
  const now: { form: StorageForm | null } = { form: formIn('v1') }
  const cache = new WatchCache(engine, { clock, historyMs: 60_000, formOf: () => now.form })
  const put = (name: string, value: string, version = 'v1') =>
    cache.commit([{ key: P + name, value: record(value, version) }])
  const serve = (form: StorageForm | null) => {
    now.form = form
    cache.renew(P)
  }
  return { clock, engine, cache, put, serve, now }
}

const valueOf = (version: StoredObject) =>
  (JSON.parse(version.json().toString()) as { value: string }).value

async function values(cache: WatchCache, form: StorageForm, at?: number): Promise<string[]> {
  const { items } = await cache.list(form.of, P, at === undefined ? {} : { at })
  return [...items].map(valueOf)
}

test('a request for a table in an outdated form fails with ResourceCacheGone', async () => {
  const { cache, serve, now } = open()
  const before = now.form!
  const table = await cache.resourceCache(before.of)
  expect(cache.loaded(before.of)).toBe(table)
  expect(cache.loaded(P)).toBe(table)
  const after = formIn('v2')
  serve(after)
  expect([cache.loaded(before.of), cache.loaded(P), cache.size]).toEqual([undefined, undefined, 0])
  await expect(cache.resourceCache(before.of)).rejects.toThrow(ResourceCacheGone)
  await expect(cache.list(before.of, P)).rejects.toThrow(ResourceCacheGone)
  expect(await cache.resourceCache(after.of)).not.toBe(table)
  serve(null)
  await expect(cache.resourceCache(after.of)).rejects.toThrow(ResourceCacheGone)
})

test('a table that is retired while it is read does not appear', async () => {
  const { cache, put, serve, now } = open()
  await put('a', 'a')
  const before = now.form!
  const { memoryBytes } = cache
  const loading = cache.resourceCache(before.of)
  const after = formIn('v2')
  serve(after)
  const next = cache.resourceCache(after.of)
  await expect(loading).rejects.toThrow(ResourceCacheGone)
  expect((await next).form).toBe(after)
  expect(cache.loaded(P)).toBe(await next)
  expect(cache.memoryBytes).toBe(memoryBytes)
})

test('a commit based on a retired table writes nothing', async () => {
  const { cache, serve, now, engine } = open()
  const table = await cache.resourceCache(now.form!.of)
  serve(null)
  const revision = engine.revision()
  const change = { key: `${P}a`, value: record('a', 'v1') }
  await expect(cache.commit([change], table)).rejects.toThrow(ResourceCacheGone)
  expect(engine.revision()).toBe(revision)
})

test('past states are in the form of the table, even when it is retired meanwhile', async () => {
  const { cache, put, serve, now } = open()
  await put('a', 'a')
  const at = cache.revision
  await put('a', 'b', 'v0')
  const before = now.form!
  expect(await values(cache, before)).toEqual(['v1 of b'])
  const after = formIn('v2')
  serve(after)
  expect(await values(cache, after)).toEqual(['v2 of b'])
  const old = values(cache, after, at)
  serve(formIn('v3'))
  expect(await old).toEqual(['v2 of a'])
})

test('versions read from a table stay intact after it is retired', async () => {
  const { cache, put, serve, now } = open()
  await put('a', 'x'.repeat(2 << 20))
  const { memoryBytes } = cache
  const table = await cache.resourceCache(now.form!.of)
  const version = table.get(`${P}a`)!
  expect(cache.memoryBytes).toBeGreaterThan(memoryBytes + (2 << 20))
  serve(null)
  expect(cache.memoryBytes).toBe(memoryBytes)
  expect(valueOf(version).length).toBe(2 << 20)
})

test('a watch that starts on a retired table ends at once', async () => {
  const { cache, serve, now } = open()
  const table = await cache.resourceCache(now.form!.of)
  serve(null)
  let ended = 0
  const sink = { write: () => true, drained: () => Promise.resolve(), closed: false }
  const view = { id: 'one', prefix: P, matches: null, frame: () => Buffer.alloc(0) }
  const watcher = cache.hub.watch(table, view, sink, {
    from: cache.revision,
    onLost: () => {},
    onEnd: () => ended++,
  })
  expect([watcher.stopped, ended, cache.hub.size]).toEqual([true, 1, 0])
})

test('a follower moves from table to table', async () => {
  const { cache, put, serve } = open()
  serve(null)
  const told: string[] = []
  const tell = (word: string) => (version: StoredObject, form: StorageForm | null) =>
    told.push(`${word} ${valueOf(version)} in ${Buffer.from(form!.tag).toString('latin1', 5)}`)
  const end = await followVersions(cache, P, { onUpdate: tell('set'), onDelete: tell('removed') })
  await put('a', 'a')
  await put('b', 'b')
  const settle = async () => {
    for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
    return told.splice(0)
  }
  expect(await settle()).toEqual([])
  serve(formIn('v1'))
  expect(await settle()).toEqual(['set a in v1', 'set b in v1'])
  serve(formIn('v2'))
  serve(formIn('v3'))
  expect(await settle()).toEqual(['set v3 of a in v3', 'set v3 of b in v3'])
  await cache.commit([{ key: `${P}a`, value: null }])
  serve(null)
  expect(await settle()).toEqual(['removed v3 of a in v3', 'removed v3 of b in v3'])
  serve(formIn('v1'))
  expect(await settle()).toEqual(['set b in v1'])
  end()
  serve(null)
  expect(await settle()).toEqual([])
})
