/** Faults, the clock, the record of requests and webhooks, sessions, and what else a test has in its hands. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Client as PlainClient } from '../../test/client.ts'
import type { Client } from '../client/client.ts'
import { CallError } from '../client/call-error.ts'
import { LeaderElector } from '../client/leader-election.ts'
import { issue } from '../pki/issue.ts'
import { StatusError } from '../meta/errors.ts'
import { builders, eventually, startTestServer, type Fault, type TestServer } from './index.ts'

const { configMap, role, roleBinding } = builders('kubernetes')

let server: TestServer
/** Over the network, without retries. */
let client: Client
beforeAll(async () => {
  server = await startTestServer({ vocabulary: 'kubernetes' })
  client = await server.connect({ retries: 0 })
}, 30_000)
afterEach(() => server.reset())
afterAll(async () => {
  client.close()
  await server.close()
})

const maps = () => client.resource('v1', 'configmaps').in('default')
const failureOf = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    return await work
  } catch (error) {
    if (error instanceof StatusError) {
      const { code, reason, message } = error
      return `${code} ${reason}: ${message}`
    }
    return error
  }
}

describe('a fault', () => {
  const create = () => maps().create(configMap('a'))
  for (const [status, expected] of [
    [400, '400 BadRequest: fault of the test'],
    [401, '401 Unauthorized: Unauthorized'],
    [403, '403 Forbidden: configmaps is forbidden: fault of the test'],
    [404, '404 NotFound: configmaps "" not found'],
    [409, '409 AlreadyExists: configmaps "" already exists'],
    [429, '429 TooManyRequests: Too many requests: please try again later'],
    [500, '500 InternalError: Internal error occurred: fault of the test'],
    [503, '503 ServiceUnavailable: the server is currently unable to handle the request'],
    [504, '504 Timeout: Timeout: request did not complete within the allotted timeout'],
    [418, '418 : fault of the test'],
  ] as const)
    test(`refuses with ${status}, once`, async () => {
      server.fail({ verb: 'create', resource: 'configmaps', status, times: 1 })
      expect(await failureOf(create())).toBe(expected)
      expect(await create()).toMatchObject({ metadata: { name: 'a' } })
    })

  test('has other words and a time to come back', async () => {
    server.fail({
      verb: 'get',
      status: 429,
      reason: 'Busy',
      message: 'not now',
      retryAfterSeconds: 7,
    })
    const error = (await maps()
      .get('a')
      .catch((thrown: unknown) => thrown)) as StatusError
    expect(error.toStatus()).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'not now',
      reason: 'Busy',
      details: { retryAfterSeconds: 7 },
      code: 429,
    })
  })

  for (const [pattern, isMet] of [
    [{ verb: 'list' }, false],
    [{ verb: ['list', 'create'] }, true],
    [{ resource: 'configmaps' }, true],
    [{ resource: 'configmaps/*' }, true],
    [{ resource: 'configmaps/status' }, false],
    [{ resource: 'configmaps.apps' }, false],
    [{ version: 'v1', namespace: 'default' }, true],
    [{ namespace: 'kube-system' }, false],
    [{ user: 'orch-admin' }, false],
    [{ user: 'kubernetes-admin' }, true],
    [{ userGroup: 'system:masters' }, true],
    [{ userAgent: 'orch-client' }, true],
    [{ path: '/api/v1/*' }, true],
    [{ path: '/api/v1' }, false],
  ] as const)
    test(`meets requests with ${JSON.stringify(pattern)}: ${isMet}`, async () => {
      const fault = server.fail({ ...pattern, status: 500 })
      expect(await failureOf(create())).toEqual(isMet ? expect.any(String) : expect.any(Object))
      expect(fault.hits).toBe(isMet ? 1 : 0)
    })

  test('lets requests pass before, and ends', async () => {
    const fault = server.fail({ verb: 'list', status: 500, skip: 1 })
    const codes: unknown[] = []
    for (let i = 0; i < 3; i++) {
      if (i === 2) fault.remove()
      codes.push(
        await maps()
          .list()
          .then(
            () => 200,
            (error: StatusError) => error.code,
          ),
      )
    }
    expect(codes).toEqual([200, 500, 200])
  })

  test('drops the connection before a write or after it', async () => {
    server.fail({ verb: 'create', drop: 'before', times: 1 })
    expect(await failureOf(create())).toBeInstanceOf(CallError)
    expect(await maps().find('a')).toBeNull()
    server.fail({ verb: 'create', drop: 'after', times: 1 })
    expect(await failureOf(create())).toBeInstanceOf(CallError)
    expect(await maps().find('a')).not.toBeNull()
    server.requests.expect({ verb: 'create', name: '' }, { times: 2 })
  })

  test('drops connections of HTTP/1.1 as well', async () => {
    const plain = new PlainClient(server)
    const path = '/api/v1/namespaces/default/configmaps'
    for (const drop of ['before', 'after'] as const) {
      server.fail({ verb: 'create', drop, times: 1 })
      await expect(plain.post(path, configMap('a'))).rejects.toThrow('socket hang up')
    }
    const watch = await plain.watch(`${path}?watch=1&resourceVersion=0`)
    expect((await watch.next())?.type).toBe('ADDED')
    expect(server.dropWatches()).toBe(1)
    while (await watch.next());
    expect(watch.answer.complete).toBe(false)
    plain.close()
    server.requests.expect({ verb: 'create', resource: 'configmaps' }, { times: 2 })
  })

  test('lets another writer be faster', async () => {
    const map = await create()
    server.fail({ verb: 'update', resource: 'configmaps', race: true, times: 1 })
    expect(await failureOf(maps().update({ ...map, data: { a: 'b' } }))).toBe(
      '409 Conflict: Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    )
    server.fail({
      verb: 'get',
      race: (other) => other.resource('v1', 'configmaps').in('default').delete('a'),
    })
    expect(await failureOf(maps().get('a'))).toBe('404 NotFound: configmaps "a" not found')
  })

  test('holds requests until it lets go, or for a time of the clock', async () => {
    const held = server.fail({ verb: 'create', hold: true })
    let isDone = false
    const creating = create().then(() => (isDone = true))
    await held.hit
    expect([isDone, await maps().find('a')]).toEqual([false, null])
    held.release()
    await creating

    const delayed = server.fail({ verb: 'get', delay: '10s' })
    const getting = maps().get('a')
    await delayed.hit
    await server.clock.advance('10s')
    expect(await getting).toMatchObject({ metadata: { name: 'a' } })
  })

  for (const [fault, message] of [
    [{ verb: 'get' }, 'a fault needs one of status, drop, delay, hold, race'],
    [{ status: 200 }, 'status must be from 400 to 599, and is 200'],
    [{ drop: 'later' }, 'drop must be before or after, and is later'],
    [{ status: 500, times: 0.5 }, 'times must be a whole number, and is 0.5'],
    [{ hold: true, delay: -1 }, '-1 is no time that can pass'],
    [{ delay: 'soon' }, 'time: invalid duration "soon"'],
    [{ status: 500, verbs: 'get' }, /^a fault has no verbs \(did you mean verb\?\); it has verb, /],
  ] as const)
    test(`that is ${JSON.stringify(fault)} is refused`, () => {
      expect(() => server.fail(fault as Fault)).toThrow(message)
    })
})

