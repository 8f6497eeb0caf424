/** Audit through a server: events of every kind of request over both protocols, and where they are stored. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ManualClock } from '../../src/base/clock.ts'
import { lineLog } from '../../src/base/log.ts'
import { startServer, type RunningServer, type ServerOptions } from '../../src/index.ts'
import {
  apiService,
  APISERVICES,
  conditionOf,
  ExtensionServer,
  extensionCa,
  localService,
  publishedOf,
} from '../aggregation/extension-server.fixture.ts'
import { Client } from '../client.ts'
import { remoteService, type RemoteService } from '../remote-service.ts'
import { allow } from '../webhook-process.ts'
import { Pod, protocols, type Message } from './stages.fixture.ts'
import { scene as webhookScene } from './webhooks.fixture.ts'

const dir = mkdtempSync(join(tmpdir(), 'audit-'))
afterAll(() => rmSync(dir, { recursive: true }))

let files = 0
const file = (text: string) => {
  const path = join(dir, `file-${++files}`)
  writeFileSync(path, text)
  return path
}
const policy = (...rules: object[]) =>
  file(JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }))
const NOT_OWN = { level: 'None', users: ['system:apiserver'] }
const EVERYTHING = { level: 'RequestResponse' }

// oxlint-disable-next-line typescript/no-explicit-any -- events are read as JSON of every shape
type Event = any

/** What the server writes on its own account has a test of its own. */
const isOfClient = ({ user }: Event) => user.username !== 'system:apiserver'

/** A server with an audit log, and its events. */
class Scene {
  readonly path = join(dir, `log-${++files}`)
  readonly lines: string[] = []
  server!: RunningServer
  client!: Client

  static async start(
    policyFile: string,
    audit: Partial<NonNullable<ServerOptions['audit']>> = {},
    options: ServerOptions = {},
  ): Promise<Scene> {
    const scene = new Scene()
    scene.server = await startServer({
      vocabulary: 'kubernetes',
      controllers: false,
      proxiesToLoopback: true,
      // Pods without the controller of accounts.
      disableAdmissionPlugins: ['ServiceAccount'],
      log: lineLog({
        format: 'json',
        level: 0,
        now: () => 0,
        write: (line) => void scene.lines.push(line),
      }),
      audit: { policyFile, log: { path: scene.path }, ...audit },
      ...options,
    })
    await scene.server.settled()
    scene.client = new Client(scene.server)
    return scene
  }

  /** Those of clients. */
  events(): Event[] {
    return this.all().filter(isOfClient)
  }

