/** What is given out once is given out once, by however many servers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client, Reply } from '../client.ts'
import { hasEtcd, NO_ETCD } from '../store/etcd.ts'
import { startServers, type Servers } from './servers.ts'

const SERVICES = '/api/v1/namespaces/default/services'
const LANES = 10

describe.skipIf(!hasEtcd)(`allocators${hasEtcd ? '' : `: ${NO_ETCD}`}`, () => {
  let servers: Servers
  beforeAll(async () => {
    servers = await startServers()
  })
  afterAll(() => servers.close())

  const pair = async (prefix: string, serviceClusterIpRange: string): Promise<Client[]> => {
    const options = {
      etcd: { servers: [servers.etcd.url], prefix },
      serviceClusterIpRange,
      serviceNodePortRange: '30000-30255',
    }
    const running = await Promise.all(
      ['a', 'b'].map((name) => servers.start(`${prefix}-${name}`, options)),
    )
    return running.map((server) => servers.client(server))
  }

  /** Creates services by turns at each client, several at a time. */
  async function create(clients: readonly Client[], count: number, spec: object): Promise<Reply[]> {
    const replies: Reply[] = []
    let next = 0
    const lane = async () => {
      while (next < count) {
        const i = next++
        const body = { metadata: { name: `s${i}` }, spec: { ports: [{ port: 80 }], ...spec } }
        replies.push(await clients[i % clients.length]!.post(SERVICES, body))
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane))
    return replies
  }

  test('200 services at once over two servers', async () => {
    const clients = await pair('/many', '10.0.0.0/24')
    const replies = await create(clients, 200, { type: 'NodePort' })
    expect(replies.filter(({ status }) => status !== 201)).toEqual([])
    const addresses = replies.map(({ body }) => body.spec.clusterIP)
    const ports = replies.map(({ body }) => body.spec.ports[0].nodePort)
    expect([new Set(addresses).size, new Set(ports).size]).toEqual([200, 200])
    // One that asks for a given address at both gets it at one.
    const free = Array.from({ length: 254 }, (_, i) => `10.0.0.${i + 1}`).find(
      (address) => address !== '10.0.0.1' && !addresses.includes(address),
    )
    const same = await create(clients, 2, { clusterIP: free })
    expect(same.map(({ status }) => status).sort()).toEqual([409, 409])
    const named = await Promise.all(
      clients.map((client, i) =>
        client.post(SERVICES, {
          metadata: { name: `named${i}` },
          spec: { ports: [{ port: 80 }], clusterIP: free },
        }),
      ),
    )
    expect(named.map(({ status }) => status).sort()).toEqual([201, 422])
  })

  test('more than there are: as many as there are', async () => {
    const clients = await pair('/few', '10.9.0.0/28')
    const replies = await create(clients, 30, {})
    const made = replies.filter(({ status }) => status === 201)
    // One of fourteen is that of the servers themselves.
    expect(new Set(made.map(({ body }) => body.spec.clusterIP)).size).toBe(13)
    const refused = replies.filter(({ status }) => status !== 201)
    const full = 'Internal error occurred: failed to allocate a serviceIP: range is full'
    expect(refused.map(({ status, body }) => [status, body.message])).toEqual(
      refused.map(() => [500, full]),
    )
    const [given] = made
    const { name } = given!.body.metadata
    await clients[0]!.delete(`${SERVICES}/${name}`)
    const again = await clients[1]!.post(SERVICES, {
      metadata: { name: 'again' },
      spec: { ports: [{ port: 80 }], clusterIP: given!.body.spec.clusterIP },
    })
    expect(again.status).toBe(201)
  })
})