describe('watches', () => {
  const EXPIRED = {
    value: {
      type: 'ERROR',
      object: { code: 410, reason: 'Expired', message: expect.stringMatching(/^too old resource/) },
    },
  }
  const watch = () => maps().watch({ resourceVersion: '0' })

  test('are dropped, and informers come back', async () => {
    const seen: string[] = []
    const informer = maps().informer()
    informer.addHandler({ add: ({ name }) => void seen.push(name) })
    await informer.start().synced()
    await server.requests.until({ verb: 'watch', resource: 'configmaps' })
    expect(server.dropWatches({ resource: 'secrets' })).toBe(0)
    expect(server.dropWatches({ resource: 'configmaps' })).toBe(1)
    await maps().create(configMap('late'))
    await server.eventually(async () => {
      // The back-off before it comes back.
      await server.clock.advance('1s')
      return seen.includes('late')
    })
    await informer.stop()
  })

  test('expire, and so does history', async () => {
    const { resourceVersion } = (await maps().list()).metadata
    await maps().create(configMap('a'))
    const events = watch()
    expect(await events.next()).toMatchObject({ value: { type: 'ADDED' } })
    expect(await events.next()).toMatchObject({ value: { type: 'ADDED' } })
    const next = failureOf(events.next())
    server.expireWatches('secrets')
    server.expireWatches('configmaps')
    expect(await next).toMatchObject(EXPIRED)
    expect(() => server.expireWatches('nothings')).toThrow('the server has no resource nothings')

    await server.expireHistory()
    const old = maps().watch({ resourceVersion: resourceVersion! })
    expect(await old.next()).toMatchObject(EXPIRED)
  })

  test('are refused at the start', async () => {
    server.fail({ verb: 'watch', status: 410, times: 1 })
    expect(await failureOf(watch().next())).toMatch(/^410 Expired: too old resource version/)
  })
})