  all(): Event[] {
    const text = readFileSync(this.path, 'utf8')
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Event)
  }

  /** The events of one request, when the last of them is there. */
  async of(id: string, last = 'ResponseComplete'): Promise<Event[]> {
    for (;;) {
      const found = this.events().filter(({ auditID }) => auditID === id)
      if (found.some(({ stage }) => stage === last)) return found
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  async close(): Promise<void> {
    this.client.close()
    await this.server.close()
  }
}

let ids = 0
const newId = () => `audit-${++ids}`
const NS = '/api/v1/namespaces/default'
const MAPS = `${NS}/configmaps`
const ADMIN = { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] }
const JSON_TYPE = { 'content-type': 'application/json' }
const ALLOWED = { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' }
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

const notFound = (name: string) => ({
  status: 'Failure',
  message: `configmaps "${name}" not found`,
  reason: 'NotFound',
  details: { name, kind: 'configmaps' },
  code: 404,
})

describe('events of requests', () => {
  let scene: Scene
  let pod: Pod
  beforeAll(async () => {
    scene = await Scene.start(policy(EVERYTHING))
    pod = await Pod.start()
    await pod.introduce(scene.server)
  })
  afterAll(async () => {
    await scene.close()
    await pod.close()
  })

  const map = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'one' }, data: { a: '1' } }
  const maps = { resource: 'configmaps', namespace: 'default', apiVersion: 'v1' }
  const one = { ...maps, name: 'one' }
  interface Row extends Message {
    readonly name: string
    readonly verb: string
    readonly stages?: readonly string[]
    /** Members of the last event; those that are undefined are absent. */
    readonly last: Readonly<Record<string, unknown>>
  }
  const rows: readonly Row[] = [
    {
      name: 'a create',
      method: 'POST',
      path: `${MAPS}?fieldManager=x`,
      headers: JSON_TYPE,
      body: JSON.stringify(map, null, 2),
      verb: 'create',
      last: {
        objectRef: one,
        responseStatus: { metadata: {}, code: 201 },
        requestObject: map,
        responseObject: expect.objectContaining({ kind: 'ConfigMap', data: { a: '1' } }),
        annotations: ALLOWED,
      },
    },
    {
      name: 'an update with a version and a uid',
      method: 'PUT',
      path: `${MAPS}/one`,
      headers: JSON_TYPE,
      body: JSON.stringify({ ...map, metadata: { name: 'one', uid: 'u', resourceVersion: '1' } }),
      verb: 'update',
      last: {
        objectRef: { ...one, uid: 'u', resourceVersion: '1' },
        responseStatus: expect.objectContaining({ code: 409, reason: 'Conflict' }),
      },
    },
    {
      name: 'a patch',
      method: 'PATCH',
      path: `${MAPS}/one`,
      headers: { 'content-type': 'application/merge-patch+json' },
      body: '{"data": {"b": "2"}}',
      verb: 'patch',
      last: {
        objectRef: one,
        requestObject: { data: { b: '2' } },
        responseStatus: { metadata: {}, code: 200 },
      },
    },
    ...(
      [
        ['JSON', JSON.stringify({ ...map, data: { c: '3' } })],
        ['YAML', 'kind: ConfigMap\napiVersion: v1\nmetadata: {name: one}\ndata:\n  c: "3"\n'],
      ] as const
    ).map(([form, body]) => ({
      name: `an apply in ${form}`,
      method: 'PATCH',
      path: `${MAPS}/one?fieldManager=a`,
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body,
      verb: 'patch',
      last: {
        objectRef: one,
        requestObject: { ...map, data: { c: '3' } },
        responseStatus: { metadata: {}, code: 200 },
        responseObject: expect.objectContaining({ kind: 'ConfigMap' }),
      },
    })),
    {
      name: 'a refused apply',
      method: 'PATCH',
      path: `${MAPS}/one?fieldManager=b`,
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: JSON.stringify({ ...map, data: { c: '4' } }),
      verb: 'patch',
      last: {
        objectRef: one,
        requestObject: { ...map, data: { c: '4' } },
        responseStatus: expect.objectContaining({ code: 409, reason: 'Conflict' }),
      },
    },
    {
      name: 'an apply that is no YAML',
      method: 'PATCH',
      path: `${MAPS}/one?fieldManager=b`,
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: 'a: [',
      verb: 'patch',
      last: {
        objectRef: one,
        requestObject: undefined,
        responseStatus: expect.objectContaining({ code: 400, reason: 'BadRequest' }),
      },
    },
    {
      name: 'a strategic merge patch',
      method: 'PATCH',
      path: `${MAPS}/one`,
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
      body: '{"data": {"b": null}}',
      verb: 'patch',
      last: {
        objectRef: one,
        requestObject: { data: { b: null } },
        responseStatus: { metadata: {}, code: 200 },
      },
    },
    {
      name: 'a JSON patch',
      method: 'PATCH',
      path: `${MAPS}/one`,
      headers: { 'content-type': 'application/json-patch+json' },
      body: '[{"op": "add", "path": "/data/d", "value": "4"}]',
      verb: 'patch',
      last: {
        objectRef: one,
        requestObject: [{ op: 'add', path: '/data/d', value: '4' }],
        responseStatus: { metadata: {}, code: 200 },
      },
    },
    {
      name: 'a get',
      method: 'GET',
      path: `${MAPS}/one`,
      headers: { 'user-agent': 'u'.repeat(1100), 'x-forwarded-for': '192.0.2.1' },
      verb: 'get',
      last: {
        objectRef: one,
        userAgent: `${'u'.repeat(1024)}...TRUNCATED`,
        sourceIPs: ['192.0.2.1', '127.0.0.1'],
        requestObject: undefined,
        responseObject: expect.objectContaining({ kind: 'ConfigMap' }),
      },
    },
    {
      name: 'a get of what is absent',
      method: 'GET',
      path: `${MAPS}/two`,
      verb: 'get',
      last: {
        objectRef: { ...maps, name: 'two' },
        responseStatus: { metadata: {}, ...notFound('two') },
        responseObject: { kind: 'Status', apiVersion: 'v1', metadata: {}, ...notFound('two') },
      },
    },
    {
      name: 'a list',
      method: 'GET',
      path: MAPS,
      verb: 'list',
      last: { objectRef: maps, responseObject: expect.objectContaining({ kind: 'ConfigMapList' }) },
    },
    {
      name: 'a malformed body is no part of the event',
      method: 'POST',
      path: MAPS,
      headers: JSON_TYPE,
      body: '{"kind":"ConfigMap"},"user":{"username":"forged"}',
      verb: 'create',
      last: {
        objectRef: maps,
        user: ADMIN,
        requestObject: undefined,
        responseStatus: expect.objectContaining({ code: 400 }),
      },
    },
    {
      name: 'an impersonated user',
      method: 'GET',
      path: `${MAPS}/one`,
      headers: { 'impersonate-user': 'jane', 'impersonate-group': 'devs' },
      verb: 'get',
      last: {
        user: ADMIN,
        impersonatedUser: { username: 'jane', groups: ['devs', 'system:authenticated'] },
        responseStatus: expect.objectContaining({ code: 403, reason: 'Forbidden' }),
        annotations: {
          'authorization.k8s.io/decision': 'forbid',
          'authorization.k8s.io/reason': expect.any(String),
        },
      },
    },
    {
      name: 'a deprecated version',
      method: 'GET',
      path: '/apis/batch/v1beta1/namespaces/default/cronjobs',
      verb: 'list',
      last: {
        objectRef: {
          resource: 'cronjobs',
          namespace: 'default',
          apiGroup: 'batch',
          apiVersion: 'v1beta1',
        },
      },
    },
    {
      name: 'a path',
      method: 'GET',
      path: '/version?x=%20',
      verb: 'get',
      last: { objectRef: undefined, responseStatus: { metadata: {}, code: 200 } },
    },
    {
      name: 'a proxied request',
      method: 'GET',
      path: `${NS}/pods/one/proxy/whole`,
      verb: 'get',
      stages: ['RequestReceived', 'ResponseStarted', 'ResponseComplete'],
      last: {
        objectRef: { ...maps, resource: 'pods', name: 'one', subresource: 'proxy' },
        responseStatus: { metadata: {}, code: 200 },
      },
    },
    {
      name: 'a delete without a body',
      method: 'DELETE',
      path: `${MAPS}/one`,
      verb: 'delete',
      last: {
        objectRef: one,
        requestObject: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal' },
        responseStatus: {
          metadata: {},
          status: 'Success',
          details: expect.objectContaining({ name: 'one', kind: 'configmaps' }),
          code: 200,
        },
      },
    },
    {
      name: 'a deletecollection',
      method: 'DELETE',
      path: `${MAPS}?labelSelector=a%3Db`,
      headers: JSON_TYPE,
      body: '{"kind":"DeleteOptions","apiVersion":"v1"}',
      verb: 'deletecollection',
      last: {
        objectRef: maps,
        requestObject: { kind: 'DeleteOptions', apiVersion: 'v1' },
        responseObject: expect.objectContaining({ kind: 'ConfigMapList' }),
      },
    },
    {
      name: 'an unreadable timeout',
      method: 'GET',
      path: `${MAPS}?timeout=x`,
      verb: 'list',
      stages: ['ResponseStarted'],
      last: {
        user: {},
        annotations: undefined,
        responseStatus: expect.objectContaining({ code: 400, reason: 'BadRequest' }),
      },
    },
  ]
  for (const protocol of protocols) {
    for (const row of rows) {
      const { name, verb, last, stages = ['RequestReceived', 'ResponseComplete'] } = row
      test(`${protocol.name}: ${name}`, async () => {
        const id = newId()
        const sent = await protocol.send(scene.server, {
          ...row,
          headers: { ...row.headers, 'audit-id': id },
        })
        await sent.answered()
        const events = await scene.of(id, stages.at(-1))
        sent.close()
        expect(events.map(({ stage }) => stage as string)).toEqual(stages)
        const event = events.at(-1)
        expect(event).toMatchObject({
          kind: 'Event',
          apiVersion: 'audit.k8s.io/v1',
          level: 'RequestResponse',
          requestURI: row.path,
          verb,
          sourceIPs: expect.arrayContaining(['127.0.0.1']),
          requestReceivedTimestamp: expect.stringMatching(TIME),
          stageTimestamp: expect.stringMatching(TIME),
        })
        for (const [member, value] of Object.entries(last)) {
          expect([member, event[member]]).toEqual([member, value])
        }
        if (events.length > 1) {
          expect(events[0]).toMatchObject({ user: ADMIN })
          for (const absent of [
            'impersonatedUser',
            'responseStatus',
            'requestObject',
            'annotations',
          ])
            expect(events[0]).not.toHaveProperty(absent)
        }
      })
    }

    test(`${protocol.name}: an invalid credential`, async () => {
      const id = newId()
      const sent = await protocol.send(scene.server, {
        method: 'GET',
        path: `${MAPS}/one`,
        headers: { authorization: 'Bearer not-a-token', 'audit-id': id },
        isAnonymous: true,
      })
      expect(await sent.answered()).toBe(401)
      const events = await scene.of(id, 'ResponseStarted')
      sent.close()
      expect(events).toHaveLength(1)
      expect(events[0]).toMatchObject({
        stage: 'ResponseStarted',
        user: {},
        objectRef: one,
        responseStatus: {
          metadata: {},
          status: 'Failure',
          message: 'Unauthorized',
          reason: 'Unauthorized',
          code: 401,
        },
      })
      expect(events[0]).not.toHaveProperty('annotations')
      expect(readFileSync(scene.path, 'utf8')).not.toContain('not-a-token')
    })

    test(`${protocol.name}: a watch that the client ends`, async () => {
      const id = newId()
      const sent = await protocol.send(scene.server, {
        method: 'GET',
        path: `${MAPS}?watch=1`,
        headers: { 'audit-id': id },
      })
      await sent.begun()
      const begun = await scene.of(id, 'ResponseStarted')
      expect(begun.map(({ stage }) => stage as string)).toEqual([
        'RequestReceived',
        'ResponseStarted',
      ])
      sent.ends['the connection is reset']!()
      const events = await scene.of(id)
      expect(events[2]).toMatchObject({
        verb: 'watch',
        stage: 'ResponseComplete',
        responseStatus: { metadata: {}, code: 200 },
        annotations: expect.objectContaining(ALLOWED),
      })
    })

    test(`${protocol.name}: a client that leaves before the response`, async () => {
      const id = newId()
      const sent = await protocol.send(scene.server, {
        method: 'GET',
        path: `${NS}/pods/one/proxy/hang`,
        headers: { 'audit-id': id },
      })
      await scene.of(id, 'RequestReceived')
      sent.ends['the connection is reset']!()
      const events = await scene.of(id)
      expect(events.map(({ stage }) => stage as string)).toEqual([
        'RequestReceived',
        'ResponseStarted',
        'ResponseComplete',
      ])
    })
  }

  test('the reason of a role, pod security and warnings of versions are annotations', async () => {
    const id = newId()
    const headers = { 'audit-id': id }
    await scene.client.post(`${NS}/pods`, podNamed('audited'), { headers })
    const events = await scene.of(id)
    expect(events.at(-1).annotations).toEqual({
      ...ALLOWED,
      'pod-security.kubernetes.io/enforce-policy': 'privileged:latest',
    })
    const old = newId()
    await scene.client.get('/apis/policy/v1beta1/poddisruptionbudgets', {
      headers: { 'audit-id': old },
    })
    const { annotations } = (await scene.of(old)).at(-1)
    // Removed in this release, or deprecated: then the record says so.
    for (const key of Object.keys(annotations)) expect(key).toMatch(/^(authorization\.)?k8s\.io\//)
  })
})

