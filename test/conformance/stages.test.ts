/** Stages of requests: of every kind of request and way of ending, over both protocols, in order and complete. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ManualClock } from '../../src/base/clock.ts'
import { randomIds } from '../../src/base/ids.ts'
import { lineLog } from '../../src/base/log.ts'
import { startServer, type ObservedRequest, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'
import { RawHttp2 } from '../http2/raw-client.fixture.ts'
import { Raw } from '../raw.ts'
import { Pod, protocols, Recorder, withId, type Message, type Sent } from './stages.fixture.ts'

const NS = '/api/v1/namespaces/default'
const MAPS = `${NS}/configmaps`
const JSON_TYPE = { 'content-type': 'application/json' }
const map = (name: string, data = {}) => JSON.stringify({ metadata: { name }, data })

const ALL = ['received', 'authenticated', 'responseStarted', 'responseComplete']
const UNKNOWN = ['received', 'responseStarted', 'responseComplete']
const UNANSWERED = ['received', 'authenticated', 'responseComplete']
const PANIC = ['received', 'authenticated', 'responseStarted', 'panic']

let pod: Pod
beforeAll(async () => {
  pod = await Pod.start()
})
afterAll(() => pod.close())

let ids = 0
const newId = () => `id-${++ids}`

/** A server, its subscribers and its clock. */
class Scene {
  readonly clock = new ManualClock()
  readonly recorder = new Recorder()
  readonly lines: string[] = []
  server!: RunningServer

  static async start(options: Parameters<typeof startServer>[0] = {}): Promise<Scene> {
    const scene = new Scene()
    scene.server = await startServer({
      vocabulary: 'kubernetes',
      controllers: false,
      // Nobody makes the accounts that pods would wait for.
      disableAdmissionPlugins: ['ServiceAccount'],
      clock: scene.clock,
      proxiesToLoopback: true,
      bodyMemoryBytes: 2 << 20,
      stages: scene.recorder.subscribers,
      log: lineLog({
        format: 'json',
        level: 0,
        now: () => 0,
        write: (line) => void scene.lines.push(line),
      }),
      ...options,
    })
    await scene.server.settled()
    return scene
  }

  /** Sends a request with an id of its own. */
  async send(protocol: (typeof protocols)[number], message: Message): Promise<[Sent, string]> {
    const id = newId()
    const headers = { ...message.headers, 'audit-id': id }
    return [await protocol.send(this.server, { ...message, headers }), id]
  }

  ended = (id: string) => this.recorder.at('the end', withId(id))
}

interface Row extends Message {
  readonly name: string
  readonly status: number
  readonly stages?: readonly string[]
  /** Of the body; absent: not looked at. */
  readonly bytes?: number
}