describe('the record', () => {
  test('says who asked for what, and why that was allowed or refused', async () => {
    await server.apply([
      role('reader', { rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }] }),
      roleBinding('readers', { role: 'reader', users: ['ann'] }),
    ])
    const ann = await server.connect({ user: { name: 'ann', groups: ['readers', 'people'] } })
    const asAnn = ann.resource('v1', 'configmaps').in('default')
    await asAnn.find('a')
    await failureOf(asAnn.create(configMap('a', { data: { key: 'value' } })))
    ann.close()

    expect(server.requests.one({ user: 'ann', verb: 'get' })).toMatchObject({
      method: 'GET',
      target: '/api/v1/namespaces/default/configmaps/a',
      user: { name: 'ann', groups: ['readers', 'people', 'system:authenticated'] },
      decision: {
        allowed: true,
        reason: 'RBAC: allowed by RoleBinding "readers/default" of Role "reader" to User "ann"',
      },
      status: 404,
      message: 'configmaps "a" not found',
      fault: '',
    })
    const refused = server.requests.one({ user: 'ann', verb: 'create' })
    expect(refused).toMatchObject({
      decision: { allowed: false },
      status: 403,
      message:
        'configmaps is forbidden: User "ann" cannot create resource "configmaps" in API group "" in the namespace "default"',
    })
    expect(refused.response).toMatchObject({ kind: 'Status', code: 403 })
    server.requests.none({ user: 'bob' })
  })

  test('has bodies, responses and faults', async () => {
    server.fail({ verb: 'patch', status: 500, times: 1 })
    await maps().create(configMap('a', { data: { key: 'value' } }))
    await failureOf(maps().patch('a', { data: { key: 'other' } }))
    const [created, patched] = server.requests.find({ resource: 'configmaps' })
    expect(created).toMatchObject({
      body: { metadata: { name: 'a' }, data: { key: 'value' } },
      response: { metadata: { name: 'a', namespace: 'default' } },
      mediaType: 'application/json',
    })
    expect(patched).toMatchObject({
      verb: 'patch',
      mediaType: 'application/strategic-merge-patch+json',
      status: 500,
      fault: 'verb=patch status=500 times=1',
    })
  })

  test('says what it has instead of what is looked for', async () => {
    await maps().list()
    expect(() => server.requests.one({ verb: 'create', resource: 'pods' })).toThrow(
      [
        'expected 1 request with verb=create resource=pods, found 0; recorded:',
        '  list configmaps default by kubernetes-admin: 200',
      ].join('\n'),
    )
    await expect(server.requests.until({ verb: 'delete' }, { timeoutMs: 1 })).rejects.toThrow(
      'expected 1 request with verb=delete, found 0; recorded:',
    )
    expect(() => server.requests.find({ verbs: 'get' } as object)).toThrow('a pattern has no verbs')
  })
})