const podNamed = (name: string) => ({
  metadata: { name },
  spec: { containers: [{ name: 'main', image: 'i' }] },
})

describe('backends', () => {
  let scene: Scene
  afterEach(() => scene.close())

  test.each(['blocking', 'batch'] as const)(
    'level Metadata holds no secret, token or key, mode %s',
    async (mode) => {
      const path = join(dir, `log-${++files}`)
      scene = await Scene.start(policy({ level: 'Metadata' }), { log: { path, mode } })
      const { client } = scene
      const secret = { metadata: { name: 's' }, stringData: { password: 'very-secret' } }
      const SECRETS = `${NS}/secrets`
      await client.post(SECRETS, secret)
      await client.put(`${SECRETS}/s`, secret)
      await client.merge(`${SECRETS}/s`, secret)
      // The same line again and again is made from one that is kept.
      for (let i = 0; i < 3; i++) await client.get(`${SECRETS}/s`)
      await client.get(SECRETS)
      await client.post(SECRETS, { metadata: { name: 't' }, data: { a: 'very-secret' } })
      await client.post(SECRETS, {
        metadata: { name: 't' },
        type: 'kubernetes.io/tls',
        data: { 'tls.key': 'dmVyeS1zZWNyZXQ=' },
      })
      const malformed = await client.ask('POST', SECRETS, {
        raw: '{"data":{"a":"very-secret"',
      })
      expect([malformed.status, malformed.text]).toEqual([
        400,
        expect.stringContaining('very-secret'),
      ])
      await client.post(`${NS}/serviceaccounts`, { metadata: { name: 'robot' } })
      const made = await client.post(`${NS}/serviceaccounts/robot/token`, { spec: {} })
      const token = made.body.status.token as string
      const robot = new Client(scene.server, { token })
      await robot.get(SECRETS)
      const review = { spec: { token } }
      await client.post('/apis/authentication.k8s.io/v1/tokenreviews', review)
      const id = newId()
      await robot.get('/version', { headers: { 'audit-id': id } })
      robot.close()
      await scene.close()
      const text = readFileSync(path, 'utf8')
      const events = text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Event)
      const stages = events
        .filter(({ auditID }) => auditID === id)
        .map(({ stage }) => stage as string)
      expect(stages).toEqual(['RequestReceived', 'ResponseComplete'])
      expect(text.split('\n').length).toBeGreaterThan(20)
      for (const hidden of [
        'very-secret',
        'dmVyeS1zZWNyZXQ',
        token,
        token.split('.')[2]!,
        'PRIVATE KEY',
      ])
        expect(text).not.toContain(hidden)
      expect(text).not.toMatch(/"(request|response)Object"/)
      expect(text).toContain('"username":"system:serviceaccount:default:robot"')
    },
  )

  test('rules choose, stages and managed fields are omitted', async () => {
    const rules = [
      { level: 'None', resources: [{ resources: ['secrets'] }] },
      { level: 'Request', verbs: ['create'], omitManagedFields: true },
      {
        level: 'RequestResponse',
        verbs: ['get'],
        omitManagedFields: true,
        omitStages: ['RequestReceived'],
      },
    ]
    scene = await Scene.start(policy(...rules))
    const { client } = scene
    await client.get(`${NS}/secrets`)
    await client.get(MAPS)
    const body = {
      metadata: {
        name: 'x',
        managedFields: [
          {
            manager: 'm',
            operation: 'Update',
            apiVersion: 'v1',
            fieldsType: 'FieldsV1',
            fieldsV1: {},
          },
        ],
      },
    }
    await client.post(MAPS, body)
    const id = newId()
    await client.get(`${MAPS}/x`, { headers: { 'audit-id': id } })
    await scene.of(id)
    const events = scene.events()
    expect(events.map(({ stage, verb, level }) => [stage, verb, level])).toEqual([
      ['RequestReceived', 'create', 'Request'],
      ['ResponseComplete', 'create', 'Request'],
      ['ResponseComplete', 'get', 'RequestResponse'],
    ])
    expect(events[1].requestObject).toEqual({ metadata: { name: 'x' } })
    expect(events[1]).not.toHaveProperty('responseObject')
    expect(events[2].responseObject.metadata).toEqual(
      expect.not.objectContaining({ managedFields: expect.anything() }),
    )
  })

  test('large events lose their objects, larger ones are lost', async () => {
    const truncate = { enabled: true, maxEventBytes: 2000, maxBatchBytes: 2000 }
    const path = join(dir, `log-${++files}`)
    scene = await Scene.start(policy(NOT_OWN, EVERYTHING), { log: { path, truncate } })
    const { client } = scene
    const id = newId()
    const body = { metadata: { name: 'x' }, data: { a: 'a'.repeat(3000) } }
    await client.post(MAPS, body, { headers: { 'audit-id': id } })
    const huge = `${MAPS}?x=${'x'.repeat(3000)}`
    await client.get(huge)
    const [, event] = readFileSync(path, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Event)
    expect(event).toMatchObject({
      auditID: id,
      annotations: { ...ALLOWED, 'audit.k8s.io/truncated': 'true' },
    })
    expect(event).not.toHaveProperty('requestObject')
    expect(event).not.toHaveProperty('responseObject')
    expect(readFileSync(path, 'utf8')).not.toContain('xxxx')
    expect(scene.lines.join('')).toContain('the event is too large')
  })

  for (const mode of ['blocking', 'batch'] as const) {
    test(`a panic, in mode ${mode}`, async () => {
      const path = join(dir, `log-${++files}`)
      const failing = {
        name: 'Failing',
        defaultOn: true,
        create: () => ({
          handles: () => true,
          resources: [{ group: '', resource: 'configmaps' }],
          validate() {
            throw new Error('no luck')
          },
        }),
      }
      scene = await Scene.start(
        policy(NOT_OWN, { level: 'Metadata', resources: [{ resources: ['configmaps'] }] }),
        { log: { path, mode } },
        { admission: [failing] },
      )
      const made = await scene.client.post(MAPS, { metadata: { name: 'x' } })
      expect(made.status).toBe(500)
      await scene.close()
      const events = readFileSync(path, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Event)
      expect(events.map(({ stage }) => stage as string)).toEqual(['RequestReceived', 'Panic'])
      expect(events[1].responseStatus).toEqual({
        metadata: {},
        status: 'Failure',
        message: "APIServer panic'd: no luck",
        reason: 'InternalError',
        code: 500,
      })
    })
  }

  test('the legacy format', async () => {
    const path = join(dir, `log-${++files}`)
    scene = await Scene.start(policy(NOT_OWN, EVERYTHING), { log: { path, format: 'legacy' } })
    const headers = { 'audit-id': 'an-id', 'user-agent': 'me "x"', 'impersonate-user': 'jane' }
    await scene.client.get(`${MAPS}/x`, { headers })
    expect(readFileSync(path, 'utf8').replaceAll(/^\S+/gm, 'TIME').split('\n')).toEqual([
      String.raw`TIME AUDIT: id="an-id" stage="RequestReceived" ip="127.0.0.1" method="get" user="kubernetes-admin" groups="\"system:masters\",\"system:authenticated\"" as="<self>" asgroups="<lookup>" user-agent="me \"x\"" namespace="default" uri="/api/v1/namespaces/default/configmaps/x" response="<deferred>"`,
      String.raw`TIME AUDIT: id="an-id" stage="ResponseComplete" ip="127.0.0.1" method="get" user="kubernetes-admin" groups="\"system:masters\",\"system:authenticated\"" as="jane" asgroups="\"system:authenticated\"" user-agent="me \"x\"" namespace="default" uri="/api/v1/namespaces/default/configmaps/x" response="403"`,
      '',
    ])
  })

  test('batches of the log are written when the server ends', async () => {
    const path = join(dir, `log-${++files}`)
    const batch = { maxSize: 1000, maxWaitMs: 3_600_000 }
    scene = await Scene.start(policy(NOT_OWN, EVERYTHING), { log: { path, mode: 'batch', batch } })
    await scene.client.get(MAPS)
    expect(readFileSync(path, 'utf8')).toBe('')
    await scene.close()
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(3)
  })
})

