/** What controllers do while an extension server is away or does not answer, and when it is back. */
import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { TestClock } from '../../src/testing/test-clock.ts'
import { Client } from '../client.ts'
import {
  apiService,
  APISERVICES,
  conditionOf,
  ExtensionServer,
  extensionCa,
  localService,
  publishedOf,
  type Received,
} from './extension-server.fixture.ts'

const GV = 'ext.example.com/v1'
const NAME = 'v1.ext.example.com'
const NAMESPACES = '/api/v1/namespaces'
const CONFIG = `${NAMESPACES}/default/configmaps`
const QUOTAS = `${NAMESPACES}/default/resourcequotas`
const SOON = { timeout: 15_000, interval: 20 }
/** Work on objects of the garbage collector at once. */
const WORKERS = 20

interface Thing {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly uid: string
    readonly resourceVersion: string
    readonly ownerReferences?: readonly object[]
  }
}

/** The objects of an extension server, which answers, breaks connections, or lets clients wait. */
class Things {
  state: 'up' | 'away' | 'silent' = 'up'
  readonly #objects = new Map<string, Thing>()
  readonly #watches = new Set<ServerResponse>()
  /** Requests for single objects that are not answered. */
  readonly waiting: Received[] = []
  #revision = 1

  add(name: string, more: object = {}): Thing {
    const namespace = 'default'
    const resourceVersion = String(++this.#revision)
    const uid = `uid-${name}`
    const metadata = { name, namespace, uid, resourceVersion, ...more }
    const thing = { apiVersion: GV, kind: 'Thing', metadata }
    this.#objects.set(`${namespace}/${name}`, thing)
    this.#tell('ADDED', thing)
    return thing
  }

  has(name: string): boolean {
    return this.#objects.has(`default/${name}`)
  }

  remove(key: string): Thing | null {
    const thing = this.#objects.get(key)
    if (!thing) return null
    this.#objects.delete(key)
    this.#revision++
    this.#tell('DELETED', thing)
    return thing
  }

  readonly answer = (request: Received, response: ServerResponse): void => {
    if (this.state === 'away') return void response.socket!.destroy()
    const [method, url = ''] = request.line.split(' ')
    const found = /\/namespaces\/([^/]+)\/things(?:\/([^?/]+))?/.exec(url)
    const key = found?.[2] === undefined ? null : `${found[1]}/${found[2]}`
    if (this.state === 'silent') {
      if (key !== null) this.waiting.push(request)
      return
    }
    const send = (code: number, body: object) => {
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    if (key !== null) {
      const thing = method === 'DELETE' ? this.remove(key) : (this.#objects.get(key) ?? null)
      return thing ? send(200, thing) : send(404, notFound)
    }
    if (!url.includes('/things')) return send(200, RESOURCES)
    if (url.includes('watch=')) {
      const from = Number(new URL(url, 'https://x').searchParams.get('resourceVersion') ?? '0')
      // It keeps no history.
      if (from < this.#revision) return send(410, expired)
      response.writeHead(200, { 'content-type': 'application/json' })
      response.flushHeaders()
      this.#watches.add(response)
      response.once('close', () => this.#watches.delete(response))
      return
    }
    const items = [...this.#objects.values()].filter(
      ({ metadata }) => found === null || metadata.namespace === found[1],
    )
    const metadata = { resourceVersion: String(this.#revision) }
    send(200, { kind: 'ThingList', apiVersion: GV, metadata, items })
  }

  /** Ends what is open. */
  leave(): void {
    this.state = 'away'
    for (const watch of this.#watches) watch.socket?.destroy()
  }

  #tell(type: string, object: Thing): void {
    for (const watch of this.#watches) watch.write(`${JSON.stringify({ type, object })}\n`)
  }
}

const RESOURCES = {
  kind: 'APIResourceList',
  groupVersion: GV,
  resources: [
    {
      name: 'things',
      singularName: 'thing',
      kind: 'Thing',
      namespaced: true,
      verbs: ['create', 'delete', 'get', 'list', 'patch', 'watch'],
    },
  ],
}
const failed = (code: number, reason: string) => ({
  ...{ kind: 'Status', apiVersion: 'v1', status: 'Failure', message: reason, reason, code },
})
const [notFound, expired] = [failed(404, 'NotFound'), failed(410, 'Expired')]

let server: RunningServer
let client: Client
let backend: ExtensionServer
let things: Things
let clock: TestClock

beforeEach(async () => {
  clock = new TestClock()
  server = await startServer({ vocabulary: 'kubernetes', proxiesToLoopback: true, clock })
  await server.settled()
  client = new Client(server)
  backend = await ExtensionServer.start(
    (await publishedOf(client))['requestheader-client-ca-file']!,
  )
  things = new Things()
  backend.answer = things.answer
  await client.post(`${NAMESPACES}/default/services`, localService('ext'))
  const service = { namespace: 'default', name: 'ext', port: backend.port }
  const caBundle = Buffer.from(extensionCa).toString('base64')
  await client.post(APISERVICES, apiService(GV, { service, caBundle }))
  await conditionOf(client, NAME, ({ status }) => status === 'True')
  await vi.waitFor(() => {
    expect(backend.requests.some(({ line }) => /\/things\?.*watch=/.test(line))).toBe(true)
  }, SOON)
})
afterEach(async () => {
  client?.close()
  await backend?.close()
  await server?.close()
})

interface Named {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: { readonly name: string; readonly uid: string }
}

const reference = ({ apiVersion = 'v1', kind = 'ConfigMap', metadata: { name, uid } }: Named) => ({
  ...{ apiVersion, kind, name, uid },
})
const config = async (name: string, ...owners: object[]) => {
  const metadata = { name, ...(owners.length > 0 ? { ownerReferences: owners } : {}) }
  const { status, body } = await client.post(CONFIG, { metadata })
  expect(status).toBe(201)
  return body
}
const codeOf = async (name: string) => (await client.get(`${CONFIG}/${name}`)).status
const isGone = (name: string) => vi.waitFor(async () => expect(await codeOf(name)).toBe(404), SOON)
const used = async (quota: string) => (await client.get(`${QUOTAS}/${quota}`)).body.status?.used

test('what is of it waits, all else goes on, and the rest follows when it is back', async () => {
  const counted = 'count/things.ext.example.com'
  const owner = things.add('owner')
  await config('owned-there', reference(owner))
  const here = await config('here')
  things.add('owned-here', { ownerReferences: [reference(here)] })
  const alone = await config('alone')
  await config('owned', reference(alone))
  await client.post(QUOTAS, {
    metadata: { name: 'q' },
    spec: { hard: { [counted]: '9', 'count/configmaps': '99' } },
  })
  const before = await vi.waitFor(async () => {
    const found = await used('q')
    expect(found?.[counted]).toBe('2')
    return Number(found['count/configmaps'])
  }, SOON)
  await client.post(NAMESPACES, { metadata: { name: 'leaving' } })
  await client.post(`${NAMESPACES}/leaving/configmaps`, { metadata: { name: 'inside' } })

  things.leave()
  await clock.jump('31s')
  await conditionOf(client, NAME, ({ status }) => status === 'False')
  expect((await client.get(`/apis/${GV}/namespaces/default/things`)).status).toBe(503)
  // Deleted while nobody sees it.
  things.remove('default/owner')
  await config('of-nobody', { ...reference(owner), name: 'never', uid: 'uid-never' })
  await client.delete(`${CONFIG}/here`)
  await client.delete(`${CONFIG}/alone`)
  await client.delete(`${NAMESPACES}/leaving`)
  await isGone('owned')
  await clock.jump('6s')
  await vi.waitFor(async () => {
    const { status, body } = await client.get(`${NAMESPACES}/leaving`)
    expect([status, body.status.phase]).toEqual([200, 'Terminating'])
    const conditions = body.status.conditions as Record<string, string>[]
    const wrong = conditions.filter((one) => one['status'] === 'True')
    expect(wrong.map((one) => ({ ...one, lastTransitionTime: undefined }))).toEqual([
      {
        type: 'NamespaceDeletionDiscoveryFailure',
        status: 'True',
        reason: 'DiscoveryFailed',
        message: `Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: ${GV}: the server is currently unable to handle the request`,
      },
    ])
  }, SOON)
  expect((await client.get(`${NAMESPACES}/leaving/configmaps`)).body.items).toEqual([])
  // One more, and three less.
  await vi.waitFor(async () => {
    expect(await used('q')).toEqual({ [counted]: '2', 'count/configmaps': String(before - 2) })
  }, SOON)
  expect([await codeOf('owned-there'), await codeOf('of-nobody')]).toEqual([200, 200])
  expect(things.has('owned-here')).toBe(true)

  things.state = 'up'
  await clock.jump('31s')
  await conditionOf(client, NAME, ({ status }) => status === 'True')
  await clock.jump('2m')
  await isGone('owned-there')
  await isGone('of-nobody')
  await vi.waitFor(async () => {
    expect(things.has('owned-here')).toBe(false)
    expect((await client.get(`${NAMESPACES}/leaving`)).status).toBe(404)
    expect((await used('q'))[counted]).toBe('0')
  }, SOON)
})

test('while it is silent, what waits for it holds nothing else', async () => {
  const owner = things.add('owner')
  const alone = await config('alone')
  await config('owned', reference(alone))
  things.state = 'silent'
  for (let i = 0; i < WORKERS + 5; i++) await config(`waiting${i}`, reference(owner))
  await vi.waitFor(() => expect(things.waiting.length).toBeGreaterThanOrEqual(WORKERS), SOON)
  await client.delete(`${CONFIG}/alone`)
  await isGone('owned')
  expect(await codeOf('waiting0')).toBe(200)
})

test('while it is silent, a namespace loses all that others have', async () => {
  await client.post(NAMESPACES, { metadata: { name: 'leaving' } })
  await client.post(`${NAMESPACES}/leaving/configmaps`, { metadata: { name: 'inside' } })
  things.state = 'silent'
  await client.delete(`${NAMESPACES}/leaving`)
  await clock.jump('6s')
  await vi.waitFor(async () => {
    expect((await client.get(`${NAMESPACES}/leaving/configmaps`)).body.items).toEqual([])
  }, SOON)
  expect((await client.get(`${NAMESPACES}/leaving`)).body.status.phase).toBe('Terminating')
})
