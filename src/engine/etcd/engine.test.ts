/** Behavior of a real etcd beyond the suite: members that stop and start, other writers, leases. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { hasEtcd, NO_ETCD, startEtcd, type Etcd } from '../../../test/store/etcd.ts'
import { ManualClock, systemClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import type { Engine, Event } from '../engine.ts'
import { Connection } from './connection.ts'
import { openEtcd, type EtcdEngine, type EtcdOptions } from './engine.ts'
import { decodeRange, encodeRange } from './messages.ts'

const bytes = (text: string) => Buffer.from(text)
const put = (engine: Engine, key: string, value: string, ifChangedAt?: number) =>
  engine.commit([
    { key, value: bytes(value), ...(ifChangedAt === undefined ? {} : { ifChangedAt }) },
  ])
const state = async (engine: Engine) =>
  (await engine.range('/registry/')).items.map((i) => `${i.key}=${Buffer.from(i.value).toString()}`)
const listen = (engine: Engine) => {
  const told: string[] = []
  engine.subscribe((events: readonly Event[]) => {
    for (const { key, value } of events)
      if (key !== '/registry/.revision')
        told.push(`${key}=${value ? Buffer.from(value).toString() : '-'}`)
  })
  return told
}
const readAll = async (feed: AsyncIterable<unknown>) => {
  for await (const _batch of feed);
}
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no error',
    (error: unknown) => (error as Error).message,
  )

test('an absent etcd is reported in time', async () => {
  const server = 'http://127.0.0.1:9'
  const options = { prefix: '/p', requestTimeoutMs: 300, log: silentLog, clock: systemClock }
  expect(await failure(openEtcd({ ...options, servers: [server], dialTimeoutMs: 300 }))).toBe(
    `etcd at ${server} cannot be reached: connect ECONNREFUSED 127.0.0.1:9`,
  )
})

test.each([
  { servers: [], want: '--etcd-servers must be specified' },
  { servers: ['ftp://a'], want: '--etcd-servers: ftp://a has neither the scheme http nor https' },
  { servers: ['http://:x'], want: '--etcd-servers: http://:x is not a URL' },
  {
    servers: ['https://me:secret@a:2379'],
    want: '--etcd-servers: a:2379 is given with a user, which is not supported',
  },
])('servers $servers are refused', async ({ servers, want }) => {
  const options = { prefix: '/p', dialTimeoutMs: 100, requestTimeoutMs: 100 }
  expect(await failure(openEtcd({ ...options, servers, log: silentLog, clock: systemClock }))).toBe(
    want,
  )
})

describe.skipIf(!hasEtcd)(`a real etcd${hasEtcd ? '' : ` (${NO_ETCD})`}`, () => {
  let etcd: Etcd
  let prefixes = 0
  const opened: EtcdEngine[] = []
  const open = async (options: Partial<EtcdOptions> = {}) => {
    const engine = await openEtcd({
      servers: [etcd.url],
      prefix: `/registry-${prefixes}`,
      dialTimeoutMs: 5_000,
      requestTimeoutMs: 2_000,
      log: silentLog,
      clock: systemClock,
      ...options,
    })
    opened.push(engine)
    return engine
  }
  const openNew = (options: Partial<EtcdOptions> = {}) => {
    prefixes++
    return open(options)
  }
  beforeAll(async () => {
    etcd = await startEtcd()
  })
  afterAll(async () => {
    await Promise.all(opened.map((engine) => engine.close()))
    await etcd.close()
  })

  test('keys and values lie as they are under the prefix', async () => {
    const engine = await openNew({ prefix: '/registry' })
    await engine.commit([
      { key: '/registry/configmaps/ns/a', value: bytes('1') },
      { key: '/registry/services/ns/a', value: bytes('2') },
      { key: '/registry/nodes/a', value: bytes('3') },
    ])
    const connection = new Connection({
      servers: [etcd.url],
      requestTimeoutMs: 2_000,
      clock: systemClock,
    })
    const { items } = await connection.call({
      method: '/etcdserverpb.KV/Range',
      request: encodeRange({ key: '/registry/', end: '/registry0' }),
      decode: decodeRange,
    })
    connection.close()
    expect(items.slice(1).map(({ key, value }) => `${key}=${value.toString()}`)).toEqual([
      '/registry/configmaps/ns/a=1',
      '/registry/nodes/a=3',
      '/registry/services/ns/a=2',
    ])
    expect(await state(engine)).toEqual([
      '/registry/configmaps/ns/a=1',
      '/registry/nodes/a=3',
      '/registry/services/ns/a=2',
    ])
  })

  test('two servers see one another, and one that opens later starts with a revision that all see', async () => {
    const one = await openNew()
    const told = listen(one)
    const two = await open()
    const made = await put(two, '/registry/a', '1')
    expect(await one.latest()).toBe(made.done && made.at)
    const lost = await put(one, '/registry/a', '2', 0)
    expect(lost.done ? null : [lost.key, lost.found?.changed]).toEqual([
      '/registry/a',
      made.done ? made.at : 0,
    ])
    await two.commit([{ key: '/registry/a', value: null }])
    const third = await open()
    expect([await one.latest(), told]).toEqual([
      third.revision(),
      ['/registry/a=1', '/registry/a=-'],
    ])
  })

  test('writes of others in the same etcd hold up nothing', async () => {
    const engine = await openNew()
    const first = await put(engine, '/registry/a', '1')
    const other = await openNew()
    await put(other, '/registry/x', '1')
    // Changes nothing, at a revision of etcd that is none of the engine's own.
    const none = await engine.commit([{ key: '/registry/absent', value: null }])
    expect(none.done && none.at >= (first.done ? first.at : 0)).toBe(true)
    expect([none.done && none.at, await state(engine)]).toEqual([
      engine.revision(),
      ['/registry/a=1'],
    ])
    await put(other, '/registry/x', '2')
    await other.compact(other.revision())
    // Everything older is compacted away, but nothing of ours changed since.
    expect(await state(engine)).toEqual(['/registry/a=1'])
    expect((await engine.get('/registry/a', { at: engine.revision() }))?.changed).toBe(
      first.done && first.at,
    )
  })

  test('a watch from a compacted revision fails as such, also after opening again', async () => {
    const one = await openNew()
    const start = one.revision()
    await put(one, '/registry/a', '1')
    await put(one, '/registry/a', '2')
    const two = await open()
    await two.compact(two.revision() - 1)
    const read = (engine: Engine) => readAll(engine.changes('/registry/', start, engine.revision()))
    const gone = `history starts at revision ${two.oldest()}`
    expect(await failure(read(one))).toBe(gone)
    expect(await failure(one.range('/registry/', { at: start }))).toBe(gone)
    const three = await open()
    expect([three.oldest(), await failure(three.get('/registry/a', { at: start }))]).toEqual([
      two.oldest(),
      gone,
    ])
    await one.compact(start)
    expect([one.oldest(), await state(one)]).toEqual([two.oldest(), ['/registry/a=2']])
  })

  test('a batch beyond the limits of etcd is refused with a remedy', async () => {
    const engine = await openNew()
    const many = Array.from({ length: 1100 }, (_, i) => ({
      key: `/registry/k${i}`,
      value: bytes('1'),
    }))
    expect(await failure(engine.commit(many))).toBe(
      `etcd at ${etcd.url} refuses: etcdserver: too many operations in txn request (one write changes more keys than etcd allows; raise its --max-txn-ops)`,
    )
    expect(
      await failure(engine.commit([{ key: '/registry/big', value: Buffer.alloc(8_400_000) }])),
    ).toContain('the object is larger than etcd takes; raise its --max-request-bytes')
    expect(await state(engine)).toEqual([])
  })

  test('keys with a time to live go when it is over', async () => {
    const engine = await openNew({
      ttlMs: (key) => (key.startsWith('/registry/events/') ? 1_000 : undefined),
    })
    const told = listen(engine)
    await Promise.all([
      put(engine, '/registry/events/ns/a', '1'),
      put(engine, '/registry/events/ns/b', '1'),
      put(engine, '/registry/pods/ns/a', '1'),
    ])
    await vi.waitFor(() => expect(told.length).toBe(5), { timeout: 10_000, interval: 50 })
    expect(told.slice(3).toSorted()).toEqual(['/registry/events/ns/a=-', '/registry/events/ns/b=-'])
    // The lease that the next key would share is gone with them.
    await put(engine, '/registry/events/ns/c', '1')
    expect(await state(engine)).toEqual(['/registry/events/ns/c=1', '/registry/pods/ns/a=1'])
  })

  test('requests fail in time while etcd is stopped, and continue afterwards', async () => {
    const engine = await openNew({ requestTimeoutMs: 400 })
    const told = listen(engine)
    await put(engine, '/registry/a', '1')
    etcd.pause()
    const late = `etcd at ${etcd.url} did not answer within`
    // It may still respond to requests of the same moment.
    await vi.waitFor(async () => expect(await failure(engine.check(50))).toBe(`${late} 50 ms`))
    const from = engine.revision() - 1
    try {
      expect(
        await Promise.all([
          failure(engine.get('/registry/a')),
          failure(put(engine, '/registry/a', '2')),
          failure(engine.check(200)),
          failure(readAll(engine.changes('/registry/', from, from + 1))),
        ]),
      ).toEqual([
        `${late} 400 ms`,
        `${late} 400 ms; the write may have happened or not`,
        `${late} 200 ms`,
        `${late} 400 ms`,
      ])
    } finally {
      etcd.resume()
    }
    await vi.waitFor(() => engine.check(200), { timeout: 10_000 })
    await put(engine, '/registry/a', '3')
    expect([await state(engine), told.at(-1)]).toEqual([['/registry/a=3'], '/registry/a=3'])
  })

  test('a restarted etcd is used again, and no change is missed', async () => {
    const engine = await openNew({ requestTimeoutMs: 3_000 })
    const told = listen(engine)
    await put(engine, '/registry/a', '1')
    await etcd.kill()
    expect(await failure(engine.check(300))).toBe(
      `etcd at ${etcd.url} cannot be reached: connect ECONNREFUSED ${etcd.url.slice(7)}`,
    )
    const waits = put(engine, '/registry/b', '1')
    await etcd.start()
    // Never sent while there was no connection, so it may be tried again.
    expect((await waits).done).toBe(true)
    const other = await open()
    const last = await put(other, '/registry/c', '1')
    expect(await engine.latest()).toBe(last.done && last.at)
    expect([told, await state(engine)]).toEqual([
      ['/registry/a=1', '/registry/b=1', '/registry/c=1'],
      ['/registry/a=1', '/registry/b=1', '/registry/c=1'],
    ])
  })

  test('changes compacted while etcd was unreachable are replaced by synthesized events', async () => {
    const clock = new ManualClock()
    const engine = await openNew({ clock })
    const told = listen(engine)
    await put(engine, '/registry/kept', '1')
    await put(engine, '/registry/gone', '1')
    await put(engine, '/registry/anew', '1')
    await put(engine, '/registry/updated', '1')
    told.length = 0
    await etcd.kill()
    await etcd.start()
    // The engine's watch waits for its clock.
    const other = await open()
    await put(other, '/registry/updated', '2')
    await put(other, '/registry/updated', '3')
    await other.commit([{ key: '/registry/gone', value: null }])
    await other.commit([{ key: '/registry/anew', value: null }])
    await put(other, '/registry/anew', '2')
    await put(other, '/registry/new', '1')
    await other.compact(other.revision())
    await put(other, '/registry/later', '1')
    await vi.waitFor(
      () => {
        clock.advance(60_000)
        expect(told.at(-1)).toBe('/registry/later=1')
      },
      { timeout: 10_000, interval: 50 },
    )
    expect(told.slice(0, -1).toSorted()).toEqual(
      [
        '/registry/anew=-',
        '/registry/anew=2',
        '/registry/gone=-',
        '/registry/new=1',
        '/registry/updated=3',
      ].toSorted(),
    )
    expect([engine.revision(), engine.oldest()]).toEqual([other.revision(), other.oldest()])
    expect(await state(engine)).toEqual(await state(other))
  })

  test('of several servers the one that responds is used', async () => {
    const engine = await openNew({ servers: ['http://127.0.0.1:9', etcd.url] })
    await put(engine, '/registry/a', '1')
    expect(await state(engine)).toEqual(['/registry/a=1'])
    const sizes = await engine.databaseBytes()
    expect([...sizes.keys()]).toEqual([etcd.url])
    expect(sizes.get(etcd.url)).toBeGreaterThan(0)
  })

  // The last one: it removes the data that the others depend on.
  test('data of a replaced etcd is not mixed with data seen before', async () => {
    const engine = await openNew()
    await put(engine, '/registry/a', '1')
    await put(engine, '/registry/a', '2')
    await etcd.kill()
    await etcd.wipe()
    await etcd.start()
    const error = await vi.waitFor(
      async () => {
        const message = await failure(engine.check(500))
        expect(message).toContain('went back')
        return message
      },
      { timeout: 10_000, interval: 50 },
    )
    expect(error).toBe(
      `etcd at ${etcd.url} went back from revision ${engine.revision()} to 1: its data was replaced; start this server anew`,
    )
    expect(await failure(put(engine, '/registry/a', '3'))).toBe(error)
  })
})