describe('the webhook', () => {
  let service: RemoteService
  let scene: Scene | null = null
  beforeAll(async () => {
    service = await remoteService()
  })
  afterAll(() => service.close())
  afterEach(async () => {
    await scene?.close()
    scene = null
    service.requests.length = 0
  })

  function config(url = service.url): string {
    const { cert, key } = service.clientCertificate('auditor')
    const data = (text: string) => Buffer.from(text).toString('base64')
    return file(
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'a', user: 'u' } }],
        clusters: [
          { name: 'a', cluster: { server: url, 'certificate-authority-data': data(service.ca) } },
        ],
        users: [
          {
            name: 'u',
            user: { 'client-certificate-data': data(cert), 'client-key-data': data(key) },
          },
        ],
      }),
    )
  }
  type Webhook = NonNullable<NonNullable<ServerOptions['audit']>['webhook']>
  const start = async (webhook: Partial<Webhook> = {}, url?: string) => {
    const configFile = config(url)
    scene = await Scene.start(
      policy(NOT_OWN, { level: 'Metadata', resources: [{ resources: ['configmaps'] }] }),
      { webhook: { configFile, ...webhook } },
    )
    return scene
  }
  const received = () => service.requests.flatMap(({ body }) => (body as { items: Event[] }).items)
  const until = async (is: () => boolean) => {
    while (!is()) await new Promise<void>((resolve) => (service.onRequest = resolve))
  }

  test('gets batches', async () => {
    service.replies = [{ code: 200 }]
    const { client } = await start({ batch: { maxSize: 4, maxWaitMs: 3_600_000 } })
    await client.get(MAPS)
    await client.get(`${MAPS}/x`)
    await until(() => service.requests.length > 0)
    const [{ line, headers, client: shown, body }] = service.requests as [
      (typeof service.requests)[number],
    ]
    expect([line, headers['content-type'], shown]).toEqual([
      'POST /review?timeout=30s',
      'application/json',
      'auditor',
    ])
    expect(body).toEqual({
      kind: 'EventList',
      apiVersion: 'audit.k8s.io/v1',
      metadata: {},
      items: [
        expect.objectContaining({ stage: 'RequestReceived', verb: 'list' }),
        expect.objectContaining({ stage: 'ResponseComplete', verb: 'list' }),
        expect.objectContaining({ stage: 'RequestReceived', verb: 'get' }),
        expect.objectContaining({ stage: 'ResponseComplete', verb: 'get' }),
      ],
    })
    expect((body as { items: Event[] }).items[0]).not.toHaveProperty('kind')
    const host = new URL(service.url).host
    await expect
      .poll(async () => (await client.ask('GET', '/metrics')).text)
      .toContain(`\nrest_client_requests_total{code="200",host="${host}",method="POST"} 1\n`)
  })

  test('is tried again, whatever went wrong', async () => {
    service.replies = [{ code: 503 }, 'reset', { code: 404 }, { code: 200 }]
    const batch = { maxSize: 2, maxWaitMs: 0 }
    const { client } = await start({ initialBackoffMs: 1, batch })
    await client.get(MAPS)
    await until(() => received().length >= 8)
    const events = received().map(({ stage }) => stage as string)
    expect(events).toEqual(
      Array.from({ length: 4 }, () => ['RequestReceived', 'ResponseComplete']).flat(),
    )
  })

  test('that is down delays no requests in mode batch, and its end is quick', async () => {
    service.replies = [{ code: 500 }]
    const batch = { bufferSize: 3, maxSize: 1, maxWaitMs: 0 }
    const made = await start({ initialBackoffMs: 3_600_000, batch })
    for (let i = 0; i < 10; i++) expect((await made.client.get(MAPS)).status).toBe(200)
    // Drops are counted.
    const { text } = await made.client.ask('GET', '/metrics')
    expect(text).toMatch(/^apiserver_audit_error_total\{plugin="webhook"\} [1-9]/m)
    await made.close()
    scene = null
    expect(made.lines.join('')).toMatch(/audit events were lost.*webhook/)
  })

  test('delays requests in mode blocking', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    let arrive = () => {}
    const arrived = new Promise<void>((resolve) => (arrive = resolve))
    service.replies = [
      { code: 200 },
      async () => {
        arrive()
        await held
        return { code: 200 }
      },
    ]
    const { client } = await start({ mode: 'blocking' })
    let isAnswered = false
    const answer = client.get(MAPS).then((got) => {
      isAnswered = true
      return got
    })
    await arrived
    expect(isAnswered).toBe(false)
    release()
    expect((await answer).status).toBe(200)
    expect(received().map(({ stage }) => stage as string)).toEqual([
      'RequestReceived',
      'ResponseComplete',
    ])
  })

  test('that is down is ignored in mode blocking', async () => {
    service.replies = [{ code: 500 }]
    const { client } = await start({ mode: 'blocking', initialBackoffMs: 1 })
    expect((await client.get(MAPS)).status).toBe(200)
    expect(received()).toHaveLength(10)
  })

  test('that is down stops requests in mode blocking-strict', async () => {
    service.replies = [{ code: 500 }]
    const { client } = await start({ mode: 'blocking-strict', initialBackoffMs: 1 })
    const refused = await client.post(MAPS, { metadata: { name: 'x' } })
    expect([refused.status, refused.text]).toEqual([
      500,
      `Internal Server Error: &#34;${MAPS}&#34;: failed to store audit event\n`.replaceAll(
        '&#34;',
        '"',
      ),
    ])
    expect(received()).toHaveLength(5)
    expect((await client.get('/version')).status).toBe(200)
    service.replies = [{ code: 200 }]
    expect((await client.get(`${MAPS}/x`)).status).toBe(404)
  })
})

