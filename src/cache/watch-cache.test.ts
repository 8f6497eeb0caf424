import { expect, test, describe } from 'vitest'
import * as fc from 'fast-check'
import { ManualClock } from '../base/clock.ts'
import { openMemory } from '../engine/memory/engine.ts'
import { tablePrefixOf } from '../base/store-keys.ts'
import { WatchCache } from './watch-cache.ts'
import { encodeRecord } from '../engine/record.ts'
import type { StoredObject } from './stored-object.ts'
import type { WatchSink, WatchView } from './watch-hub.ts'

const P = '/registry/core/things/'

/** A record as written for an object. */
function record(name: string, value: string, labels?: Record<string, string>): Buffer {
  const head = `{"kind":"Thing","metadata":{"name":${JSON.stringify(name)},"resourceVersion":"`
  const tail = `"},"value":${JSON.stringify(value)}}`
  return encodeRecord({
    head,
    tail,
    metaStart: '{"kind":"Thing","metadata":'.length,
    metaLength: Buffer.byteLength(head) - '{"kind":"Thing","metadata":'.length + 2,
    selectors: labels ? JSON.stringify({ l: labels }) : '',
  })
}

const text = (version: StoredObject | null) => version?.json().toString()

async function open(options: { historyMs?: number; historyBytes?: number } = {}) {
  const clock = new ManualClock()
  const engine = openMemory({ clock })
  const cache = new WatchCache(engine, { clock, historyMs: 60_000, ...options })
  const put = async (name: string, value: string, labels?: Record<string, string>) => {
    const commit = await cache.commit([{ key: P + name, value: record(name, value, labels) }])
    if (!commit.done) throw new Error('not committed')
    return commit.at
  }
  const remove = async (name: string) => {
    const commit = await cache.commit([{ key: P + name, value: null }])
    if (!commit.done) throw new Error('not committed')
    return commit.at
  }
  return { clock, engine, cache, put, remove }
}

