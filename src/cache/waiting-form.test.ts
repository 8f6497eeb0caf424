/** Records of another version that need asynchronous conversion before they enter the cache. */
import { expect, test } from 'vitest'
import { ManualClock } from '../base/clock.ts'
import { storageTag } from '../base/storage-tag.ts'
import { openMemory } from '../engine/memory/engine.ts'
import { WatchCache } from './watch-cache.ts'
import { encodeRecord } from '../engine/record.ts'
import type { StorageForm } from './storage-form.ts'
import type { ResourceCache } from './resource-cache.ts'
import type { WatchSink } from './watch-hub.ts'

const P = '/registry/example.com/things/'
const TODAY = storageTag('v2')

function record(value: string, tag = storageTag('v1')): Buffer {
  const start = '{"metadata":'
  const head = `${start}{"resourceVersion":"`
  return encodeRecord({
    head,
    tail: `"},"value":${JSON.stringify(value)}}`,
    metaStart: start.length,
    metaLength: head.length - start.length + 2,
    selectors: '',
    tag,
  })
}

const valueOf = (bytes: Uint8Array) => /"value":"([^"]*)"/.exec(Buffer.from(bytes).toString())![1]!

/** Converts records to the current version when allowed to; `asked`: the batch sizes. */
class Form implements StorageForm {
  readonly of = { keyPrefix: P }
  readonly tag = TODAY
  readonly asked: number[] = []
  gate: Promise<void> | null = null
  failure: Error | null = null
  readonly #ready = new WeakMap<Uint8Array, Uint8Array>()

  readonly prepare = async (records: readonly Uint8Array[]) => {
    this.asked.push(records.length)
    await this.gate
    if (this.failure) throw this.failure
    for (const one of records) this.#ready.set(one, record(`new ${valueOf(one)}`, TODAY))
  }

  convert(old: Uint8Array): Uint8Array {
    const ready = this.#ready.get(old)
    if (!ready) throw new Error(`${valueOf(old)} was not made ready`)
    return ready
  }
}

async function open() {
  const clock = new ManualClock()
  const engine = openMemory({ clock })
  const form = new Form()
  const cache = new WatchCache(engine, { clock, historyMs: 60_000, formOf: () => form })
  const put = async (name: string, value: string, tag?: Buffer) => {
    const commit = await engine.commit([{ key: P + name, value: record(value, tag) }])
    if (!commit.done) throw new Error('not committed')
    return commit.at
  }
  return { engine, form, cache, put }
}

const shown = (table: ResourceCache) =>
  [...table.range(P)].map((version) => valueOf(version.json()))

test('a table is ready when its old records are, which are converted together', async () => {
  const { form, cache, put } = await open()
  await put('a', '1')
  await put('b', '2', TODAY)
  await put('c', '3')
  const table = await cache.resourceCache(P)
  expect([shown(table), form.asked]).toEqual([['new 1', '2', 'new 3'], [2]])
  expect([...table.range(P)].map(({ isOutdated }) => isOutdated)).toEqual([true, false, true])
})

test('changes that arrive during conversion are prepared and added after it', async () => {
  const { form, cache, put } = await open()
  await put('a', '1')
  let open_ = () => {}
  form.gate = new Promise((resolve) => (open_ = resolve))
  const loading = cache.resourceCache(P)
  while (form.asked.length === 0) await new Promise<void>((resolve) => setImmediate(resolve))
  await put('a', '2')
  const last = await put('b', '3', TODAY)
  open_()
  const table = await loading
  expect([shown(table), cache.revision, form.asked]).toEqual([['new 2', '3'], last, [1, 1]])
})

test('after a failure the next request reads the table again', async () => {
  const { form, cache, put } = await open()
  await put('a', '1')
  form.failure = new Error('nobody is there')
  await expect(cache.resourceCache(P)).rejects.toThrow('nobody is there')
  form.failure = null
  expect(shown(await cache.resourceCache(P))).toEqual(['new 1'])
})

test('a change in another version ends watches, and the table is read again', async () => {
  const { form, cache, put } = await open()
  await put('a', '1', TODAY)
  const table = await cache.resourceCache(P)
  const seen: string[] = []
  let isOver = false
  const sink: WatchSink = {
    write: (chunk) => seen.push(chunk.toString()) > 0,
    drained: () => Promise.resolve(),
    closed: false,
  }
  cache.hub.watch(
    table,
    {
      id: 'one',
      prefix: P,
      matches: null,
      frame: (type, version) => Buffer.from(`${type} ${valueOf(version.json())}`),
    },
    sink,
    { from: cache.revision, onLost: () => {}, onEnd: () => (isOver = true) },
  )
  await put('b', '2', TODAY)
  await put('a', '3')
  expect([seen, isOver, cache.loaded(P)]).toEqual([['ADDED 2'], true, undefined])
  const next = await cache.resourceCache(P)
  expect([shown(next), form.asked, table.retired]).toEqual([['new 3', '2'], [1], true])
})

test('history is converted as well', async () => {
  const { form, cache, put } = await open()
  const first = await put('a', '1')
  const last = await put('a', '2')
  const table = await cache.resourceCache(P)
  const { items } = await cache.list(P, P, { at: first })
  expect([...items].map((version) => valueOf(version.json()))).toEqual(['new 1'])
  const seen: string[] = []
  for await (const versions of cache.history(table, P, { from: first, to: last }))
    for (const { prev, ...version } of versions)
      seen.push(`${valueOf(prev!.json())} ${version.revision}`)
  expect([seen, form.asked.length]).toEqual([[`new 1 ${last}`], 3])
})
