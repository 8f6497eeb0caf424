/** Events over HTTP: they go after their time, whichever group they came by, and nothing else does. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { ManualClock } from '../../src/base/clock.ts'
import { startServer, type ServerOptions } from '../../src/index.ts'
import { Client } from '../client.ts'

const MINUTE = 60_000
const CORE = '/api/v1/namespaces/default/events'
const EVENTS = '/apis/events.orch.io/v1/namespaces/default/events'
const object = { kind: 'Pod', namespace: 'default', name: 'p' }
const core = {
  metadata: { name: 'core' },
  involvedObject: object,
  reason: 'R',
  type: 'Normal',
}
const grouped = {
  metadata: { name: 'grouped' },
  regarding: object,
  reason: 'R',
  action: 'A',
  type: 'Normal',
  eventTime: '2024-01-02T03:04:05.000000Z',
  reportingController: 'c.example/c',
  reportingInstance: 'i',
}

async function used(
  options: ServerOptions,
  work: (client: Client, clock: ManualClock) => Promise<void>,
): Promise<void> {
  const clock = new ManualClock()
  const server = await startServer({
    controllers: false,
    disableAdmissionPlugins: ['ServiceAccount'],
    clock,
    ...options,
  })
  const client = new Client(server)
  try {
    await work(client, clock)
  } finally {
    client.close()
    await server.close()
  }
}

const names = async (client: Client) =>
  (await client.get(CORE)).body.items.map(
    (item: { metadata: { name: string } }) => item.metadata.name,
  )

for (const store of ['memory', 'lmdb'] as const) {
  test(`${store}: events of both groups go, a written one later, and watchers are told`, async () => {
    const dataDir = store === 'lmdb' ? await mkdtemp(join(tmpdir(), 'event-ttl-')) : undefined
    const options = { store, eventTtlMs: MINUTE, ...(dataDir === undefined ? {} : { dataDir }) }
    try {
      await used(options, async (client, clock) => {
        const watch = await client.watch(`${CORE}?watch=1`)
        expect((await client.post(CORE, core)).status).toBe(201)
        expect((await client.post(EVENTS, grouped)).status).toBe(201)
        const map = { metadata: { name: 'm' } }
        expect((await client.post('/api/v1/namespaces/default/configmaps', map)).status).toBe(201)
        clock.advance(MINUTE / 2)
        const live = (await client.get(`${CORE}/core`)).body
        expect((await client.put(`${CORE}/core`, { ...live, count: 2 })).status).toBe(200)
        clock.advance(MINUTE / 2)
        await vi.waitFor(async () => expect(await names(client)).toEqual(['core']))
        clock.advance(MINUTE / 2)
        await vi.waitFor(async () => expect(await names(client)).toEqual([]))
        const seen: [string, string, boolean][] = []
        let last = 0
        while (seen.length < 5) {
          const { type, object: event } = (await watch.next())!
          const version = Number(event.metadata.resourceVersion)
          seen.push([type, event.metadata.name, version > last])
          last = version
        }
        watch.close()
        expect(seen).toEqual([
          ['ADDED', 'core', true],
          ['ADDED', 'grouped', true],
          ['MODIFIED', 'core', true],
          ['DELETED', 'grouped', true],
          ['DELETED', 'core', true],
        ])
        expect((await client.get('/api/v1/namespaces/default/configmaps/m')).status).toBe(200)
      })
    } finally {
      if (dataDir !== undefined) await rm(dataDir, { recursive: true, force: true })
    }
  })
}

test.each([
  { title: 'by default for an hour', options: {}, after: 60 * MINUTE - 1, left: ['core'] },
  { title: 'by default for no longer', options: {}, after: 60 * MINUTE, left: [] },
  {
    title: 'for ever with 0',
    options: { eventTtlMs: 0 },
    after: 10_000 * MINUTE,
    left: ['core'],
  },
])('events are kept $title', ({ options, after, left }) =>
  used(options, async (client, clock) => {
    expect((await client.post(CORE, core)).status).toBe(201)
    clock.advance(after)
    await vi.waitFor(async () => expect(await names(client)).toEqual(left))
  }),
)