const rows: readonly Row[] = [
  { name: 'a document', method: 'GET', path: '/version', status: 200 },
  { name: 'a get that the cache answers', method: 'GET', path: `${MAPS}/one`, status: 200 },
  { name: 'a head', method: 'HEAD', path: `${MAPS}/one`, status: 200, bytes: 0 },
  { name: 'a list', method: 'GET', path: MAPS, status: 200 },
  {
    name: 'a table',
    method: 'GET',
    path: MAPS,
    headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    status: 200,
  },
  {
    name: 'an object as YAML',
    method: 'GET',
    path: `${MAPS}/one`,
    headers: { accept: 'application/yaml' },
    status: 200,
  },
  {
    name: 'a long answer, compressed',
    method: 'GET',
    path: '/openapi/v2',
    headers: { 'accept-encoding': 'gzip' },
    status: 200,
  },
  {
    name: 'a create',
    method: 'POST',
    path: `${MAPS}?dryRun=All`,
    headers: JSON_TYPE,
    body: map('new'),
    status: 201,
  },
  {
    name: 'an update',
    method: 'PUT',
    path: `${MAPS}/one`,
    headers: JSON_TYPE,
    body: map('one', { a: '2' }),
    status: 200,
  },
  {
    name: 'a patch',
    method: 'PATCH',
    path: `${MAPS}/one`,
    headers: { 'content-type': 'application/merge-patch+json' },
    body: '{"data":{"a":"3"}}',
    status: 200,
  },
  {
    name: 'an apply',
    method: 'PATCH',
    path: `${MAPS}/one?fieldManager=m&force=true`,
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\ndata: {a: "4"}\n',
    status: 200,
  },
  { name: 'a delete', method: 'DELETE', path: `${MAPS}/one?dryRun=All`, status: 200 },
  { name: 'a delete of many', method: 'DELETE', path: `${MAPS}?dryRun=All`, status: 200 },
  {
    name: 'a review',
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
    headers: JSON_TYPE,
    body: '{"spec":{"namespace":"default"}}',
    status: 201,
  },
  { name: 'a proxy', method: 'GET', path: `${NS}/pods/one/proxy/x`, status: 200, bytes: 5 },
  { name: 'a redirect of a proxy', method: 'GET', path: `${NS}/pods/one/proxy`, status: 301 },
  { name: 'a path where nothing is', method: 'GET', path: '/nowhere', status: 404 },
  { name: 'an object that is not there', method: 'GET', path: `${MAPS}/none`, status: 404 },
  { name: 'a method that is not served', method: 'POST', path: '/version', status: 405 },
  {
    name: 'a form that is not there',
    method: 'GET',
    path: MAPS,
    headers: { accept: 'text/plain' },
    status: 406,
  },
  {
    name: 'a create of what is there',
    method: 'POST',
    path: MAPS,
    headers: JSON_TYPE,
    body: map('one'),
    status: 409,
  },
  {
    name: 'a body of an unknown type',
    method: 'POST',
    path: MAPS,
    headers: { 'content-type': 'text/plain' },
    body: 'x',
    status: 415,
  },
  {
    name: 'an object that is not valid',
    method: 'POST',
    path: MAPS,
    headers: JSON_TYPE,
    body: map('Not Valid'),
    status: 422,
  },
  {
    name: 'a body that is too long',
    method: 'POST',
    path: MAPS,
    headers: JSON_TYPE,
    body: 'x'.repeat(4 << 20),
    missing: 4 << 20,
    status: 413,
  },
  {
    name: 'a body beyond the memory for them',
    method: 'POST',
    path: MAPS,
    headers: JSON_TYPE,
    body: 'x'.repeat(1_500_000),
    missing: 200_000,
    status: 429,
  },
  {
    name: 'a time that cannot be read',
    method: 'GET',
    path: `${MAPS}/one?timeout=soon`,
    status: 400,
    stages: UNKNOWN,
  },
  {
    name: 'a credential that does not hold',
    method: 'GET',
    path: MAPS,
    headers: { authorization: 'Bearer wrong' },
    isAnonymous: true,
    status: 401,
    stages: UNKNOWN,
  },
  {
    name: 'somebody who may not',
    method: 'GET',
    path: MAPS,
    headers: { 'impersonate-user': 'nobody' },
    status: 403,
  },
  {
    name: 'too many header fields',
    method: 'GET',
    path: MAPS,
    headers: { 'x-long': 'x'.repeat(80_000) },
    status: 431,
    stages: UNKNOWN,
  },
]