test('a request to an extension server is recorded without its objects', async () => {
  const scene = await Scene.start(policy(EVERYTHING), {}, { controllers: true })
  const { client } = scene
  const published = await publishedOf(client)
  const backend = await ExtensionServer.start(published['requestheader-client-ca-file']!)
  try {
    await client.post('/api/v1/namespaces/default/services', localService('ext'))
    const service = { namespace: 'default', name: 'ext', port: backend.port }
    const caBundle = Buffer.from(extensionCa).toString('base64')
    await client.post(APISERVICES, apiService('ext.example.com/v1', { service, caBundle }))
    await conditionOf(client, 'v1.ext.example.com', ({ status }) => status === 'True')
    const id = newId()
    const path = '/apis/ext.example.com/v1/namespaces/a/widgets/w'
    const answer = await client.put(path, { a: 1 }, { headers: { 'audit-id': id } })
    expect(answer.body.kind).toBe('Echo')
    const [, event] = await scene.of(id)
    expect(event).toMatchObject({
      verb: 'update',
      objectRef: {
        resource: 'widgets',
        namespace: 'a',
        name: 'w',
        apiGroup: 'ext.example.com',
        apiVersion: 'v1',
      },
      responseStatus: { metadata: {}, code: 200 },
      annotations: ALLOWED,
    })
  } finally {
    await backend.close()
    await scene.close()
  }
})

