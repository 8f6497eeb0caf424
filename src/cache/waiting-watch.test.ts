/** Watchers whose events are prepared asynchronously. */
import { expect, test } from 'vitest'
import { ManualClock } from '../base/clock.ts'
import { openMemory } from '../engine/memory/engine.ts'
import { WatchCache } from './watch-cache.ts'
import { encodeRecord } from '../engine/record.ts'
import type { StoredObject } from './stored-object.ts'
import type { WatchSink } from './watch-hub.ts'

const P = '/registry/example.com/things/'

function record(value: string): Buffer {
  const start = '{"metadata":'
  const head = `${start}{"resourceVersion":"`
  const metaLength = head.length - start.length + 2
  const tail = `"},"value":${JSON.stringify(value)}}`
  return encodeRecord({ head, tail, metaStart: start.length, metaLength, selectors: '' })
}

const valueOf = (version: StoredObject) =>
  (JSON.parse(version.json().toString()) as { value: string }).value

async function open() {
  const clock = new ManualClock()
  const cache = new WatchCache(openMemory({ clock }), { clock, historyMs: 60_000 })
  const put = (name: string, value: string | null) =>
    cache.commit([{ key: P + name, value: value === null ? null : record(value) }])
  const table = await cache.resourceCache(P)
  const seen: string[] = []
  const asked: string[] = []
  let ready: ReadonlySet<StoredObject> = new Set()
  let ended = 0
  const gate = { until: Promise.resolve() }
  const sink: WatchSink = {
    write: (chunk) => seen.push(chunk.toString()) > 0,
    drained: () => Promise.resolve(),
    closed: false,
  }
  const watcher = cache.hub.watch(
    table,
    {
      id: 'waits',
      prefix: `${P}a`,
      matches: null,
      async prepare(versions) {
        asked.push(versions.map(valueOf).join(' '))
        await gate.until
        ready = new Set(versions)
      },
      frame(type, version) {
        if (!ready.has(version)) throw new Error(`${valueOf(version)} was not made ready`)
        return Buffer.from(`${type} ${valueOf(version)}`)
      },
    },
    sink,
    { from: cache.revision, onLost: () => {}, onEnd: () => ended++ },
  )
  const idle = async () => {
    while (!watcher.bringUpToDate() && !watcher.stopped)
      await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return { cache, put, watcher, seen, asked, gate, idle, ends: () => ended }
}

test('changes during the preparation of a batch follow in the next, in order', async () => {
  const { put, watcher, seen, asked, gate, idle } = await open()
  let let_ = () => {}
  gate.until = new Promise((resolve) => (let_ = resolve))
  await put('a', '1')
  await put('a', '2')
  await put('b', 'of another')
  await put('a', null)
  expect([seen, asked, watcher.bringUpToDate()]).toEqual([[], ['1'], false])
  let_()
  await idle()
  expect([seen.join(', '), asked]).toEqual(['ADDED 1, MODIFIED 2DELETED 2', ['1', '2 2']])
  await put('a', '3')
  await idle()
  expect([seen.at(-1), asked.at(-1)]).toEqual(['ADDED 3', '3'])
})

test('a failed preparation ends its watch, and no other', async () => {
  const { cache, put, watcher, gate, idle, ends } = await open()
  gate.until = Promise.reject(new Error('nobody is there'))
  gate.until.catch(() => {})
  await put('a', '1')
  await idle()
  expect([watcher.stopped, watcher.error, ends(), cache.hub.size]).toEqual([
    true,
    new Error('nobody is there'),
    1,
    0,
  ])
  // No watcher is left to wake.
  await put('a', '2')
})

test('a watch that is stopped while asleep gets no more events', async () => {
  const { cache, put, watcher, seen, asked, idle, ends } = await open()
  await idle()
  watcher.stop()
  await put('a', '1')
  expect([seen, asked, ends(), cache.hub.size]).toEqual([[], [], 1, 0])
})