describe('requests that are answered', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await Scene.start()
    await pod.introduce(scene.server)
    const client = new Client(scene.server)
    await client.post(MAPS, { metadata: { name: 'one' } })
    client.close()
  })
  afterAll(() => scene.server.close())

  for (const protocol of protocols) {
    for (const { name, status, stages = ALL, bytes, ...message } of rows) {
      test(`${name}, ${protocol.name}`, async () => {
        scene.recorder.forget()
        const [sent] = await scene.send(protocol, message)
        expect(await sent.answered()).toBe(status)
        const seen = await scene.recorder.at('the end', () => true)
        sent.close()
        expect(seen.stages).toEqual(stages)
        const { request } = seen
        expect([request.status, request.isWhole, request.protocol]).toEqual([
          status,
          true,
          protocol.name,
        ])
        if (bytes !== undefined) expect(request.bytesWritten).toBe(bytes)
        expect(request.failure?.code ?? 0).toBe(
          status < 400 || message.path === '/nowhere' ? 0 : status,
        )
      })
    }

    test(`a watch that ends in time, ${protocol.name}`, async () => {
      const path = `${MAPS}?watch=1&timeoutSeconds=5`
      const [sent, id] = await scene.send(protocol, { method: 'GET', path })
      await sent.begun()
      scene.clock.advance(10_000)
      expect(await sent.answered()).toBe(200)
      const { stages, request } = await scene.ended(id)
      expect([stages, request.isWhole, request.isLongRunning]).toEqual([ALL, true, true])
      expect(request.endedAt - request.startedAt).toBe(10_000)
      sent.close()
    })

    test(`a request whose time is up, ${protocol.name}`, async () => {
      const message = { method: 'POST', path: MAPS, headers: JSON_TYPE, body: map('x'), missing: 1 }
      const [sent, id] = await scene.send(protocol, message)
      await scene.recorder.at('authenticated', withId(id))
      scene.clock.advance(61_000)
      const { stages, request } = await scene.ended(id)
      expect(await sent.answered()).toBe(504)
      expect([stages, request.status, request.failure?.code]).toEqual([ALL, 504, 504])
      sent.close()
    })
  }

  test('a connection that changes its protocol', async () => {
    const raw = await Raw.open(scene.server)
    const id = newId()
    await raw.send(
      `GET ${NS}/pods/one/proxy/x HTTP/1.1\r\nhost: localhost\r\naudit-id: ${id}\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n`,
    )
    await raw.until('101')
    await raw.send('hello')
    await raw.until('hello')
    const open = await scene.recorder.at('responseStarted', withId(id))
    expect(open.stages).toEqual(['received', 'authenticated', 'responseStarted'])
    raw.close()
    const { stages, request } = await scene.ended(id)
    expect([stages, request.status, request.bytesWritten]).toEqual([ALL, 101, 5])
  })
})

