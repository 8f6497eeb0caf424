/** What clients and probes are told while a real etcd stands still or is gone, and that all is well after it. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { silentLog } from '../../src/base/log.ts'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client, type Reply } from '../client.ts'
import { hasEtcd, NO_ETCD, startEtcd, type Etcd } from './etcd.ts'

const PATIENCE = { timeout: 30_000, interval: 50 }
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'

describe.skipIf(!hasEtcd)(`a server over etcd${hasEtcd ? '' : ` (${NO_ETCD})`}`, () => {
  let etcd: Etcd
  let server: RunningServer
  let client: Client
  const logged: string[] = []
  beforeAll(async () => {
    etcd = await startEtcd()
    const note = (message: string, fields?: object) =>
      void logged.push(`${message} ${JSON.stringify(fields)}`)
    server = await startServer({
      controllers: false,
      etcd: {
        servers: [etcd.url],
        prefix: '/registry',
        healthCheckTimeoutMs: 300,
        readyCheckTimeoutMs: 300,
      },
      log: { ...silentLog, info: note, warn: note, error: note },
    })
    await server.settled()
    client = new Client(server)
    const secret = { metadata: { name: 's' }, stringData: { key: 'hidden-value' } }
    expect((await client.post('/api/v1/namespaces/default/secrets', secret)).status).toBe(201)
  }, 60_000)
  afterAll(async () => {
    client?.close()
    etcd?.resume()
    await server?.close()
    await etcd?.close()
  }, 60_000)

  const statusOf = async (path: string) => (await client.get(path)).status
  const allGreen = () =>
    vi.waitFor(async () => {
      const all = await Promise.all(['/healthz', '/livez', '/readyz'].map(statusOf))
      expect(all).toEqual([200, 200, 200])
    }, PATIENCE)
  const failure = ({ status, body }: Reply) => ({
    isLate: [503, 504].includes(status),
    kind: body.kind,
    isSame: body.code === status,
    says: body.message.includes('the store cannot be reached at this time, please try again'),
  })

  test('the checks have the names of the reference', async () => {
    const lines = async (path: string) =>
      (await client.get(path)).text.split('\n').filter((line) => line.includes('etcd'))
    expect([
      await lines('/readyz?verbose'),
      await lines('/livez?verbose'),
      await lines('/healthz?verbose'),
      (await client.get('/readyz/etcd-readiness')).text,
      await statusOf('/livez/etcd-readiness'),
    ]).toEqual([['[+]etcd ok', '[+]etcd-readiness ok'], ['[+]etcd ok'], ['[+]etcd ok'], 'ok', 404])
  })

  for (const { title, stop, goOn } of [
    {
      title: 'stands still',
      stop: async () => etcd.pause(),
      goOn: async () => etcd.resume(),
    },
    { title: 'is killed', stop: () => etcd.kill(), goOn: () => etcd.start() },
  ]) {
    test(
      `while etcd ${title} probes are red and requests told why, and after it all goes on`,
      {
        timeout: 120_000,
      },
      async () => {
        const name = title.replaceAll(' ', '-')
        await allGreen()
        const watch = await client.watch(`${CONFIG_MAPS}?watch=1`)
        logged.length = 0
        await stop()
        try {
          await vi.waitFor(async () => {
            const all = await Promise.all(['/healthz', '/livez', '/readyz'].map(statusOf))
            expect(all).toEqual([500, 500, 500])
          }, PATIENCE)
          // Twenty at a time: they share what is asked.
          const many = await Promise.all(
            Array.from({ length: 20 }, () => client.get('/readyz?verbose')),
          )
          const lines = new Set(many.flatMap(({ text }) => text.trim().split('\n')))
          expect([...lines].filter((line) => !line.startsWith('[+]'))).toEqual([
            '[-]etcd failed: reason withheld',
            '[-]etcd-readiness failed: reason withheld',
            'readyz check failed',
          ])
          const one = await client.get('/livez/etcd')
          expect([one.status, one.text]).toEqual([
            500,
            expect.stringMatching(/^internal server error: etcd at http:\S+ (did not|cannot)/),
          ])
          expect((await client.get('/readyz?exclude=etcd&exclude=etcd-readiness')).text).toBe('ok')
          const [write, read] = await Promise.all([
            client.post(CONFIG_MAPS, { metadata: { name }, data: { a: 'hidden-value' } }),
            client.get('/api/v1/namespaces/default/secrets'),
          ])
          const told = { isLate: true, kind: 'Status', isSame: true, says: true }
          expect([failure(write), failure(read)]).toEqual([told, told])
          // What need not be fresh is answered all the same.
          expect(await statusOf('/api/v1/namespaces?resourceVersion=0')).toBe(200)
          expect([
            logged.length > 0,
            logged.filter((line) => line.includes('hidden-value')),
          ]).toEqual([true, []])
        } finally {
          await goOn()
        }
        await allGreen()
        // The write that was told of may have happened or not; it is there once at most.
        await vi.waitFor(async () => {
          const after = await client.post(CONFIG_MAPS, { metadata: { name: `${name}-after` } })
          expect(after.status).toBe(201)
        }, PATIENCE)
        const list = await client.get(CONFIG_MAPS)
        const names = list.body.items.map(
          (item: { metadata: { name: string } }) => item.metadata.name,
        )
        expect(names).toContain(`${name}-after`)
        for (;;) {
          const event = await watch.next()
          if (event?.object.metadata.name === `${name}-after`) break
          expect(event).not.toBeNull()
        }
        watch.close()
      },
    )
  }
})
