/** Informers over each transport, and over a network that breaks. */
import { once } from 'node:events'
import { EventEmitter } from 'node:events'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ManualClock, systemClock, type Clock } from '../../src/base/clock.ts'
import type { Client } from '../../src/client/client.ts'
import { connect } from '../../src/client/connect.ts'
import type { Informer } from '../../src/client/informer.ts'
import { readKubeconfig } from '../../src/client/kubeconfig.ts'
import { startServer, type RunningServer } from '../../src/index.ts'
import { clientOf, transports } from './clients.fixture.ts'
import { CuttingProxy } from './cutting-proxy.ts'

interface ConfigMap {
  metadata?: {
    name?: string
    namespace?: string
    resourceVersion?: string
    labels?: Record<string, string>
  }
  data?: Record<string, string>
}

const MAPS = { group: '', version: 'v1', resource: 'configmaps' }
const SOON_MS = 10_000

/** The machine's clock, but for pauses between attempts, which are over at once. */
const hasty: Clock = {
  now: () => systemClock.now(),
  after: (ms, call) => systemClock.after(ms < SOON_MS ? 1 : ms, call),
}

/** What an informer tells, in order. */
class Told {
  readonly seen: string[] = []
  readonly #news = new EventEmitter()
  constructor(informer: Informer<ConfigMap>) {
    const note = (line: string) => {
      this.seen.push(line)
      this.#news.emit('news')
    }
    informer.addHandler({
      add: ({ key, object }) => note(`add ${key} ${object.data?.['n'] ?? ''}`),
      update: ({ key, object }, old) =>
        note(`update ${key} ${old?.object.data?.['n'] ?? ''} ${object.data?.['n'] ?? ''}`),
      delete: ({ key }, isTombstone) => note(`delete ${key}${isTombstone ? ' unseen' : ''}`),
      relisted: () => note('relisted'),
    })
  }
  /** Waits until `line` was told. */
  async until(line: string): Promise<void> {
    while (!this.seen.includes(line)) await once(this.#news, 'news')
  }
}

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

describe('with a server that is there', () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await startServer({ controllers: false })
  })
  afterAll(() => server.close())

  for (const transport of transports) {
    describe(transport, () => {
      const namespace = `ns-${transport.length}`
      let client: Client
      const maps = () => client.resource<ConfigMap>(MAPS).in(namespace)
      beforeAll(async () => {
        client = await clientOf(server, transport)
        const namespaces = client.resource({ group: '', version: 'v1', resource: 'namespaces' })
        await namespaces.create({ metadata: { name: namespace } })
      })
      afterAll(() => client.close())
      const informed = (informer: Informer<ConfigMap>) => {
        ends.push(() => informer.stop())
        const told = new Told(informer)
        informer.start()
        return { informer, told }
      }

      test('what is there is told and listed, then each change with what was before', async () => {
        await maps().create({ metadata: { name: 'a' }, data: { n: '1' } })
        const { informer, told } = informed(maps().informer())
        await informer.synced()
        expect([informer.hasSynced, told.seen]).toEqual([true, [`add ${namespace}/a 1`]])
        expect(informer.lister.get(namespace, 'a')).toMatchObject({
          kind: 'ConfigMap',
          data: { n: '1' },
        })
        await maps().create({ metadata: { name: 'b' }, data: { n: '2' } })
        await maps().patch('a', { data: { n: '3' } })
        await maps().delete('a')
        await told.until(`delete ${namespace}/a`)
        expect(told.seen.slice(1)).toEqual([
          `add ${namespace}/b 2`,
          `update ${namespace}/a 1 3`,
          `delete ${namespace}/a`,
        ])
        expect(informer.lister.get(namespace, 'a')).toBe(null)
        expect(informer.lister.list(namespace).map((one) => one.metadata?.name)).toEqual(['b'])
        expect(new Told(informer).seen).toEqual([`add ${namespace}/b 2`])
        await maps().delete('b')
      })

      test('selections and indexes hold what they are for', async () => {
        const of = (name: string, team: string) => ({
          metadata: { name, labels: { team, in: 'yes' } },
        })
        await maps().create(of('x', 'red'))
        await maps().create({ metadata: { name: 'out' } })
        const { informer, told } = informed(
          maps().informer({
            labelSelector: 'in=yes',
            indexes: { team: ({ metadata }) => [metadata?.labels?.['team'] ?? ''] },
          }),
        )
        await informer.synced()
        await maps().create(of('y', 'red'))
        await maps().create(of('z', 'blue'))
        await told.until(`add ${namespace}/z `)
        const under = (team: string) =>
          informer.lister.byIndex('team', team).map((one) => one.metadata?.name)
        expect([under('red'), under('blue'), under('green')]).toEqual([['x', 'y'], ['z'], []])
        await maps().patch('x', { metadata: { labels: { team: 'blue' } } })
        await maps().patch('y', { metadata: { labels: { in: 'no' } } })
        // What leaves the selection is gone for it.
        await told.until(`delete ${namespace}/y`)
        expect([under('red'), under('blue').sort()]).toEqual([[], ['x', 'z']])
        await maps().deleteCollection()
      })

      test('metadata alone', async () => {
        await maps().create({ metadata: { name: 'm' }, data: { n: '1' } })
        const informer = maps().metadata().informer()
        ends.push(() => informer.stop())
        await informer.start().synced()
        const found = informer.lister.get(namespace, 'm')!
        expect(Object.keys(found).sort()).toEqual(['apiVersion', 'kind', 'metadata'])
        expect(found.kind).toBe('PartialObjectMetadata')
        await maps().delete('m')
      })

      test('a handler that throws keeps nobody else from being told', async () => {
        const troubles: unknown[] = []
        const informer = maps().informer({ onTrouble: (error) => troubles.push(error) })
        const fault = new Error('of the handler')
        informer.addHandler({
          add() {
            throw fault
          },
        })
        const { told } = informed(informer)
        await maps().create({ metadata: { name: 't' } })
        await told.until(`add ${namespace}/t `)
        expect(troubles).toEqual([fault])
        await maps().delete('t')
      })
    })
  }
})

