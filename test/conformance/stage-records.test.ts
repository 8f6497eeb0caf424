/** What subscribers to the stages of requests see of a request, and that they stop nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ManualClock } from '../../src/base/clock.ts'
import { lineLog } from '../../src/base/log.ts'
import { startServer, type RunningServer, type StageSubscriber } from '../../src/index.ts'
import { Client, type Ask } from '../client.ts'
import { KINDS } from './kinds.fixture.ts'
import { Recorder, withId, type Seen } from './stages.fixture.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const BINARY = 'application/vnd.kubernetes.protobuf'

const clock = new ManualClock()
const recorder = new Recorder()
const lines: string[] = []
/** Takes the steps of requests as they come. */
const late: string[] = []
const failing: StageSubscriber = {
  name: 'failing',
  wantsBody: () => {
    throw new Error('body')
  },
  received: () => {
    throw new Error('received')
  },
  // oxlint-disable-next-line typescript/no-misused-promises -- as people will write it
  responseComplete: async () => {
    throw new Error('complete')
  },
}
const observing: StageSubscriber = {
  name: 'observing',
  received: ({ info, user, decision }) =>
    void late.push(`received ${info === null} ${user === null} ${decision === null}`),
  authenticated: ({ info, user, impersonator, decision }) =>
    void late.push(
      `authenticated ${info?.verb} ${user?.name} ${impersonator === null} ${decision === null}`,
    ),
  responseStarted: ({ user, impersonator, status, endedAt }) =>
    void late.push(`started ${user?.name} ${impersonator?.name} ${status} ${endedAt}`),
}

let server: RunningServer
let client: Client
beforeAll(async () => {
  server = await startServer({
    vocabulary: 'kubernetes',
    controllers: false,
    clock,
    stages: [failing, observing, ...recorder.subscribers],
    log: lineLog({
      format: 'json',
      level: 0,
      now: () => 0,
      write: (line) => void lines.push(line),
    }),
  })
  await server.settled()
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
})

let ids = 0
/** Makes a request and gives what was seen of it. */
async function seenOf(method: string, path: string, ask: Ask = {}): Promise<Seen> {
  const id = `record-${++ids}`
  await client.ask(method, path, { ...ask, headers: { ...ask.headers, 'audit-id': id } })
  return recorder.at('the end', withId(id))
}

const jsonOf = (bytes: { readonly json: Buffer } | null): unknown =>
  bytes === null ? null : JSON.parse(bytes.json.toString())

const one = { metadata: { name: 'one' }, data: { a: '1' } }

test('a create, as another user', async () => {
  late.length = 0
  const { request } = await seenOf('POST', MAPS, {
    body: one,
    headers: { 'impersonate-user': 'alice', 'impersonate-group': 'system:masters' },
  })
  const now = clock.now()
  expect({
    ...request,
    head: [request.method, request.target, request.protocol, request.remoteAddress],
    auditId: request.auditId,
    info: [request.info?.verb, request.info?.resource, request.info?.namespace],
    users: [request.user?.name, request.user?.groups, request.impersonator?.name],
    decision: request.decision?.verdict,
    isLongRunning: request.isLongRunning,
    annotations: [...request.annotations],
    body: request.body?.toString(),
  }).toMatchObject({
    head: ['POST', MAPS, 'HTTP/1.1', '127.0.0.1'],
    auditId: request.headers['audit-id'],
    info: ['create', 'configmaps', 'default'],
    users: ['alice', ['system:masters', 'system:authenticated'], 'kubernetes-admin'],
    decision: 'allow',
    isLongRunning: false,
    annotations: [],
    body: JSON.stringify(one),
    bodyType: 'application/json',
    status: 201,
    isWhole: true,
    failure: null,
    fault: null,
    receivedAt: now,
    startedAt: now,
    endedAt: now,
  })
  expect(request.requestObject()).toEqual({
    apiVersion: 'v1',
    json: Buffer.from(JSON.stringify(one)),
  })
  const answer = request.responseObject()
  expect([answer?.apiVersion, request.bytesWritten]).toEqual(['v1', answer!.json.length + 1])
  expect(jsonOf(answer)).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', ...one })
  expect(late).toEqual([
    'received true true true',
    'authenticated create kubernetes-admin true true',
    'started alice kubernetes-admin 201 0',
  ])
})

test('credentials are gone once they were looked at', async () => {
  const { request } = await seenOf('GET', MAPS, { headers: { authorization: 'Bearer secret' } })
  expect(JSON.stringify(request.headers)).not.toContain('secret')
})

