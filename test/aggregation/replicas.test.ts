/** Two servers over one etcd: what one is told of an extension server, the other knows. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'
import { hasEtcd, NO_ETCD, startEtcd } from '../store/etcd.ts'
import {
  apiService,
  APISERVICES,
  conditionOf,
  ExtensionServer,
  extensionCa,
  localService,
  publishedOf,
} from './extension-server.fixture.ts'

const GV = 'ext.example.com/v1'
const NAME = 'v1.ext.example.com'

const suite = hasEtcd ? describe : describe.skip

suite(hasEtcd ? 'over etcd' : `over etcd: ${NO_ETCD}`, () => {
  let etcd: Awaited<ReturnType<typeof startEtcd>>
  const servers: RunningServer[] = []
  const clients: Client[] = []
  let backend: ExtensionServer

  beforeAll(async () => {
    etcd = await startEtcd()
    const options = {
      vocabulary: 'kubernetes',
      proxiesToLoopback: true,
      etcd: { servers: [etcd.url], prefix: '/registry' },
    } as const
    servers.push(...(await Promise.all([startServer(options), startServer(options)])))
    for (const server of servers) {
      await server.settled()
      clients.push(new Client(server))
    }
    const published = await publishedOf(clients[0]!)
    backend = await ExtensionServer.start(published['requestheader-client-ca-file']!)
    const service = { namespace: 'default', name: 'ext', port: backend.port }
    await clients[0]!.post('/api/v1/namespaces/default/services', localService('ext'))
    await clients[0]!.post(
      APISERVICES,
      apiService(GV, { service, caBundle: Buffer.from(extensionCa).toString('base64') }),
    )
    await conditionOf(clients[0]!, NAME, ({ status }) => status === 'True')
  })
  afterAll(async () => {
    for (const client of clients) client.close()
    await backend?.close()
    for (const server of servers) await server.close()
    await etcd?.close()
  })

  test('both have one identity as proxy', async () => {
    const { 'requestheader-client-ca-file': ca } = await publishedOf(clients[1]!)
    expect(ca!.match(/BEGIN CERTIFICATE/g)?.length).toBe(1)
  })
  test('the other one proxies as soon as it could have known', async () => {
    const { status, body } = await clients[1]!.get(`/apis/${GV}/things`)
    expect([status, body]).toEqual([200, { kind: 'Echo', line: `GET /apis/${GV}/things` }])
    expect(backend.ofUsers.at(-1)!.client).toBe('kube-aggregator')
  })
  test('a group that one server is told of is listed by the other at once', async () => {
    for (const group of ['a.example.com', 'b.example.com', 'c.example.com']) {
      await clients[0]!.post(APISERVICES, apiService(`${group}/v1`))
      const { status, body } = await clients[1]!.get(`/apis/${group}`)
      expect([status, body.name]).toEqual([200, group])
    }
  })
  test('local versions are registered once, whoever did it', async () => {
    const lists = await Promise.all(clients.map((client) => client.get(APISERVICES)))
    const names = lists.map(({ body }) =>
      body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name),
    )
    expect(names[0]).toEqual(names[1])
    expect(names[0]).toContain('v1.apps')
  })
  test('a definition is registered by either, and its object goes with it', async () => {
    const definition = {
      metadata: { name: 'things.own.example.com' },
      spec: {
        group: 'own.example.com',
        scope: 'Cluster',
        names: { plural: 'things', kind: 'Thing' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object' } },
          },
        ],
      },
    }
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    const watch = await clients[1]!.watch(
      `${APISERVICES}?watch=true&fieldSelector=metadata.name%3Dv1.own.example.com`,
    )
    await clients[0]!.post(definitions, definition)
    expect(await watch.names(1)).toEqual(['ADDED v1.own.example.com'])
    await clients[1]!.delete(`${definitions}/things.own.example.com`)
    expect(await watch.names(1)).toEqual(['DELETED v1.own.example.com'])
    watch.close()
  })
})