describe('with a network that breaks', () => {
  const serverClock = new ManualClock()
  let server: RunningServer
  let proxy: CuttingProxy
  let admin: Client
  let client: Client
  const maps = (of: Client) => of.resource<ConfigMap>(MAPS).in('default')
  beforeAll(async () => {
    server = await startServer({ controllers: false, clock: serverClock, historyMs: 60_000 })
    proxy = await CuttingProxy.before(server.port)
    admin = await server.client()
    const config = { ...(await readKubeconfig(server.kubeconfig)), server: proxy.url }
    client = await connect({ config, clock: hasty })
  })
  afterAll(async () => {
    client.close()
    proxy.close()
    await server.close()
  })
  afterEach(() => maps(admin).deleteCollection())

  const informed = async (isStored = true) => {
    const troubles: unknown[] = []
    const informer = maps(client).informer({ isStored, onTrouble: (error) => troubles.push(error) })
    ends.push(() => informer.stop())
    const told = new Told(informer)
    await informer.start().synced()
    return { informer, told, troubles }
  }

  test('a watch goes on where it was cut, without a new list', async () => {
    await maps(admin).create({ metadata: { name: 'a' } })
    const { told } = await informed()
    for (const n of ['1', '2', '3']) {
      proxy.cut()
      await maps(admin).patch('a', { data: { n } })
      await told.until(`update default/a ${n === '1' ? '' : Number(n) - 1} ${n}`)
    }
    expect(told.seen).toEqual([
      'add default/a ',
      'update default/a  1',
      'update default/a 1 2',
      'update default/a 2 3',
    ])
  })

  test('what has become too old is listed anew, and what went unseen is told', async () => {
    await maps(admin).create({ metadata: { name: 'gone' }, data: { n: '1' } })
    await maps(admin).create({ metadata: { name: 'kept' } })
    await maps(admin).create({ metadata: { name: 'other' } })
    const { informer, told } = await informed()
    told.seen.length = 0
    proxy.isShut = true
    proxy.cut()
    await maps(admin).delete('gone')
    await maps(admin).patch('other', { data: { n: '2' } })
    await maps(admin).create({ metadata: { name: 'new' } })
    // History is no longer than this.
    serverClock.advance(200_000)
    await maps(admin).create({ metadata: { name: 'after' } })
    serverClock.advance(200_000)
    proxy.isShut = false
    await told.until('relisted')
    expect([...told.seen].sort()).toEqual([
      'add default/after ',
      'add default/new ',
      'delete default/gone unseen',
      'relisted',
      'update default/other  2',
    ])
    expect(
      informer.lister
        .list()
        .map((one) => one.metadata?.name)
        .sort(),
    ).toEqual(['after', 'kept', 'new', 'other'])
  })

  test('without keeping objects it is told that something may have been missed', async () => {
    await maps(admin).create({ metadata: { name: 'gone' } })
    const { told, informer } = await informed(false)
    expect(informer.lister.list()).toEqual([])
    told.seen.length = 0
    proxy.isShut = true
    proxy.cut()
    await maps(admin).delete('gone')
    serverClock.advance(200_000)
    await maps(admin).create({ metadata: { name: 'after' } })
    serverClock.advance(200_000)
    proxy.isShut = false
    await told.until('relisted')
    expect(told.seen).toEqual(['update default/after  ', 'relisted'])
  })

  test('a bookmark moves the place from which it goes on', async () => {
    await maps(admin).create({ metadata: { name: 'quiet' } })
    const { told } = await informed()
    told.seen.length = 0
    const leases = admin.resource({
      group: 'coordination.orch.io',
      version: 'v1',
      resource: 'leases',
    })
    // Much happens elsewhere, and history goes on; the watch is told by bookmarks alone.
    const bookmarks = maps(client).watch({ resourceVersion: '1', allowWatchBookmarks: true })
    for (const name of ['l1', 'l2', 'l3']) {
      await leases.in('default').create({ metadata: { name } })
      serverClock.advance(61_000)
    }
    for await (const { type } of bookmarks) if (type === 'BOOKMARK' || type === 'ERROR') break
    proxy.cut()
    await maps(admin).create({ metadata: { name: 'later' } })
    await told.until('add default/later ')
    expect(told.seen).toEqual(['add default/later '])
  })
})