/** A receiver that can be stopped. */
class Sink implements WatchSink {
  readonly seen: string[] = []
  closed = false
  blocked = false
  #waiting: (() => void)[] = []
  write(chunk: Buffer): boolean {
    this.seen.push(...chunk.toString().trim().split('\n'))
    return !this.blocked
  }
  drained(): Promise<void> {
    return this.blocked ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve()
  }
  unblock(): void {
    this.blocked = false
    for (const wake of this.#waiting.splice(0)) wake()
  }
  async until(count: number): Promise<string[]> {
    while (this.seen.length < count) await new Promise<void>((resolve) => setImmediate(resolve))
    return this.seen
  }
}

const view = (options: Partial<WatchView> = {}): WatchView => ({
  id: 'all',
  prefix: P,
  matches: null,
  frame: (type, version, revision) =>
    Buffer.from(`${type} ${version.key.slice(P.length)} ${revision}\n`),
  ...options,
})

test('the bytes contain the resourceVersion', async () => {
  const { cache, put } = await open()
  const table = await cache.resourceCache(P)
  await put('ä', 'ö')
  const version = table.get(`${P}ä`)!
  expect(text(version)).toBe(
    '{"kind":"Thing","metadata":{"name":"ä","resourceVersion":"1"},"value":"ö"}',
  )
  expect(version.metadata().toString()).toBe('{"name":"ä","resourceVersion":"1"}')
  expect(text(version.withRevision(12345))).toBe(
    '{"kind":"Thing","metadata":{"name":"ä","resourceVersion":"12345"},"value":"ö"}',
  )
  expect(version.withRevision(12345).metadata().toString()).toBe(
    '{"name":"ä","resourceVersion":"12345"}',
  )
})

test('a table is filled from the engine on first use, and misses nothing meanwhile', async () => {
  const { cache, put } = await open()
  await put('a', '1')
  const loading = cache.resourceCache(P)
  await put('b', '1')
  await put('a', '2')
  const table = await loading
  expect([...table.range(P)].map((v) => [v.key, v.revision])).toEqual([
    [`${P}a`, 3],
    [`${P}b`, 2],
  ])
})

for (const isLoaded of [false, true])
  test(`a resource tells when it changes and whether it is empty, ${isLoaded ? '' : 'not '}loaded`, async () => {
    const { cache, put, remove } = await open()
    if (isLoaded) await cache.resourceCache(P)
    const seen: (readonly [string, boolean])[] = []
    const ends = ['a', 'b'].map((name) =>
      cache.onChange(P, (isDeletion) => seen.push([name, isDeletion])),
    )
    cache.onChange('/registry/core/others/', () => seen.push(['others', false]))
    expect(await cache.isEmpty(P)).toBe(true)
    await put('x', '1')
    expect(await cache.isEmpty(P)).toBe(false)
    ends[0]!()
    await remove('x')
    expect(await cache.isEmpty(P)).toBe(true)
    for (const end of ends) end()
    await put('x', '2')
    expect(seen).toEqual([
      ['a', false],
      ['b', false],
      ['b', true],
    ])
    expect(cache.size).toBe(isLoaded ? 1 : 0)
  })

test('older revisions can be read, from memory and from the engine', async () => {
  const { cache, put, remove } = await open()
  await put('a', '1')
  await put('b', '1')
  await remove('a')
  await cache.resourceCache(P)
  await put('a', '2')
  const keys = async (at: number) =>
    [...(await cache.list(P, P, { at })).items].map((v) => `${v.key}@${v.revision}`)
  expect(await keys(1)).toEqual([`${P}a@1`])
  expect(await keys(2)).toEqual([`${P}a@1`, `${P}b@2`])
  expect(await keys(3)).toEqual([`${P}b@2`])
  expect(await keys(4)).toEqual([`${P}a@4`, `${P}b@2`])
  await expect(cache.list(P, P, { at: 5 })).rejects.toThrow('current revision is 4')
})

describe('watching', () => {
  const start = (
    h: Awaited<ReturnType<typeof open>>,
    from: number,
    options: Partial<WatchView> = {},
  ) => {
    const sink = new Sink()
    let lost = 0
    const ready = h.cache.resourceCache(P).then((table) =>
      h.cache.hub.watch(table, view(options), sink, {
        from,
        onLost: (oldest) => (lost = oldest),
        onEnd: () => {},
      }),
    )
    return { sink, ready, lost: () => lost }
  }

  test('changes come in order, from history and live', async () => {
    const h = await open()
    await h.put('a', '1')
    await h.put('b', '1')
    await h.remove('a')
    const { sink, ready } = start(h, 1)
    await ready
    await sink.until(2)
    await h.put('a', '2')
    await h.put('b', '2')
    expect(await sink.until(4)).toEqual(['ADDED b 2', 'DELETED a 3', 'ADDED a 4', 'MODIFIED b 5'])
  })

  test('entering and leaving a selection adds and deletes', async () => {
    const h = await open()
    const { sink, ready } = start(h, 0, {
      id: 'sel',
      matches: (object) => object.facts().labels.on === 'yes',
    })
    await ready
    await h.put('a', '1', { on: 'yes' })
    await h.put('a', '2', { on: 'no' })
    await h.put('a', '3')
    await h.put('a', '4', { on: 'yes' })
    await h.put('a', '5', { on: 'yes' })
    await h.remove('a')
    expect(await sink.until(5)).toEqual([
      'ADDED a 1',
      'DELETED a 2',
      'ADDED a 4',
      'MODIFIED a 5',
      'DELETED a 6',
    ])
  })

  test('watchers of one view share the frames', async () => {
    const h = await open()
    let made = 0
    const frame: WatchView['frame'] = (type, version, revision) => {
      made++
      return Buffer.from(`${type} ${version.key.slice(P.length)} ${revision}\n`)
    }
    const watchers = Array.from({ length: 10 }, () => start(h, 0, { frame }))
    await Promise.all(watchers.map((w) => w.ready))
    await new Promise<void>((resolve) => setImmediate(resolve))
    await h.put('a', '1')
    for (const { sink } of watchers) expect(await sink.until(1)).toEqual(['ADDED a 1'])
    expect(made).toBe(1)
  })

  test('a slow receiver is not buffered for, and misses nothing', async () => {
    const h = await open()
    const { sink, ready } = start(h, 0)
    const watcher = await ready
    await new Promise<void>((resolve) => setImmediate(resolve))
    expect(watcher.group).not.toBe(null)
    sink.blocked = true
    await h.put('a', '1')
    await h.put('b', '1')
    await h.put('c', '1')
    expect([sink.seen.length <= 2, watcher.group]).toEqual([true, null])
    sink.unblock()
    expect(await sink.until(3)).toEqual(['ADDED a 1', 'ADDED b 2', 'ADDED c 3'])
  })

  test('the watches of clients end, and what follows the cache goes on', async () => {
    const h = await open()
    const table = await h.cache.resourceCache(P)
    const begin = (expires: boolean) =>
      h.cache.hub.watch(table, view({ id: h.cache.hub.ownView() }), new Sink(), {
        from: 0,
        expires,
        onLost: () => {},
        onEnd: () => {},
      })
    const before = [begin(true), begin(false)]
    h.cache.hub.endClients()
    const after = [begin(true), begin(false)]
    expect([...before, ...after].map(({ stopped }) => stopped)).toEqual([true, false, true, false])
    h.cache.hub.close()
    expect([...before, ...after].every(({ stopped }) => stopped)).toBe(true)
  })

  test('a watch from compacted history reports its loss', async () => {
    const h = await open()
    await h.cache.resourceCache(P)
    await h.put('a', '1')
    await h.put('a', '2')
    h.clock.advance(120_000)
    await h.put('a', '3')
    await h.cache.trim()
    const { sink, ready, lost } = start(h, 1)
    const watcher = await ready
    while (!watcher.stopped) await new Promise<void>((resolve) => setImmediate(resolve))
    expect([lost(), sink.seen]).toEqual([2, []])
  })

  test('history older than the memory window is read from the engine', async () => {
    const h = await open({ historyBytes: 0 })
    await h.cache.resourceCache(P)
    for (let i = 1; i <= 5; i++) await h.put('a', String(i))
    await h.cache.trim()
    const { sink, ready } = start(h, 2)
    await ready
    expect(await sink.until(3)).toEqual(['MODIFIED a 3', 'MODIFIED a 4', 'MODIFIED a 5'])
  })
})

describe('a state that is read in parts', () => {
  const names = (found: readonly StoredObject[] | null) =>
    found?.map(({ key, revision }) => `${key.slice(P.length)}@${revision}`)

  test('is the same whatever is written meanwhile', async () => {
    const h = await open()
    for (const name of ['a', 'b', 'c', 'd', 'e']) await h.put(name, '1')
    const { at, part } = await h.cache.list(P, P)
    const first = part!('', 2)
    await h.put('a', '2')
    await h.put('bb', '1')
    await h.remove('c')
    await h.remove('d')
    await h.put('d', '2')
    const parts = [first, part!(`${P}b`, 2), part!(`${P}d`, 2), part!(`${P}e`, 2)]
    expect([at, ...parts.map(names)]).toEqual([5, ['a@1', 'b@2'], ['c@3', 'd@4'], ['e@5'], []])
  })

  test('begins at the key that was asked for', async () => {
    const h = await open()
    for (const name of ['a', 'b', 'c']) await h.put(name, '1')
    const { part } = await h.cache.list(P, P, { start: `${P}b` })
    expect(names(part!('', 5))).toEqual(['b@2', 'c@3'])
  })

  test('is gone when history does not reach back to it', async () => {
    const h = await open({ historyBytes: 0, historyMs: 0 })
    for (const name of ['a', 'b']) await h.put(name, '1')
    const { part } = await h.cache.list(P, P)
    expect(names(part!('', 1))).toEqual(['a@1'])
    await h.put('b', '2')
    await h.cache.trim()
    expect(part!(`${P}a`, 1)).toBe(null)
  })
})

test('memory use follows the stored data', async () => {
  const h = await open({ historyBytes: 0, historyMs: 0 })
  const table = await h.cache.resourceCache(P)
  const big = 'x'.repeat(10_000)
  for (let i = 0; i < 2000; i++) {
    await h.put(`n${i % 20}`, `${big}${i}`)
    if (i % 100 === 99) await h.cache.trim()
  }
  await h.cache.trim()
  expect(h.cache.memoryBytes).toBeLessThan(4 << 20)
  expect(table.size).toBe(20)
  for (let i = 0; i < 20; i++) expect(text(table.get(`${P}n${i}`))).toContain(`x${1980 + i}"`)
})

test('any sequence of changes reads and watches as a plain model does', async () => {
  const step = fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    value: fc.option(fc.string({ maxLength: 5 }), { nil: null }),
    trim: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.nat(20), async (steps, loadAt) => {
      const h = await open({ historyBytes: 50 })
      const states: Map<string, string>[] = [new Map()]
      const events: string[] = []
      for (const [i, { name, value, trim }] of steps.entries()) {
        if (i === loadAt) await h.cache.resourceCache(P)
        const now = new Map(states.at(-1))
        if (value === null) {
          const at = await h.remove(name)
          if (!now.delete(name)) continue
          events.push(`DELETED ${name} ${at}`)
        } else {
          const at = await h.put(name, value)
          events.push(`${now.has(name) ? 'MODIFIED' : 'ADDED'} ${name} ${at}`)
          now.set(name, value)
        }
        states.push(now)
        if (trim) await h.cache.trim()
      }
      for (const [at, state] of states.entries()) {
        const items = [...(await h.cache.list(P, P, { at })).items]
        expect(
          items.map((v) => [
            v.key.slice(P.length),
            (JSON.parse(text(v)!) as { value: string }).value,
          ]),
        ).toEqual([...state].sort(([x], [y]) => (x < y ? -1 : 1)))
      }
      const table = await h.cache.resourceCache(P)
      for (const name of ['a', 'b', 'c', 'd'])
        for (let at = table.floor; at <= h.cache.revision; at++) {
          const found = table.writtenAt(P + name, at)
          const present = table.getAt(P + name, at)
          if (found || (present?.revision === at && at > table.floor)) expect(found).toBe(present)
        }
      for (const from of [0, 1, Math.floor(states.length / 2)]) {
        if (from >= states.length) continue
        const sink = new Sink()
        h.cache.hub.watch(table, view({ id: `w${from}` }), sink, {
          from,
          onLost: () => {},
          onEnd: () => {},
        })
        expect(await sink.until(events.length - from)).toEqual(events.slice(from))
      }
    }),
    { numRuns: 60 },
  )
})

