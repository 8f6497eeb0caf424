/** Which servers live, and which of them does what only one must do. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ManualClock } from '../../src/base/clock.ts'
import { silentLog, type Log } from '../../src/base/log.ts'
import type { RunningServer, ServerOptions } from '../../src/index.ts'
import type { Client } from '../client.ts'
import { hasEtcd, NO_ETCD } from '../store/etcd.ts'
import { startServers, until, type Servers } from './servers.ts'

const ENDPOINTS = '/api/v1/namespaces/default/endpoints/orch'
const SLICE = '/apis/discovery.orch.io/v1/namespaces/default/endpointslices/orch'
const LEASE =
  '/apis/coordination.orch.io/v1/namespaces/orch-system/leases/orch-apiserver-controllers'

/** Lives as long as somebody moves the clock on, and about two seconds of etcd's longer. */
const SHORT = { ttlMs: 2_000, renewMs: 700 }

/** A log that keeps the lines of one level. */
function recorder(level: 'info' | 'warn'): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = []
  return { log: { ...silentLog, [level]: (text: string) => void lines.push(text) }, lines }
}

describe.skipIf(!hasEtcd)(`leases${hasEtcd ? '' : `: ${NO_ETCD}`}`, () => {
  let servers: Servers
  beforeAll(async () => {
    servers = await startServers()
  })
  afterAll(() => servers.close())

  const over = (prefix: string) => {
    const place = { etcd: { servers: [servers.etcd.url], prefix: `/${prefix}` } }
    return (name: string, options: ServerOptions = {}) =>
      servers.start(`${prefix}-${name}`, { ...place, serverLease: SHORT, ...options })
  }

  /** Addresses and ports of the servers' service, of both kinds. */
  async function seen(client: Client) {
    const { body: endpoints } = await client.get(ENDPOINTS)
    const { body: slice } = await client.get(SLICE)
    const ofSubset = (subset: { addresses: { ip: string }[]; ports?: { port: number }[] }) => [
      subset.addresses.map(({ ip }) => ip),
      (subset.ports ?? []).map(({ port }) => port),
    ]
    return {
      endpoints: endpoints.subsets.map(ofSubset),
      slice: [
        slice.endpoints.flatMap(({ addresses }: { addresses: string[] }) => addresses),
        slice.ports.map(({ port }: { port: number }) => port),
      ],
    }
  }
  const all = (addresses: readonly string[], { port }: RunningServer) => ({
    endpoints: [[addresses, [port]]],
    slice: [addresses, [port]],
  })

  test('the service has the addresses of all that live', async () => {
    const start = over('living')
    const b = await start('b', { advertiseAddress: '192.0.2.2' })
    const client = servers.client(b)
    expect(await seen(client)).toEqual(all(['192.0.2.2'], b))
    const a = await start('a', { advertiseAddress: '192.0.2.1' })
    expect(await seen(client)).toEqual(all(['192.0.2.1', '192.0.2.2'], a))
    // It stands still, as one that was killed does.
    const c = await start('c', { advertiseAddress: '192.0.2.3', clock: new ManualClock() })
    expect(await seen(client)).toEqual(all(['192.0.2.1', '192.0.2.2', '192.0.2.3'], c))
    const two = all(['192.0.2.1', '192.0.2.2'], c)
    const gone = await until(
      () => seen(client),
      ({ slice, endpoints }) => slice[0].length === 2 && endpoints[0][0].length === 2,
    )
    expect(gone).toEqual(two)
    // One that ends takes its address along.
    await a.close()
    expect(await seen(client)).toEqual(all(['192.0.2.2'], c))
    // The last leaves it: nobody is there to be told otherwise.
    await b.close()
    const last = await start('d', { endpointReconciler: 'none' })
    expect(await seen(servers.client(last))).toEqual(all(['192.0.2.2'], c))
  })

  test('none: the service is made, and nobody is told who is behind it', async () => {
    const server = await over('none')('a', { endpointReconciler: 'none' })
    const client = servers.client(server)
    const paths = ['/api/v1/namespaces/default/services/orch', ENDPOINTS, SLICE]
    const replies = await Promise.all(paths.map((path) => client.get(path)))
    expect(replies.map(({ status }) => status)).toEqual([200, 404, 404])
  })

  test('what somebody else made of the endpoints is put right', async () => {
    const clock = new ManualClock()
    const server = await over('right')('a', { advertiseAddress: '192.0.2.1', clock })
    const client = servers.client(server)
    await client.merge(ENDPOINTS, { subsets: [{ addresses: [{ ip: '192.0.2.9' }] }] })
    await client.delete(SLICE)
    clock.advance(SHORT.renewMs)
    const found = await until(
      () => seen(client).catch(() => null),
      (one) => one?.endpoints[0][0][0] === '192.0.2.1',
    )
    expect(found).toEqual(all(['192.0.2.1'], server))
  })

  test('while etcd is away it is said once, and done when it is back', async () => {
    const { log, lines } = recorder('warn')
    const apart = await startServers()
    try {
      const options = { advertiseAddress: '192.0.2.1', serverLease: SHORT, log }
      const server = await apart.start('away', options)
      await apart.etcd.kill()
      const told = () => lines.filter((line) => line.startsWith('the lease of this server'))
      await until(async () => told().length, Boolean)
      await apart.etcd.start()
      const client = apart.client(server)
      const subsets = [{ addresses: [{ ip: '192.0.2.9' }] }]
      const wrong = await until(
        () => client.merge(ENDPOINTS, { subsets }),
        ({ status }) => status === 200,
      )
      expect(wrong.body.subsets).toEqual(subsets)
      const found = await until(
        () => seen(client),
        ({ endpoints }) => endpoints[0][0][0] === '192.0.2.1',
      )
      expect(found).toEqual(all(['192.0.2.1'], server))
      expect(told()).toEqual(['the lease of this server cannot be renewed, retrying'])
    } finally {
      await apart.close()
    }
  })
})