test('slow requests say where their time went', async () => {
  const clock = new ManualClock(Date.now())
  const path = join(dir, `log-${++files}`)
  const slow = await webhookScene({
    vocabulary: 'kubernetes',
    controllers: false,
    clock,
    audit: { policyFile: policy({ level: 'Metadata' }), log: { path } },
  })
  try {
    let delayMs = 600
    slow.webhooks.reply = ({ review }) => {
      clock.advance(delayMs)
      return allow(review)
    }
    await slow.configure('mutating', 'm', { name: 'm.example.com' })
    const timesOf = async (name: string) => {
      const id = newId()
      await slow.client.post(MAPS, { metadata: { name } }, { headers: { 'audit-id': id } })
      const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
      const events = lines.map((line) => JSON.parse(line) as Event)
      const { annotations } = events.findLast(({ auditID }) => auditID === id)
      return Object.fromEntries(
        Object.entries(annotations).filter(([key]) => key.startsWith('apiserver.latency')),
      )
    }
    const time = expect.stringMatching(/^[\d.]+(µs|ms|s)$/)
    const mutating = { 'apiserver.latency.k8s.io/mutating-webhook': time }
    const made = {
      'apiserver.latency.k8s.io/etcd': time,
      'apiserver.latency.k8s.io/serialize-response-object': time,
      'apiserver.latency.k8s.io/total': '600ms',
    }
    expect(await timesOf('one')).toEqual({ ...mutating, ...made })
    delayMs = 500
    expect(await timesOf('two')).toEqual({})
    await slow.client.delete(slow.path('mutating', 'm'))
    await slow.configure('validating', 'v', { name: 'v.example.com' })
    delayMs = 600
    expect(await timesOf('three')).toEqual({
      'apiserver.latency.k8s.io/validating-webhook': time,
      ...made,
    })
  } finally {
    await slow.close()
  }
})

