import { afterEach, beforeEach, expect, test } from 'vitest'
import { ManualClock } from '../base/clock.ts'
import { keepServerLease, type ServerLease } from './server-leases.ts'
import { readOwnRecord, SERVER_LEASE_PREFIX } from './server-records.ts'
import { WatchCache } from '../cache/watch-cache.ts'
import { openMemory } from '../engine/memory/engine.ts'
import { StoreUnavailable, type Engine } from '../engine/engine.ts'

const RENEW_MS = 10_000

let clock: ManualClock
let engine: Engine
let cache: WatchCache
let isDown: boolean
let told: string[]
let seen: string[][]
let leases: ServerLease[]
beforeEach(() => {
  clock = new ManualClock()
  const store = openMemory({ clock })
  isDown = false
  engine = {
    ...bound(store),
    commit: (changes) =>
      isDown ? Promise.reject(new StoreUnavailable('nobody there')) : store.commit(changes),
  }
  cache = new WatchCache(engine, { clock, historyMs: 300_000 })
  told = []
  seen = []
  leases = []
})
afterEach(async () => {
  for (const lease of leases) await lease.stop()
  cache.close()
  await engine.close()
})

/** The methods of a store as a plain object. */
function bound(store: Engine): Engine {
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(store)) as (keyof Engine)[]
  const plain: Record<string, unknown> = { name: store.name }
  for (const name of methods) {
    const value: unknown = store[name]
    if (typeof value === 'function') plain[name] = value.bind(store)
  }
  return plain as unknown as Engine
}

async function keep(address: string): Promise<ServerLease> {
  const lease = await keepServerLease({
    cache,
    clock,
    address,
    renewMs: RENEW_MS,
    log: { warn: (text, fields) => void told.push(`${fields?.['address']}: ${text}`) },
    async reconcile(addresses) {
      if (isDown) throw new StoreUnavailable('nobody there')
      seen.push([...addresses()])
    },
  })
  leases.push(lease)
  return lease
}

const keys = async () => (await engine.range(SERVER_LEASE_PREFIX)).items.map(({ key }) => key)
const key = (address: string) => SERVER_LEASE_PREFIX + address
/** Lets work in progress finish. */
const yieldToEventLoop = () => new Promise((resolve) => setImmediate(resolve))
const last = () => seen.at(-1)

test('one key per server, and all addresses are passed in order', async () => {
  await keep('192.0.2.2')
  expect([await keys(), last()]).toEqual([[key('192.0.2.2')], ['192.0.2.2']])
  await keep('192.0.2.1')
  const both = ['192.0.2.1', '192.0.2.2']
  expect([await keys(), last()]).toEqual([both.map(key), both])
  expect(readOwnRecord((await engine.get(key('192.0.2.1')))!)).toEqual({
    metadata: { resourceVersion: String((await engine.get(key('192.0.2.1')))!.changed) },
    subsets: [{ addresses: [{ ip: '192.0.2.1' }] }],
  })
})

test('it is written again in time, and reconciled each time', async () => {
  await keep('192.0.2.1')
  const { changed } = (await engine.get(key('192.0.2.1')))!
  seen = []
  clock.advance(RENEW_MS - 1)
  await yieldToEventLoop()
  expect([(await engine.get(key('192.0.2.1')))!.changed, seen]).toEqual([changed, []])
  clock.advance(1)
  await yieldToEventLoop()
  expect([(await engine.get(key('192.0.2.1')))!.changed, seen]).toEqual([
    changed + 1,
    [['192.0.2.1']],
  ])
})

test('the end of a server is reported at once', async () => {
  await keep('192.0.2.1')
  await keep('192.0.2.2')
  await cache.commit([{ key: key('192.0.2.2'), value: null }])
  await yieldToEventLoop()
  expect(last()).toEqual(['192.0.2.1'])
})

test('at the end the key is deleted, and the address with it', async () => {
  const one = await keep('192.0.2.1')
  const two = await keep('192.0.2.2')
  await two.stop()
  expect([await keys(), last()]).toEqual([[key('192.0.2.1')], ['192.0.2.1']])
  await one.stop()
  await one.stop()
  expect([await keys(), last()]).toEqual([[], []])
  const count = seen.length
  clock.advance(RENEW_MS * 10)
  await yieldToEventLoop()
  expect([await keys(), seen.length]).toEqual([[], count])
})

test('an address that another server took over stays', async () => {
  const one = await keep('192.0.2.1')
  await keep('192.0.2.1')
  await one.stop()
  expect(await keys()).toEqual([key('192.0.2.1')])
})

test('a failure is logged once and retried sooner', async () => {
  await keep('192.0.2.1')
  isDown = true
  for (let i = 0; i < 20; i++) {
    clock.advance(RENEW_MS / 5)
    await yieldToEventLoop()
  }
  const line = '192.0.2.1: the lease of this server cannot be renewed, retrying'
  expect(told).toEqual([line])
  isDown = false
  const { changed } = (await engine.get(key('192.0.2.1')))!
  clock.advance(RENEW_MS / 5)
  await yieldToEventLoop()
  expect((await engine.get(key('192.0.2.1')))!.changed).toBe(changed + 1)
  // A later failure is logged again.
  isDown = true
  clock.advance(RENEW_MS)
  await yieldToEventLoop()
  expect(told).toEqual([line, line])
  isDown = false
})

test('a start without the store is no failure', async () => {
  isDown = true
  await keep('192.0.2.1')
  expect(await keys()).toEqual([])
  isDown = false
  clock.advance(RENEW_MS / 5)
  await yieldToEventLoop()
  expect([await keys(), last()]).toEqual([[key('192.0.2.1')], ['192.0.2.1']])
})
