/** A server over a real etcd that has reached its quota: what is refused, and what goes on. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { startServer, type RunningServer } from '../../src/index.ts'
import { openEtcd } from '../../src/engine/etcd/engine.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { Client } from '../client.ts'
import { hasEtcd, NO_ETCD, startEtcd, type Etcd } from './etcd.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const QUOTA = 4 << 20
const VALUE = 'x'.repeat(200_000)

const REFUSED = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'the store has no space left, nothing was written',
  reason: 'ServiceUnavailable',
  details: { retryAfterSeconds: 1 },
  code: 503,
}

describe.skipIf(!hasEtcd)(`an etcd over its quota${hasEtcd ? '' : ` (${NO_ETCD})`}`, () => {
  let etcd: Etcd
  let server: RunningServer
  let client: Client
  let other: Engine
  const errors: string[] = []
  const warnings: string[] = []
  const made: string[] = []

  beforeAll(async () => {
    etcd = await startEtcd({ args: [`--quota-backend-bytes=${QUOTA}`] })
    server = await startServer({
      etcd: { servers: [etcd.url], prefix: '/registry' },
      log: {
        ...silentLog,
        warn: (message, fields) => void warnings.push(`${message} ${JSON.stringify(fields)}`),
        error: (message, fields) => void errors.push(`${message} ${JSON.stringify(fields)}`),
      },
    })
    await server.settled()
    other = await openEtcd({
      servers: [etcd.url],
      prefix: '/other',
      clock: systemClock,
      log: silentLog,
      dialTimeoutMs: 10_000,
      requestTimeoutMs: 10_000,
    })
    for (const key of ['/registry/a', '/registry/b', '/registry/c'])
      await other.commit([{ key, value: Buffer.from('1') }])
    client = new Client(server)
    for (let i = 0; i < 100; i++) {
      const name = `a${i}`
      const { status } = await create(name)
      if (status !== 201) break
      made.push(name)
    }
  }, 120_000)
  afterAll(async () => {
    client?.close()
    await other?.close()
    await server?.close()
    await etcd?.close()
  }, 60_000)

  const create = (name: string) => client.post(MAPS, { metadata: { name }, data: { a: VALUE } })
  const names = async () =>
    ((await client.get(MAPS)).body as { items: { metadata: { name: string } }[] }).items
      .map(({ metadata }) => metadata.name)
      .filter((name) => /^[abu]\d/.test(name))
      .sort()

  test('every write is refused with 503, and what was refused is not there', async () => {
    expect(made.length).toBeGreaterThan(3)
    const apply = (name: string) =>
      client.ask('PATCH', `${MAPS}/${name}?fieldManager=m`, {
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } },
        headers: { 'content-type': 'application/apply-patch+yaml' },
      })
    const writes = [
      ['create', create('b0')],
      ['update', client.put(`${MAPS}/a0`, { metadata: { name: 'a0' }, data: { b: '1' } })],
      ['patch', client.merge(`${MAPS}/a0`, { data: { b: '1' } })],
      ['apply', apply('b1')],
      // Its time to live is a lease, which takes room as well.
      [
        'event',
        client.post('/api/v1/namespaces/default/events', {
          metadata: { name: 'e' },
          involvedObject: { namespace: 'default' },
        }),
      ],
    ] as const
    for (const [what, writing] of writes) {
      const { status, headers, body } = await writing
      expect({ what, status, retry: headers['retry-after'], body }).toEqual({
        what,
        status: 503,
        retry: '1',
        body: REFUSED,
      })
    }
    expect(await names()).toEqual([...made].sort())
    expect(errors.filter((line) => line.startsWith('request failed'))).toEqual([])
    expect(warnings.find((line) => line.includes('quota'))).toContain(
      'etcd has reached its quota; compact and defragment it, raise --quota-backend-bytes and disarm its alarm',
    )
  })

  test('reads, watches and deletes go on', async () => {
    for (const path of ['/livez', '/readyz', '/healthz', `${MAPS}/a0`, `${MAPS}?resourceVersion=0`])
      expect({ path, status: (await client.get(path)).status }).toEqual({ path, status: 200 })
    const watch = await client.watch(`${MAPS}?watch=1&fieldSelector=metadata.name=a1`)
    expect((await watch.next())?.type).toBe('ADDED')
    expect((await client.delete(`${MAPS}/a1`)).status).toBe(200)
    expect((await watch.next())?.type).toBe('DELETED')
    watch.close()
    expect((await client.get(`${MAPS}/a1`)).status).toBe(404)
    expect((await client.delete(`${MAPS}?fieldSelector=metadata.name!=a0`)).status).toBe(200)
    expect(await names()).toEqual(['a0'])
  })

  test('what others delete in the same etcd keeps no read waiting', async () => {
    // A revision that is no change of ours, and that no change of our own can tell of.
    for (const key of ['/registry/a', '/registry/b', '/registry/c']) {
      expect(await other.commit([{ key, value: null }])).toMatchObject({ done: true })
      expect(await names()).toEqual(['a0'])
    }
    expect((await client.delete(`${MAPS}/a0`)).status).toBe(200)
    expect(await names()).toEqual([])
  })
})