describe('objects of requests', () => {
  for (const { name, method, path, headers, raw, expected } of [
    {
      name: 'YAML',
      method: 'PUT',
      path: `${MAPS}/one`,
      headers: { 'content-type': 'application/yaml' },
      raw: 'metadata: {name: one}\ndata: {a: "2"}\n',
      expected: { metadata: { name: 'one' }, data: { a: '2' } },
    },
    {
      name: 'protobuf',
      method: 'POST',
      path: '/api/v1/namespaces',
      headers: { 'content-type': BINARY },
      raw: Buffer.from(
        'k8s\0\n\x0f\n\x02v1\x12\tNamespace\x12\x07\n\x05\n\x03new\x1a\0\x22\0',
        'latin1',
      ),
      expected: { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'new' } },
    },
    {
      name: 'a patch is its own',
      method: 'PATCH',
      path: `${MAPS}/one`,
      headers: { 'content-type': 'application/json-patch+json' },
      raw: '[{"op":"add","path":"/data/b","value":"1"}]',
      expected: [{ op: 'add', path: '/data/b', value: '1' }],
    },
    {
      name: 'options of a delete',
      method: 'DELETE',
      path: `${MAPS}/one`,
      headers: { 'content-type': 'application/json' },
      raw: '{"dryRun":["All"]}',
      expected: { dryRun: ['All'] },
    },
    {
      name: 'no body',
      method: 'DELETE',
      path: `${MAPS}/one?dryRun=All`,
      headers: {},
      raw: '',
      expected: null,
    },
  ]) {
    test(name, async () => {
      const { request } = await seenOf(method, path, { raw, headers })
      expect(request.status).toBeLessThan(300)
      expect(jsonOf(request.requestObject())).toEqual(expected)
    })
  }
})

describe('objects of answers', () => {
  for (const { name, path, accept = 'application/json', expected } of [
    {
      name: 'of a table',
      path: `${MAPS}/one`,
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
      expected: { kind: 'ConfigMap', metadata: { name: 'one' } },
    },
    {
      name: 'as protobuf',
      path: `${MAPS}/one`,
      accept: BINARY,
      expected: { kind: 'ConfigMap', metadata: { name: 'one' } },
    },
    {
      name: 'of a list',
      path: MAPS,
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
      expected: { kind: 'ConfigMapList', items: [{ metadata: { name: 'one' } }] },
    },
    {
      name: 'of a refusal',
      path: `${MAPS}/none`,
      accept: 'application/yaml',
      expected: { kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404 },
    },
  ]) {
    test(name, async () => {
      const { request } = await seenOf('GET', path, { headers: { accept } })
      expect(request.responseObject()?.apiVersion).toBe('v1')
      expect(jsonOf(request.responseObject())).toMatchObject(expected)
    })
  }

  test('a document has none', async () => {
    const { request } = await seenOf('GET', '/version')
    expect([request.responseObject(), request.info?.path]).toEqual([null, '/version'])
  })
})

describe('objects of answers, of every sort of kind', () => {
  for (const kind of KINDS) {
    test(kind.title, async () => {
      const own = new Recorder()
      const where = await kind.start({ stages: own.subscribers, controllers: false })
      const asking = new Client(where)
      const path = kind.in('default')
      const object = { kind: kind.kind, apiVersion: kind.apiVersion, metadata: { name: 'one' } }
      const seen = async (method: string, target: string, body?: object) => {
        const id = `kind-${++ids}`
        const headers = { 'audit-id': id }
        const reply = await asking.ask(method, target, { headers, ...(body ? { body } : {}) })
        const { request } = await own.at('the end', withId(id))
        return [reply, request.responseObject()] as const
      }
      for (const [reply, answer] of [
        await seen('POST', path, object),
        await seen('GET', `${path}/one`),
        await seen('GET', path),
      ]) {
        expect(reply.status).toBeLessThan(300)
        expect(answer?.apiVersion).toBe(kind.apiVersion)
        expect(jsonOf(answer)).toEqual(reply.body)
      }
      asking.close()
      await where.close()
    })
  }
})

test('a refusal, and why', async () => {
  const { request } = await seenOf('GET', MAPS, { headers: { 'impersonate-user': 'alice' } })
  expect([request.decision?.verdict, request.failure?.reason, [...request.annotations]]).toEqual([
    'no opinion',
    'Forbidden',
    [
      ['authorization.k8s.io/decision', { value: 'forbid', level: 'Metadata' }],
      ['authorization.k8s.io/reason', { value: '', level: 'Metadata' }],
    ],
  ])
})

test('a deprecated version is annotated', async () => {
  const path = '/apis/autoscaling/v2beta2/horizontalpodautoscalers'
  const { request } = await seenOf('GET', path)
  expect([...request.annotations]).toEqual([
    ['k8s.io/deprecated', { value: 'true', level: 'Metadata' }],
    ['k8s.io/removed-release', { value: '1.26', level: 'Metadata' }],
  ])
})

test('a subscriber that fails is logged, and stops nothing', async () => {
  lines.length = 0
  const { request, stages } = await seenOf('PUT', `${MAPS}/one`, { body: one })
  expect([request.status, stages.length]).toEqual([200, 4])
  const told = lines.map((line) => JSON.parse(line) as Record<string, string>)
  expect(told.map(({ msg, subscriber, stage }) => [msg, subscriber, stage])).toEqual(
    ['received', 'wantsBody', 'responseComplete'].map((stage) => [
      'a stage subscriber failed',
      'failing',
      stage,
    ]),
  )
})
