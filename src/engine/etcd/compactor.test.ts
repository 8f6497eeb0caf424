/** Servers that share a real etcd alternate in compacting it. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { hasEtcd, NO_ETCD, startEtcd, type Etcd } from '../../../test/store/etcd.ts'
import { ManualClock, systemClock } from '../../base/clock.ts'
import { silentLog, type Log } from '../../base/log.ts'
import { Compacted, type Engine } from '../engine.ts'
import { Connection } from './connection.ts'
import { openEtcd, type EtcdEngine, type EtcdOptions } from './engine.ts'
import { decodeRange, decodeRevision, encodePut, encodeRange } from './messages.ts'

const INTERVAL = 300_000
const put = async (engine: Engine, key: string, value: string) => {
  const commit = await engine.commit([{ key, value: Buffer.from(value) }])
  return commit.done ? commit.at : 0
}

describe.skipIf(!hasEtcd)(`a real etcd${hasEtcd ? '' : ` (${NO_ETCD})`}`, () => {
  let etcd: Etcd
  let connection: Connection
  const opened: EtcdEngine[] = []
  let prefixes = 0
  const open = async (options: Partial<EtcdOptions> = {}) => {
    const engine = await openEtcd({
      servers: [etcd.url],
      prefix: `/registry-${prefixes}`,
      dialTimeoutMs: 5_000,
      requestTimeoutMs: 2_000,
      log: silentLog,
      clock: new ManualClock(),
      ...options,
    })
    opened.push(engine)
    return engine
  }
  beforeAll(async () => {
    etcd = await startEtcd()
    connection = new Connection({
      servers: [etcd.url],
      requestTimeoutMs: 2_000,
      clock: systemClock,
    })
  })
  afterAll(async () => {
    connection.close()
    await Promise.all(opened.map((engine) => engine.close()))
    await etcd.close()
  })
  const rounds = async () => {
    const { items } = await connection.call({
      method: '/etcdserverpb.KV/Range',
      request: encodeRange({ key: 'compact_rev_key' }),
      decode: decodeRange,
    })
    return items.map(({ value, version }) => ({ upTo: Number(value.toString()), version }))
  }
  /** Lets the interval of one server pass, until its round shows. */
  const pass = async (clock: ManualClock, shows: () => unknown) => {
    clock.advance(INTERVAL)
    await vi.waitFor(shows, { timeout: 5_000, interval: 10 })
  }

  test('one of two servers compacts each round to where the last one was, and both fail with 410', async () => {
    prefixes++
    const [clockA, clockB] = [new ManualClock(), new ManualClock()]
    const a = await open({ clock: clockA, compactionIntervalMs: INTERVAL })
    const b = await open({ clock: clockB, compactionIntervalMs: INTERVAL })
    const first = await put(a, '/registry/a', '1')
    const second = await put(a, '/registry/a', '2')
    // The first round: no server has seen an interval yet.
    await pass(clockA, async () => expect(await rounds()).toEqual([{ upTo: 0, version: 1 }]))
    // Comes second: it only learns of the round.
    clockB.advance(INTERVAL)
    const third = await put(a, '/registry/a', '3')
    await b.latest()
    expect([a.oldest(), b.oldest()].every((at) => at <= first)).toBe(true)
    await pass(clockA, () => expect(a.oldest()).toBeGreaterThanOrEqual(second))
    const [round] = await rounds()
    expect(round).toEqual({ upTo: a.oldest(), version: 2 })
    expect(a.oldest()).toBeLessThan(third)
    // The other loses the round, and knows what can be read from then on.
    await pass(clockB, () => expect(b.oldest()).toBe(a.oldest()))
    expect(await rounds()).toEqual([round])
    for (const engine of [a, b]) {
      await expect(engine.get('/registry/a', { at: first })).rejects.toThrow(Compacted)
      expect((await engine.get('/registry/a', { at: engine.oldest() }))?.changed).toBe(second)
      const seen: string[] = []
      for await (const events of engine.changes('/registry/', engine.oldest(), engine.revision()))
        seen.push(...events.map(({ value }) => Buffer.from(value!).toString()))
      expect(seen).toEqual(['3'])
    }
    // The next round is the other's, when it is faster.
    const before = b.oldest()
    await put(b, '/registry/a', '4')
    await pass(clockB, async () => expect((await rounds())[0]!.version).toBe(3))
    await vi.waitFor(() => expect(b.oldest()).toBeGreaterThan(before), { timeout: 5_000 })
    await pass(clockA, () => expect(a.oldest()).toBe(b.oldest()))
  })

  test('with periodic compaction, `compact` does nothing', async () => {
    prefixes++
    const engine = await open({ compactionIntervalMs: 0 })
    const first = await put(engine, '/registry/a', '1')
    await put(engine, '/registry/a', '2')
    await engine.compact(engine.revision())
    expect((await engine.get('/registry/a', { at: first }))?.changed).toBe(first)
  })

  test('an etcd that does not respond is reported, and compacted a round later', async () => {
    prefixes++
    const clock = new ManualClock()
    const warned: string[] = []
    const log: Log = { ...silentLog, warn: (text) => void warned.push(text) }
    const engine = await open({
      clock,
      log,
      requestTimeoutMs: 300,
      compactionIntervalMs: INTERVAL,
    })
    const version = async () => (await rounds())[0]!.version
    const start = await version()
    // Learns of the round, then wins the next.
    clock.advance(INTERVAL)
    await vi.waitFor(
      async () => {
        clock.advance(INTERVAL)
        expect(await version()).toBeGreaterThan(start)
      },
      { timeout: 5_000, interval: 50 },
    )
    await etcd.kill()
    clock.advance(INTERVAL)
    await vi.waitFor(() => expect(warned).toContain('etcd cannot be compacted, retrying'), {
      timeout: 5_000,
      interval: 20,
    })
    await etcd.start()
    const now = await vi.waitFor(version, { timeout: 10_000, interval: 50 })
    await vi.waitFor(
      async () => {
        clock.advance(INTERVAL)
        expect(await version()).toBeGreaterThan(now)
      },
      { timeout: 10_000, interval: 50 },
    )
    await vi.waitFor(() => engine.check(300), { timeout: 10_000, interval: 50 })
  })

  test('keys that lie in etcd without a lease get one at the start', async () => {
    prefixes++
    await connection.call({
      method: '/etcdserverpb.KV/Put',
      request: encodePut({ key: `/registry-${prefixes}/pods/ns/a`, value: Buffer.from('p') }),
      decode: decodeRevision,
    })
    for (let i = 0; i < 150; i++) {
      await connection.call({
        method: '/etcdserverpb.KV/Put',
        request: encodePut({
          key: `/registry-${prefixes}/events/ns/${i}`,
          value: Buffer.from('e'),
        }),
        decode: decodeRevision,
      })
    }
    const engine = await open({
      ttlMs: (key) => (key.startsWith('/registry/events/') ? 1_000 : undefined),
    })
    const gone: string[] = []
    engine.subscribe((events) => {
      for (const { key, value } of events) if (value === null) gone.push(key)
    })
    await vi.waitFor(() => expect(gone.length).toBe(150), { timeout: 15_000, interval: 50 })
    expect(
      (await engine.range('/registry/')).items.map((i) => [i.key, Buffer.from(i.value).toString()]),
    ).toEqual([['/registry/pods/ns/a', 'p']])
  })
})