describe('webhooks', () => {
  let hook: Server
  let caBundle: string
  beforeAll(async () => {
    const times = { notBeforeMs: Date.now() - 60_000, notAfterMs: Date.now() + 3_600_000 }
    const { cert, key } = issue({
      ...times,
      subject: { commonName: 'hook' },
      use: 'server',
      hosts: ['127.0.0.1'],
    })
    caBundle = Buffer.from(cert).toString('base64')
    hook = createServer({ cert, key }, (request, response) => {
      let text = ''
      request.on('data', (part: Buffer) => (text += part.toString()))
      request.on('end', () => {
        const { apiVersion, kind, request: asked } = JSON.parse(text)
        const status = { message: 'not that one' }
        response.setHeader('content-type', 'application/json')
        response.end(
          JSON.stringify({
            apiVersion,
            kind,
            response: { uid: asked.uid, allowed: false, status },
          }),
        )
      })
    }).listen(0, '127.0.0.1')
    await once(hook, 'listening')
  })
  afterAll(() => void hook.close())
  beforeEach(async () => {
    const { port } = hook.address() as AddressInfo
    await server.apply({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'hook' },
      webhooks: [
        {
          name: 'maps.example.com',
          clientConfig: { url: `https://127.0.0.1:${port}/check`, caBundle },
          rules: [
            {
              operations: ['CREATE'],
              apiGroups: [''],
              apiVersions: ['v1'],
              resources: ['configmaps'],
            },
          ],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    })
  })

  test('are recorded with their bodies, and with the request that caused them', async () => {
    expect(await failureOf(maps().create(configMap('a')))).toBe(
      '403 Forbidden: admission webhook "maps.example.com" denied the request: not that one',
    )
    const [call] = server.webhooks.expect({ url: '/check' }, { times: 1 })
    expect(call).toMatchObject({
      kind: 'AdmissionReview',
      request: { request: { operation: 'CREATE', object: { metadata: { name: 'a' } } } },
      response: { response: { allowed: false } },
      status: 200,
      error: '',
    })
    expect(server.requests.one({ verb: 'create', resource: 'configmaps' }).webhooks).toEqual([call])
    expect(() => server.webhooks.expect({ kind: 'ConversionReview' })).toThrow(
      /^expected at least 1 calls of webhooks with kind=ConversionReview, found 0; recorded:\n {2}AdmissionReview to https:/,
    )
  })
})

describe('the clock', () => {
  test('ends tokens and certificates', async () => {
    const token = await client
      .resource('v1', 'serviceaccounts')
      .in('default')
      .sub('token')
      .create<{ status: { token: string } }>('default', { spec: { expirationSeconds: 600 } })
    const review = () =>
      client
        .resource('authentication.k8s.io/v1', 'tokenreviews')
        .create({ spec: { token: token.status.token } })
    expect((await review()).status).toMatchObject({ authenticated: true })
    const ann = await server.connect({ user: { name: 'ann' }, retries: 0 })
    const asked = () => failureOf(ann.resource('v1', 'configmaps').in('default').get('a'))
    expect(await asked()).toMatch(/^403 /)
    await server.clock.advance('61m')
    expect((await review()).status).toEqual({
      user: {},
      error: '[invalid bearer token, service account token has expired]',
    })
    expect(await asked()).toBe('401 Unauthorized: Unauthorized')
    ann.close()
  })

  test('ends the life of events', async () => {
    const events = client.resource('v1', 'events').in('default')
    await events.create({
      metadata: { name: 'e' },
      involvedObject: { namespace: 'default' },
    } as never)
    await server.clock.advance('59m')
    expect(await events.find('e')).not.toBeNull()
    await server.clock.advance('2m')
    await server.eventually(async () => (await events.find('e')) === null)
  })

  test('keeps leases that are renewed, and lets others take those that are not', async () => {
    const leaders: string[] = []
    const ending = new AbortController()
    const other = await server.connect({ userAgent: 'first' })
    const elect = (identity: string, by: Client) =>
      new LeaderElector({
        ...{ client: by, clock: server.clock, identity, ids: { fraction: () => 0 } },
        leases: { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' },
        ...{ namespace: 'default', name: 'leader' },
      }).run(ending.signal, async (signal) => {
        leaders.push(identity)
        if (!signal.aborted) await once(signal, 'abort')
      })
    const first = elect('first', other)
    await server.eventually(() => leaders.length === 1)
    const second = elect('second', client)
    await server.clock.advance('1m')
    expect(leaders).toEqual(['first'])
    server.fail({ userAgent: 'first', resource: 'leases', status: 500 })
    await server.eventually(async () => {
      await server.clock.advance('10s')
      return leaders.length === 2
    })
    expect(leaders).toEqual(['first', 'second'])
    ending.abort()
    await Promise.allSettled([first, second])
    other.close()
  })

  test('stops, and creation times with it', async () => {
    server.clock.stop()
    const made = await Promise.all(['a', 'b'].map((name) => maps().create(configMap(name))))
    await server.clock.jump('1h')
    const late = await maps().create(configMap('c'))
    server.clock.start()
    const times = [...made, late].map(({ metadata }) => Date.parse(metadata!.creationTimestamp!))
    expect(times.map((time) => time - times[0]!)).toEqual([0, 0, 3_600_000])
  })
})

test('a namespace is ready for use, and leaves nothing behind', async () => {
  const space = await server.namespace('mine')
  expect(space.name).toMatch(/^mine-[a-z0-9]{5}$/)
  await space.resource('v1', 'configmaps').create(configMap('a'))
  expect(await space.resource('v1', 'serviceaccounts').find('default')).not.toBeNull()
  await space.delete()
  const { items } = await client.resource('v1', 'namespaces').list()
  expect(items.map(({ metadata }) => metadata!.name)).not.toContain(space.name)
})

test('manifests are applied, definitions first', async () => {
  const applied = await server.apply(`
apiVersion: example.com/v1
kind: Gadget
metadata: {name: one, namespace: default}
spec: {size: 3}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: gadgets, kind: Gadget}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
`)
  expect(applied.map(({ kind }) => kind)).toEqual(['Gadget', 'CustomResourceDefinition'])
  await expect(server.apply({ kind: 'Gizmo', apiVersion: 'example.com/v1' })).rejects.toThrow(
    'the server does not serve Gizmo of example.com/v1',
  )
  await expect(server.apply('a: b')).rejects.toThrow(
    'a manifest needs kind and apiVersion: {"a":"b"}',
  )
})

test('a session is replayed as it was', async () => {
  await server.requests.until({}, { times: 0 })
  const made = await maps().create({ metadata: { generateName: 'map-' }, data: { a: '1' } })
  await maps().update({ ...made, data: { a: '2' } })
  await maps().create(configMap('gone'))
  await maps().delete('gone')
  await client.resource('v1', 'namespaces').create({ metadata: { name: 'space' } })
  await client.resource('v1', 'namespaces').patch('space', { metadata: { labels: { a: 'b' } } })
  await maps().create(configMap('dry'), { dryRun: true })
  await failureOf(maps().get('none'))
  const before = (await maps().list()).items.map(({ metadata, data }) => [metadata!.name, data])
  const session = JSON.parse(JSON.stringify(await server.session()))
  expect(
    session.requests.map(({ verb, resource }: Record<string, string>) => `${verb} ${resource}`),
  ).toEqual([
    ...['create configmaps', 'update configmaps', 'create configmaps', 'delete configmaps'],
    ...['create namespaces', 'patch namespaces'],
  ])

  await server.reset()
  await server.replay(session)
  const after = await maps().list()
  expect(after.items.map(({ metadata, data }) => [metadata!.name, data])).toEqual(before)
  expect(await client.resource('v1', 'namespaces').get('space')).toMatchObject({
    metadata: { labels: { a: 'b' } },
  })
  await expect(server.replay(session)).rejects.toThrow(
    /^request 0 of the session, create \/api\/v1\/namespaces\/default\/configmaps by kubernetes-admin: configmaps "map-\w+" already exists$/,
  )
  await expect(server.replay({ ...session, vocabulary: 'orch' })).rejects.toThrow(
    'the session is of the vocabulary orch, and the server speaks kubernetes',
  )
  await expect(server.replay({} as never)).rejects.toThrow('a session has the format 1')
})

test('eventually waits for what becomes true', async () => {
  setTimeout(() => void maps().create(configMap('late')), 1)
  const found = await server.eventually(() => maps().get('late'), { intervalMs: 60_000 })
  expect(found.metadata!.name).toBe('late')
  let attempts = 0
  expect(await eventually(() => ++attempts === 3 && 'third', { intervalMs: 1 })).toBe('third')
  await expect(eventually(() => expect(1).toBe(2), { timeoutMs: 1 })).rejects.toThrow(
    'expected 1 to be 2',
  )
  await expect(eventually(() => false, { timeoutMs: 1 })).rejects.toThrow(
    'not within 1 ms: () => false',
  )
})

test('options are those of a server', async () => {
  await expect(startTestServer({ prot: 1 } as object)).rejects.toThrow(
    'unknown option prot (did you mean port?)',
  )
  await expect(startTestServer({ clock: server.clock } as object)).rejects.toThrow(
    'a server under test has a clock of its own: server.clock',
  )
})