describe.skipIf(!hasEtcd)(`election${hasEtcd ? '' : `: ${NO_ETCD}`}`, () => {
  let servers: Servers
  beforeAll(async () => {
    servers = await startServers()
  })
  afterAll(() => servers.close())

  /** A server whose clock only the test moves, with what it says of the controllers. */
  async function candidate(name: string) {
    const clock = new ManualClock()
    const { log, lines } = recorder('info')
    const server = await servers.start(name, { clock, log })
    await server.settled()
    return {
      server,
      client: servers.client(server),
      said: () => lines.filter((line) => line.includes('controllers')),
      async pass(seconds: number) {
        for (let i = 0; i < seconds; i += 2) {
          clock.advance(2_000)
          await server.settled()
        }
      },
    }
  }
  const RUNS = 'leader election: this server now runs the controllers'
  const STOPS = 'leader election: this server no longer runs the controllers'

  test('one runs the controllers; another takes over when it is silent, or gives up', async () => {
    const a = await candidate('a')
    const b = await candidate('b')
    const holder = async (from = a) => (await from.client.get(LEASE)).body.spec
    const first = await holder()
    expect([first.leaseDurationSeconds, first.leaseTransitions]).toEqual([12, 0])
    expect([a.said(), b.said()]).toEqual([[RUNS], []])

    // Both go on: nothing changes.
    for (let i = 0; i < 20; i++) await Promise.all([a.pass(2), b.pass(2)])
    expect((await holder()).holderIdentity).toBe(first.holderIdentity)
    expect([a.said(), b.said()]).toEqual([[RUNS], []])

    // The first stands still. What was renewed last is no longer than four seconds ago.
    await b.pass(8)
    expect(b.said()).toEqual([])
    await b.pass(6)
    const second = await holder()
    expect([second.holderIdentity === first.holderIdentity, second.leaseTransitions]).toEqual([
      false,
      1,
    ])
    expect([a.said(), b.said()]).toEqual([[RUNS], [RUNS]])

    // When it moves again it sees that it is not the one any more.
    await a.pass(2)
    expect(a.said()).toEqual([RUNS, STOPS])

    await b.client.post('/api/v1/namespaces', { metadata: { name: 'x' } })
    await b.client.delete('/api/v1/namespaces/x')
    const gone = await until(
      async () => {
        await b.pass(2)
        return (await b.client.get('/api/v1/namespaces/x')).status
      },
      (status) => status === 404,
    )
    expect(gone).toBe(404)

    // One that ends gives up at once.
    await b.server.close()
    expect((await holder()).holderIdentity).toBe('')
    await a.pass(2)
    expect([(await holder()).holderIdentity, (await holder()).leaseTransitions]).toEqual([
      first.holderIdentity,
      2,
    ])
    expect([a.said(), b.said()]).toEqual([
      [RUNS, STOPS, RUNS],
      [RUNS, STOPS],
    ])
  })
})