test('the resource of a key', () => {
  expect([
    tablePrefixOf('/registry/core/configmaps/ns/a.b'),
    tablePrefixOf('/registry/core/namespaces/x'),
    tablePrefixOf('/registry/example.com/widgets/ns/w'),
  ]).toEqual([
    '/registry/core/configmaps/',
    '/registry/core/namespaces/',
    '/registry/example.com/widgets/',
  ])
})

describe('a store that others write to', () => {
  /** An engine whose read-index requests are answered by the test. */
  async function shared() {
    const clock = new ManualClock()
    const engine = openMemory({ clock })
    const asked: { resolve: (at: number) => void; reject: (error: Error) => void }[] = []
    const cache = new WatchCache(
      Object.assign(engine, {
        latest: () =>
          new Promise<number>((resolve, reject) => {
            asked.push({ resolve, reject })
          }),
      }),
      { clock, historyMs: 60_000 },
    )
    const yieldToEventLoop = () => new Promise((resolve) => setImmediate(resolve))
    return { engine, cache, asked, yieldToEventLoop }
  }

  test('has nothing to wait for without other writers', async () => {
    const { cache } = await open()
    expect([cache.isShared, cache.fresh()]).toEqual([false, null])
  })

  test('sends one read-index request for reads in consecutive iterations of the event loop, after them', async () => {
    const { cache, asked, yieldToEventLoop } = await shared()
    expect(cache.isShared).toBe(true)
    const first = cache.fresh()
    await yieldToEventLoop()
    expect(asked.length).toBe(1)
    asked[0]!.resolve(0)
    await first
    const next = cache.fresh()
    expect(cache.fresh()).toBe(next)
    await yieldToEventLoop()
    // This iteration brought another read: so may the next.
    expect(asked.length).toBe(1)
    expect(cache.fresh()).toBe(next)
    await yieldToEventLoop()
    await yieldToEventLoop()
    expect(asked.length).toBe(2)
    asked[1]!.resolve(0)
    await next
  })

  test('a read-index request is sent after a bounded wait, however many reads arrive', async () => {
    const { cache, asked, yieldToEventLoop } = await shared()
    const waits: Promise<void>[] = []
    for (let turns = 0; turns < 5; turns++) {
      expect(asked.length).toBe(0)
      waits.push(cache.fresh()!, cache.fresh()!)
      await yieldToEventLoop()
    }
    expect(new Set(waits).size).toBe(1)
    expect(asked.length).toBe(1)
    asked[0]!.resolve(0)
    await Promise.all(waits)
  })

  test('a read during a read-index request gets another request', async () => {
    const { cache, asked, yieldToEventLoop } = await shared()
    const first = cache.fresh()
    await yieldToEventLoop()
    expect(asked.length).toBe(1)
    // The request is in flight: it may not see later writes.
    const second = cache.fresh()
    expect(second).not.toBe(first)
    await yieldToEventLoop()
    expect(asked.length).toBe(2)
    asked[0]!.resolve(0)
    asked[1]!.resolve(0)
    await Promise.all([first, second])
  })

  test('at most two read-index requests at once; the third is sent after a response', async () => {
    const { cache, asked, yieldToEventLoop } = await shared()
    const waits: Promise<void>[] = []
    for (let i = 0; i < 5; i++) {
      waits.push(cache.fresh()!)
      await yieldToEventLoop()
    }
    expect(new Set(waits).size).toBe(3)
    expect(asked.length).toBe(2)
    asked[0]!.resolve(0)
    await waits[0]
    await yieldToEventLoop()
    expect(asked.length).toBe(3)
    asked[1]!.resolve(0)
    asked[2]!.resolve(0)
    await Promise.all(waits)
  })

  test('waits until the cache has reached the returned revision', async () => {
    const { cache, engine, asked, yieldToEventLoop } = await shared()
    let isFresh = false
    const waiting = cache.fresh()!.then(() => (isFresh = true))
    await yieldToEventLoop()
    asked[0]!.resolve(1)
    await yieldToEventLoop()
    expect(isFresh).toBe(false)
    await engine.commit([{ key: `${P}a`, value: record('a', '1') }])
    await waiting
    expect(cache.revision).toBe(1)
  })

  test('rejects all waiting reads on failure, and sends a new request for the next', async () => {
    const { cache, asked, yieldToEventLoop } = await shared()
    const waits = [cache.fresh(), cache.fresh()]
    await yieldToEventLoop()
    await yieldToEventLoop()
    asked[0]!.reject(new Error('silent'))
    for (const wait of waits) await expect(wait).rejects.toThrow('silent')
    const next = cache.fresh()
    await yieldToEventLoop()
    asked[1]!.resolve(0)
    await next
  })
})