describe('requests of clients in the process', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await Scene.start(policy(EVERYTHING), {}, { controllers: true })
  })
  afterAll(() => scene.close())

  /** The events that a piece of work adds. */
  const during = async (work: () => Promise<unknown>): Promise<Event[]> => {
    const before = scene.events().length
    await work()
    return scene.events().slice(before)
  }
  const ROBOT = 'system:serviceaccount:kube-system:service-account-controller'

  test('controllers are recorded with their own users', async () => {
    const events = await during(async () => {
      await scene.client.post('/api/v1/namespaces', { metadata: { name: 'audited' } })
      await scene.server.settled()
    })
    const [received, done, ...more] = events.filter(({ user }) => user.username === ROBOT)
    expect(more).toEqual([])
    expect(received).toMatchObject({ stage: 'RequestReceived', auditID: done.auditID })
    expect(received).not.toHaveProperty('requestObject')
    expect(done).toEqual({
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'RequestResponse',
      auditID: expect.stringMatching(/^[\da-f-]{36}$/),
      stage: 'ResponseComplete',
      requestURI: '/api/v1/namespaces/audited/serviceaccounts',
      verb: 'create',
      user: {
        username: ROBOT,
        groups: [
          'system:serviceaccounts',
          'system:serviceaccounts:kube-system',
          'system:authenticated',
        ],
      },
      sourceIPs: ['127.0.0.1'],
      userAgent: 'kube-controller-manager',
      objectRef: {
        resource: 'serviceaccounts',
        namespace: 'audited',
        name: 'default',
        apiVersion: 'v1',
      },
      responseStatus: { metadata: {}, code: 201 },
      requestObject: { metadata: { name: 'default' } },
      responseObject: expect.objectContaining({
        kind: 'ServiceAccount',
        metadata: expect.objectContaining({ name: 'default', uid: expect.any(String) }),
      }),
      requestReceivedTimestamp: expect.stringMatching(TIME),
      stageTimestamp: expect.stringMatching(TIME),
      annotations: {
        'authorization.k8s.io/decision': 'allow',
        'authorization.k8s.io/reason': expect.stringContaining('service-account-controller'),
      },
    })
    expect(events.filter(({ verb }) => verb === 'watch')).toEqual([])
  })

  test('informers are watches', () => {
    const began = scene.events().filter(({ verb }) => verb === 'watch')
    expect(began.map(({ stage }) => stage as string)).toEqual(
      expect.arrayContaining(['RequestReceived', 'ResponseStarted']),
    )
    expect(began.find(({ objectRef }) => objectRef.resource === 'namespaces')).toMatchObject({
      requestURI: '/api/v1/namespaces?watch=true',
      user: { username: 'system:kube-controller-manager' },
    })
  })

  test('refusals, impersonation and absent objects', async () => {
    const jane = await scene.server.client({
      user: { name: 'jane' },
      userAgent: 'mine',
      retries: 0,
    })
    const asJane = await scene.server.client({
      impersonate: { user: 'jane', uid: '', groups: [], extra: [] },
      retries: 0,
    })
    const admin = await scene.server.client({ retries: 0 })
    const forbid = {
      'authorization.k8s.io/decision': 'forbid',
      'authorization.k8s.io/reason': expect.any(String),
    }
    const user = { username: 'jane', groups: ['system:authenticated'] }
    const refused = { responseStatus: expect.objectContaining({ code: 403 }), annotations: forbid }
    for (const { client, last } of [
      { client: jane, last: { user, userAgent: 'mine', ...refused } },
      { client: asJane, last: { user: ADMIN, impersonatedUser: user, ...refused } },
      {
        client: admin,
        last: {
          user: ADMIN,
          userAgent: 'kubernetes-client',
          annotations: ALLOWED,
          responseStatus: { metadata: {}, ...notFound('x') },
        },
      },
    ]) {
      const events = await during(() =>
        client
          .resource('v1', 'configmaps')
          .in('default')
          .get('x')
          .catch(() => {}),
      )
      expect(events.map(({ stage }) => stage as string)).toEqual([
        'RequestReceived',
        'ResponseComplete',
      ])
      expect(events[1]).toMatchObject({ requestURI: `${MAPS}/x`, verb: 'get', ...last })
      client.close()
    }
  })
})