describe('requests that are refused before the pipeline', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await Scene.start()
  })
  afterAll(() => scene.server.close())

  for (const { name, head, method = '', status } of [
    { name: 'no host', head: 'GET /version HTTP/1.1\r\n\r\n', method: 'GET', status: 400 },
    { name: 'no HTTP', head: 'nonsense\r\n\r\n', status: 400 },
    {
      name: 'a head that is too long',
      head: `GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(70_000)}\r\n\r\n`,
      status: 431,
    },
    {
      name: 'a tunnel',
      head: 'CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n',
      method: 'CONNECT',
      status: 405,
    },
    {
      name: 'an expectation',
      head: 'GET / HTTP/1.1\r\nhost: a\r\nexpect: wonders\r\n\r\n',
      method: 'GET',
      status: 417,
    },
    {
      name: 'an upgrade without a host',
      head: 'GET / HTTP/1.1\r\nconnection: upgrade\r\nupgrade: a\r\n\r\n',
      method: 'GET',
      status: 400,
    },
  ]) {
    test(`${name}, HTTP/1.1`, async () => {
      scene.recorder.forget()
      const raw = await Raw.open(scene.server)
      await raw.send(head)
      const text = await raw.closed()
      const { stages, request } = await scene.recorder.at('the end', () => true)
      expect([stages, request.method, request.status]).toEqual([UNKNOWN, method, status])
      const body = text.slice(text.indexOf('\r\n\r\n') + 4)
      expect([request.bytesWritten, request.responseObject()?.json.toString()]).toEqual([
        body.length,
        body.trimEnd(),
      ])
    })
  }

  for (const { name, fields, status } of [
    { name: 'no path', fields: [[':path', '']], status: 400 },
    { name: 'a tunnel', fields: [[':method', 'CONNECT']], status: 405 },
    { name: 'a head that is too long', fields: [['x', 'x'.repeat(70_000)]], status: 431 },
  ] as const) {
    test(`${name}, HTTP/2`, async () => {
      scene.recorder.forget()
      const client = await RawHttp2.admin(scene.server)
      const replaced: readonly string[] = fields.map(([field]) => field)
      const usual = [
        [':method', 'GET'],
        [':path', '/'],
        [':scheme', 'https'],
        [':authority', 'localhost'],
      ] as const
      const id = client.id()
      client.headers(id, [...usual.filter(([field]) => !replaced.includes(field)), ...fields], true)
      const answer = await client.answer(id)
      client.close()
      const { stages, request } = await scene.recorder.at('the end', () => true)
      expect([answer.status, request.status, stages]).toEqual([status, status, UNKNOWN])
      expect(request.bytesWritten).toBe(answer.text.length)
    })
  }

  test('a body that is no HTTP is the end of its own request', async () => {
    scene.recorder.forget()
    const raw = await Raw.open(scene.server)
    await raw.send(
      `POST ${MAPS} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
    )
    await scene.recorder.at('authenticated', () => true)
    await raw.send('no length\r\n')
    expect(await raw.closed()).toMatch(/^HTTP\/1\.1 400/)
    const { stages, request } = await scene.recorder.at('the end', () => true)
    expect([stages, request.method, request.status]).toEqual([ALL, 'POST', 400])
  })

  test('a server that ends turns requests away', async () => {
    const ending = await Scene.start()
    const raw = await Raw.open(ending.server)
    // The connection is in use, and is left.
    await raw.send(`GET ${MAPS} HTTP/1.1\r\n`)
    const version = await Raw.open(ending.server)
    await version.send('GET /version HTTP/1.1\r\nhost: a\r\n\r\n')
    await version.until('200')
    ending.recorder.forget()
    const closing = ending.server.close()
    await version.closed()
    await raw.send('host: a\r\n\r\n')
    expect(await raw.until('apiserver is shutting down')).toMatch(/^HTTP\/1\.1 503/)
    const { stages, request } = await ending.recorder.at('the end', () => true)
    expect([stages, request.status, request.user]).toEqual([UNKNOWN, 503, null])
    await closing
  })
})

/** Where a request can be when it ends. */
const points: readonly (Message & {
  readonly name: string
  /** Null: no answer has begun. */
  readonly status: number | null
})[] = [
  {
    name: 'the body is not whole',
    method: 'POST',
    path: MAPS,
    headers: JSON_TYPE,
    body: map('cut'),
    missing: 1,
    status: null,
  },
  { name: 'the handler waits', method: 'GET', path: `${NS}/pods/one/proxy/hang`, status: null },
  { name: 'a list is being sent', method: 'GET', path: MAPS, isDeaf: true, status: 200 },
  { name: 'a watch is open', method: 'GET', path: `${MAPS}?watch=1`, status: 200 },
  { name: 'a stream is open', method: 'GET', path: `${NS}/pods/one/proxy/slow`, status: 200 },
]

/** More than the buffers between client and server hold. */
const LARGE = 1_000_000
const MANY = 16

async function fill(scene: Scene): Promise<void> {
  await pod.introduce(scene.server)
  const client = new Client(scene.server)
  for (let i = 0; i < MANY; i++)
    await client.post(MAPS, { metadata: { name: `m${i}` }, data: { text: 'x'.repeat(LARGE) } })
  client.close()
}

async function reach(
  scene: Scene,
  protocol: (typeof protocols)[number],
  { status, ...message }: (typeof points)[number],
): Promise<[Sent, string]> {
  const [sent, id] = await scene.send(protocol, message)
  await scene.recorder.at(status === null ? 'authenticated' : 'responseStarted', withId(id))
  return [sent, id]
}

const expectCut = (
  { stages, request }: { stages: readonly string[]; request: ObservedRequest },
  status: number | null,
) =>
  expect([stages, request.status, request.isWhole]).toEqual([
    status === null ? UNANSWERED : ALL,
    status ?? 0,
    false,
  ])

describe('requests that are cut off', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await Scene.start({ bodyMemoryBytes: 64 << 20 })
    await fill(scene)
  })
  afterAll(() => scene.server.close())

  const WAYS = {
    'HTTP/1.1': ['the client closes the connection', 'the connection is reset'],
    'HTTP/2': [
      'the client closes the connection',
      'the connection is reset',
      'the stream is reset',
      'the client says goodbye and goes',
    ],
  }
  for (const protocol of protocols) {
    for (const point of points) {
      for (const way of WAYS[protocol.name]) {
        test(`${way} while ${point.name}, ${protocol.name}`, async () => {
          const [sent, id] = await reach(scene, protocol, point)
          sent.ends[way]!()
          const seen = await scene.ended(id)
          // As long as a connection can be written to, its client may have closed no more than its own side.
          const isTold = protocol.name === 'HTTP/1.1' && point.body !== undefined
          if (isTold) expect([seen.stages, seen.request.status]).toEqual([ALL, 400])
          else expectCut(seen, point.status)
          sent.close()
        })
      }
    }
  }

  test('a client that closes its side gets its answer', async () => {
    const raw = await Raw.open(scene.server)
    const id = newId()
    await raw.send(
      `POST ${MAPS} HTTP/1.1\r\nhost: a\r\naudit-id: ${id}\r\ncontent-length: 9\r\n\r\n{`,
    )
    await scene.recorder.at('authenticated', withId(id))
    raw.socket.end()
    const { stages, request } = await scene.ended(id)
    expect([stages, request.status]).toEqual([ALL, 400])
    expect(await raw.closed()).toMatch(/^HTTP\/1\.1 400/)
  })
})

test('every request has its end when the server stops', async () => {
  const scene = await Scene.start({ bodyMemoryBytes: 64 << 20, shutdownGraceMs: 1000 })
  await fill(scene)
  const open: { sent: Sent; id: string; point: (typeof points)[number] }[] = []
  for (const protocol of protocols) {
    for (const point of points) {
      const [sent, id] = await reach(scene, protocol, point)
      open.push({ sent, id, point })
    }
  }
  await scene.server.close()
  for (const { id, point } of open) {
    const { stages, request } = await scene.ended(id)
    // Watches are told to end, and clients of proxies that the server cannot wait.
    const status = point.name === 'the handler waits' ? 503 : point.status
    expect([point.name, stages, request.status, request.isWhole]).toEqual([
      point.name,
      status === null ? UNANSWERED : ALL,
      status ?? 0,
      point.name === 'a watch is open' || status === 503,
    ])
  }
  expect(scene.lines).toEqual([])
  expect(scene.recorder.all.filter(({ stages }) => stages.at(-1) !== 'responseComplete')).toEqual(
    [],
  )
  for (const { sent } of open) sent.close()
}, 20_000)

describe('what should not be thrown', () => {
  let scene: Scene
  let isBroken = false
  beforeAll(async () => {
    scene = await Scene.start({
      ids: {
        ...randomIds,
        uid: () => {
          if (isBroken) throw new Error('no ids left')
          return randomIds.uid()
        },
      },
      onDeprecated: () => {
        throw new Error('nobody counts')
      },
    })
  })
  afterAll(() => scene.server.close())

  for (const protocol of protocols) {
    for (const { name, fault, ...message } of [
      {
        name: 'at once',
        method: 'GET',
        path: '/apis/autoscaling/v2beta2/horizontalpodautoscalers',
        fault: 'nobody counts',
      },
      {
        name: 'after waiting',
        method: 'POST',
        path: MAPS,
        headers: JSON_TYPE,
        body: map('new'),
        fault: 'no ids left',
      },
    ]) {
      test(`${name}, ${protocol.name}`, async () => {
        isBroken = true
        const [sent, id] = await scene.send(protocol, message)
        expect(await sent.answered()).toBe(500)
        isBroken = false
        const { stages, request } = await scene.ended(id)
        expect([stages, request.status, (request.fault as Error).message]).toEqual([
          PANIC,
          500,
          fault,
        ])
        sent.close()
      })
    }
  }
})
