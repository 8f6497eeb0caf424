/** The service by which programs find the server, and what becomes of it when it is deleted. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ManualClock } from '../../src/base/clock.ts'
import { startServer, type RunningServer, type ServerOptions } from '../../src/index.ts'
import { Client } from '../client.ts'
import { hasEtcd, NO_ETCD, startEtcd } from '../store/etcd.ts'

const WORDS = { orch: 'orch.io', kubernetes: 'k8s.io' } as const

/** What a store needs, and what ends it. */
interface Place {
  readonly options: ServerOptions
  close(): Promise<void>
}

const stores: readonly [name: string, why: string | null, open: () => Promise<Place>][] = [
  ['memory', null, () => Promise.resolve({ options: {}, close: () => Promise.resolve() })],
  [
    'lmdb',
    null,
    async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'service-'))
      return { options: { dataDir }, close: () => rm(dataDir, { recursive: true, force: true }) }
    },
  ],
  [
    'etcd',
    hasEtcd ? null : NO_ETCD,
    async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'service-'))
      const etcd = await startEtcd()
      return {
        options: {
          dataDir,
          etcd: { servers: [etcd.url], prefix: '/registry' },
          advertiseAddress: '192.0.2.1',
        },
        async close() {
          await etcd.close()
          await rm(dataDir, { recursive: true, force: true })
        },
      }
    },
  ],
]

for (const [store, why, open] of stores) {
  for (const vocabulary of ['orch', 'kubernetes'] as const) {
    describe.skipIf(why !== null)(`${store}, vocabulary ${vocabulary} ${why ?? ''}`, () => {
      const SERVICES = '/api/v1/namespaces/default/services'
      const ENDPOINTS = '/api/v1/namespaces/default/endpoints'
      const SLICES = `/apis/discovery.${WORDS[vocabulary]}/v1/namespaces/default/endpointslices`
      let place: Place
      let server: RunningServer
      let client: Client
      beforeAll(async () => {
        place = await open()
        // Nothing that waits for a time ever happens: what is made again is made because it went.
        server = await startServer({ ...place.options, vocabulary, clock: new ManualClock() })
        client = new Client(server)
        await server.settled()
      })
      afterAll(async () => {
        client.close()
        await server.close()
        await place.close()
      })

      /** Everything but what tells this object from the one before it. */
      const content = async (path: string) => {
        const { body } = await client.get(`${path}/${vocabulary}`)
        const { labels, name } = body.metadata
        const { metadata: _, ...rest } = body
        return { name, labels, ...rest }
      }
      const all = async () => [
        await content(SERVICES),
        await content(ENDPOINTS),
        await content(SLICES),
      ]

      for (const { name, ask, gone } of [
        { name: 'service', ask: `${SERVICES}/${vocabulary}`, gone: SERVICES },
        { name: 'endpoints', ask: `${ENDPOINTS}/${vocabulary}`, gone: ENDPOINTS },
        { name: 'endpoint slice', ask: `${SLICES}/${vocabulary}`, gone: SLICES },
        {
          name: 'service, with its dependents let go',
          ask: `${SERVICES}/${vocabulary}?propagationPolicy=Orphan`,
          gone: SERVICES,
        },
        { name: 'service, with all others', ask: SERVICES, gone: SERVICES },
        { name: 'endpoints, with all others', ask: ENDPOINTS, gone: ENDPOINTS },
        { name: 'endpoint slice, with all others', ask: SLICES, gone: SLICES },
      ]) {
        test(`${name}: made again as it was`, async () => {
          const before = await all()
          const { uid, resourceVersion } = (await client.get(`${gone}/${vocabulary}`)).body.metadata
          const watch = await client.watch(
            `${gone}?watch=1&resourceVersion=${resourceVersion}&fieldSelector=metadata.name%3D${vocabulary}`,
          )
          expect((await client.delete(ask)).status).toBe(200)
          let event = await watch.next()
          while (event && event.type !== 'DELETED') event = await watch.next()
          const made = await watch.next()
          watch.close()
          expect([event?.object.metadata.uid, made?.type]).toEqual([uid, 'ADDED'])
          expect(made?.object.metadata.uid).not.toBe(uid)
          await server.settled()
          expect(await all()).toEqual(before)
        })
      }
    })
  }
}

describe('without what the server does by itself', () => {
  test('the service stays away', async () => {
    const server = await startServer({ controllers: false })
    const client = new Client(server)
    const path = '/api/v1/namespaces/default/services/orch'
    expect((await client.delete(path)).status).toBe(200)
    await server.settled()
    expect((await client.get(path)).status).toBe(404)
    client.close()
    await server.close()
  })
})