describe('what the server writes itself', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await Scene.start(policy(EVERYTHING))
  })
  afterAll(() => scene.close())
  const own = () => scene.all().filter((event) => !isOfClient(event))
  const done = (found: (event: Event) => boolean) =>
    own().find((event) => event.stage === 'ResponseComplete' && found(event))

  test('is recorded as requests of its user, from the first objects on', () => {
    expect(done(({ objectRef }) => objectRef.name === 'kube-public')).toEqual({
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'RequestResponse',
      auditID: expect.stringMatching(/^[\da-f-]{36}$/),
      stage: 'ResponseComplete',
      requestURI: '/api/v1/namespaces',
      verb: 'create',
      user: { username: 'system:apiserver', groups: ['system:masters'] },
      sourceIPs: ['127.0.0.1'],
      userAgent: 'kube-apiserver',
      objectRef: { resource: 'namespaces', name: 'kube-public', apiVersion: 'v1' },
      responseStatus: { metadata: {}, code: 201 },
      requestObject: { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'kube-public' } },
      responseObject: expect.objectContaining({
        kind: 'Namespace',
        metadata: expect.objectContaining({ uid: expect.any(String) }),
      }),
      requestReceivedTimestamp: expect.stringMatching(TIME),
      stageTimestamp: expect.stringMatching(TIME),
      annotations: ALLOWED,
    })
    const kinds = new Set(own().map(({ objectRef }) => objectRef.resource as string))
    expect([...kinds].sort()).toEqual([
      'apiservices',
      'clusterrolebindings',
      'clusterroles',
      'configmaps',
      'endpoints',
      'endpointslices',
      'flowschemas',
      'namespaces',
      'priorityclasses',
      'prioritylevelconfigurations',
      'rolebindings',
      'roles',
      'services',
    ])
  })

  test('changes name the object and what it became', async () => {
    await scene.client.post(`${NS}/resourcequotas`, {
      metadata: { name: 'q' },
      spec: { hard: { configmaps: '5' } },
      status: { hard: { configmaps: '5' }, used: { configmaps: '0' } },
    })
    await scene.client.ask('PATCH', `${NS}/resourcequotas/q/status`, {
      body: { status: { hard: { configmaps: '5' }, used: { configmaps: '0' } } },
      headers: { 'content-type': 'application/merge-patch+json' },
    })
    await scene.client.post(MAPS, { metadata: { name: 'counted' } })
    const change = done(({ objectRef }) => objectRef.resource === 'resourcequotas')
    expect(change).toMatchObject({
      requestURI: `${NS}/resourcequotas/q/status`,
      verb: 'update',
      objectRef: {
        resource: 'resourcequotas',
        namespace: 'default',
        name: 'q',
        subresource: 'status',
      },
      responseStatus: { metadata: {}, code: 200 },
      requestObject: { status: { used: { configmaps: '1' } } },
    })
  })

  test('bindings of pods are a part of their request', async () => {
    await scene.client.post('/api/v1/nodes', { metadata: { name: 'n' } })
    await scene.client.post(`${NS}/pods`, {
      metadata: { name: 'bound' },
      spec: { containers: [{ name: 'c', image: 'x' }] },
    })
    const target = { apiVersion: 'v1', kind: 'Node', name: 'n' }
    await scene.client.post(`${NS}/pods/bound/binding`, { metadata: { name: 'bound' }, target })
    expect(own().filter(({ objectRef }) => objectRef.resource === 'pods')).toEqual([])
  })
})

describe('start', () => {
  const failing = async (audit: NonNullable<ServerOptions['audit']>) =>
    startServer({ vocabulary: 'kubernetes', controllers: false, audit }).then(
      async (server) => {
        await server.close()
        return 'it started'
      },
      (error: unknown) => (error as Error).message.replaceAll(dir, ''),
    )
  const empty = policy()
  const none = join(dir, 'none')
  const good = policy(EVERYTHING)
  for (const { name, audit, error } of [
    {
      name: 'a policy without rules',
      audit: { policyFile: empty },
      error: `audit.policyFile: loading audit policy file: loaded illegal policy with 0 rules: from file ${empty}`,
    },
    {
      name: 'no such policy',
      audit: { policyFile: none },
      error: `audit.policyFile: cannot read ${none}: there is no such file`,
    },
    {
      name: 'a log in the place of a folder',
      audit: { policyFile: good, log: { path: dir } },
      error: `audit.log.path: cannot open ${dir}: it is a folder`,
    },
    {
      name: 'no such webhook configuration',
      audit: { policyFile: good, webhook: { configFile: none } },
      error: expect.stringContaining('audit.webhook.configFile: '),
    },
    {
      name: 'an unknown version',
      audit: { policyFile: good, log: { path: '-', version: 'audit.k8s.io/v1beta1' } },
      error:
        'audit.log.version "audit.k8s.io/v1beta1" is unknown; allowed versions are audit.k8s.io/v1',
    },
    {
      name: 'a throttle without a rate',
      audit: { log: { path: '-', mode: 'batch', batch: { throttle: true } } },
      error: 'audit.log.batch.qps must be a positive number',
    },
    {
      name: 'batches smaller than events',
      audit: { log: { path: '-', truncate: { enabled: true, maxBatchBytes: 10 } } },
      error:
        'audit.log.truncate.maxBatchBytes must not be less than audit.log.truncate.maxEventBytes',
    },
  ] as { name: string; audit: NonNullable<ServerOptions['audit']>; error: string }[]) {
    test(name, async () => {
      const found = await failing(audit)
      expect(found).toEqual(typeof error === 'string' ? error.replaceAll(dir, '') : error)
    })
  }

  test('backends without a policy do nothing', async () => {
    const path = join(dir, 'unused')
    expect(await failing({ log: { path } })).toBe('it started')
    expect(() => readFileSync(path)).toThrow('ENOENT')
  })
})
