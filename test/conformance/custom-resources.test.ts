/** Kinds that users define: served from the moment that the definition says so, like any other. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'
import {
  conditionsOf,
  cron,
  CRONS,
  CRONTABS,
  define,
  definition,
  DEFINITIONS,
  undefine,
  version,
  type Json,
} from './definitions.fixture.ts'

const SOON = { timeout: 20_000, interval: 50 }
const NAME = 'crontabs.stable.example.com'

describe('a definition in force', () => {
  let server: RunningServer
  let client: Client
  beforeAll(async () => {
    server = await startServer()
    client = new Client(server)
    await define(client, CRONTABS)
  })
  afterAll(async () => {
    client.close()
    await server.close()
  })
  afterEach(() => client.delete(CRONS))

  test('says so', async () => {
    expect(await conditionsOf(client, NAME)).toEqual([
      'NamesAccepted True NoConflicts',
      'Established True InitialNamesAccepted',
    ])
    const { status } = (await client.get(`${DEFINITIONS}/${NAME}`)).body
    expect([status.acceptedNames, status.storedVersions]).toEqual([
      {
        plural: 'crontabs',
        singular: 'crontab',
        kind: 'CronTab',
        listKind: 'CronTabList',
        shortNames: ['ct'],
        categories: ['all'],
      },
      ['v1'],
    ])
  })

  test('is in discovery', async () => {
    expect((await client.get('/apis/stable.example.com')).body).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'stable.example.com',
      versions: [{ groupVersion: 'stable.example.com/v1', version: 'v1' }],
      preferredVersion: { groupVersion: 'stable.example.com/v1', version: 'v1' },
    })
    const verbs = [
      'delete',
      'deletecollection',
      'get',
      'list',
      'patch',
      'create',
      'update',
      'watch',
    ]
    expect((await client.get('/apis/stable.example.com/v1')).body.resources).toEqual([
      {
        name: 'crontabs',
        singularName: 'crontab',
        namespaced: true,
        kind: 'CronTab',
        verbs,
        shortNames: ['ct'],
        categories: ['all'],
        storageVersionHash: expect.stringMatching(/^[\w+/]{11}=$/),
      },
      {
        name: 'crontabs/scale',
        singularName: '',
        namespaced: true,
        group: 'autoscaling',
        version: 'v1',
        kind: 'Scale',
        verbs: ['get', 'patch', 'update'],
      },
      {
        name: 'crontabs/status',
        singularName: '',
        namespaced: true,
        kind: 'CronTab',
        verbs: ['get', 'patch', 'update'],
      },
    ])
  })

  test('is published as a schema', async () => {
    const { body } = await client.get('/openapi/v3/apis/stable.example.com/v1')
    const schema = body.components.schemas['com.example.stable.v1.CronTab']
    expect(schema.properties.spec.properties.mode.enum).toEqual(['Slow', 'Fast'])
    expect(schema['x-orch-group-version-kind']).toEqual([
      { group: 'stable.example.com', kind: 'CronTab', version: 'v1' },
    ])
    expect(Object.keys((await client.get('/openapi/v2')).body.definitions)).toContain(
      'com.example.stable.v1.CronTab',
    )
  })

  test('has objects with defaults, without what no schema names, and of their generation', async () => {
    const made = await client.post(
      CRONS,
      cron('a', { cron: '* *', other: 1, parts: [{ name: 'p', z: 2 }] }),
    )
    expect([made.status, made.body]).toEqual([
      201,
      {
        apiVersion: 'stable.example.com/v1',
        kind: 'CronTab',
        metadata: expect.objectContaining({ name: 'a', namespace: 'default', generation: 1 }),
        spec: { cron: '* *', parts: [{ name: 'p' }], replicas: 1 },
      },
    ])
    const changed = await client.merge(`${CRONS}/a`, { spec: { replicas: 2 } })
    expect([changed.body.spec.replicas, changed.body.metadata.generation]).toEqual([2, 2])
    const { resourceVersion } = changed.body.metadata
    const put = await client.put(`${CRONS}/a`, cron('a', { cron: '1' }, { resourceVersion }))
    expect([put.body.spec, put.body.metadata.generation]).toEqual([{ cron: '1', replicas: 1 }, 3])
    const json = await client.json(`${CRONS}/a`, [
      { op: 'replace', path: '/spec/cron', value: '2' },
    ])
    expect(json.body.spec.cron).toBe('2')
    const list = await client.get(CRONS)
    expect([list.body.kind, list.body.items]).toEqual([
      'CronTabList',
      [(await client.get(`${CRONS}/a`)).body],
    ])
    const gone = await client.delete(`${CRONS}/a`)
    expect(gone.body).toMatchObject({ kind: 'Status', status: 'Success' })
  })

  test('has a status and a scale of their own', async () => {
    await client.post(CRONS, { ...cron('a'), status: { phase: 'lost' } })
    expect((await client.get(`${CRONS}/a`)).body.status).toBeUndefined()
    const status = { phase: 'Ready', replicas: 3, selector: 'a=b' }
    const written = await client.merge(`${CRONS}/a/status`, { status, spec: { cron: '9' } })
    expect([written.body.status, written.body.spec.cron]).toEqual([status, '* *'])
    const scaled = await client.merge(`${CRONS}/a/scale`, { spec: { replicas: 4 } })
    expect([scaled.body.kind, scaled.body.spec, scaled.body.status]).toEqual([
      'Scale',
      { replicas: 4 },
      { replicas: 3, selector: 'a=b' },
    ])
    expect((await client.get(`${CRONS}/a`)).body.spec.replicas).toBe(4)
  })

  test('is watched and applied', async () => {
    const watch = await client.watch(`${CRONS}?watch=1`)
    const apply = (manager: string, body: object) =>
      client.ask('PATCH', `${CRONS}/a?fieldManager=${manager}`, {
        body,
        headers: { 'content-type': 'application/apply-patch+yaml' },
      })
    const parts = (name: string) => cron('a', { cron: '* *', parts: [{ name }] })
    expect((await apply('one', parts('p'))).status).toBe(201)
    const both = await apply('two', parts('q'))
    expect(both.body.spec.parts).toEqual([{ name: 'p' }, { name: 'q' }])
    expect((await apply('one', cron('a'))).body.spec.parts).toEqual([{ name: 'q' }])
    expect((await apply('three', cron('a', { cron: '5' }))).body).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message:
        'Apply failed with 2 conflicts: conflicts with "one":\n- .spec.cron\nconflicts with "two":\n- .spec.cron',
    })
    await client.delete(`${CRONS}/a`)
    expect(await watch.names(4)).toEqual(['ADDED a', 'MODIFIED a', 'MODIFIED a', 'DELETED a'])
    watch.close()
  })

  test('is shown in tables', async () => {
    await client.post(CRONS, cron('a'))
    const accept = 'application/json;as=Table;v=v1;g=meta.orch.io'
    const { body } = await client.get(CRONS, { headers: { accept } })
    expect(body.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual([
      'Name',
      'Cron',
      'Replicas',
    ])
    expect(body.rows[0].cells).toEqual(['a', '* *', 1])
  })

  for (const { name, spec, causes } of [
    {
      name: 'a wrong type',
      spec: { cron: 1 },
      causes: ['FieldValueTypeInvalid spec.cron'],
    },
    { name: 'what is required', spec: {}, causes: ['FieldValueRequired spec.cron'] },
    {
      name: 'a value that is not allowed, and all others',
      spec: { cron: 'x', mode: 'No', replicas: 11 },
      causes: [
        'FieldValueInvalid spec.cron',
        'FieldValueNotSupported spec.mode',
        'FieldValueInvalid spec.replicas',
      ],
    },
    {
      name: 'a key that is there twice',
      spec: { cron: '1', parts: [{ name: 'p' }, { name: 'p' }] },
      causes: ['FieldValueDuplicate spec.parts[1]'],
    },
  ]) {
    test(`refuses ${name}`, async () => {
      const { status, body } = await client.post(CRONS, cron('a', spec))
      const found = body.details?.causes.map(
        (cause: { reason: string; field: string }) => `${cause.reason} ${cause.field}`,
      )
      expect([status, body.reason, found]).toEqual([422, 'Invalid', causes])
    })
  }

  for (const { name, ask, status } of [
    {
      name: 'protobuf in the answer',
      ask: ['GET', CRONS, { headers: { accept: 'application/vnd.orch.protobuf' } }],
      status: 406,
    },
    {
      name: 'protobuf in the body',
      ask: [
        'POST',
        CRONS,
        { body: 'x', headers: { 'content-type': 'application/vnd.orch.protobuf' } },
      ],
      status: 415,
    },
    {
      name: 'a strategic patch',
      ask: [
        'PATCH',
        `${CRONS}/a`,
        { body: {}, headers: { 'content-type': 'application/strategic-merge-patch+json' } },
      ],
      status: 415,
    },
    {
      name: 'a create without a namespace',
      ask: ['POST', '/apis/stable.example.com/v1/crontabs', { body: cron('a') }],
      status: 405,
    },
    { name: 'another version', ask: ['GET', CRONS.replace('/v1/', '/v2/'), {}], status: 404 },
    { name: 'an unknown sub-resource', ask: ['GET', `${CRONS}/a/log`, {}], status: 404 },
  ] as const) {
    test(`refuses ${name}`, async () => {
      await client.post(CRONS, cron('a'))
      const [method, path, more] = ask
      expect((await client.ask(method, path, more)).status).toBe(status)
    })
  }

  for (const { type, binary } of [
    { type: 'application/json', binary: false },
    { type: 'application/vnd.orch.protobuf', binary: true },
  ]) {
    test(`has its metadata alone as ${type}`, async () => {
      await client.post(CRONS, cron('a'))
      const as = (kind: string) => ({
        headers: { accept: `${type};as=${kind};v=v1;g=meta.orch.io,application/json` },
      })
      for (const [path, kind] of [
        [`${CRONS}/a`, 'PartialObjectMetadata'],
        [CRONS, 'PartialObjectMetadataList'],
        [`${CRONS}?watch=1&timeoutSeconds=1&limit=1`, 'PartialObjectMetadata'],
      ] as const) {
        const { status, headers, text } = await client.get(path, as(kind))
        expect([status, headers['content-type']]).toEqual([200, expect.stringContaining(type)])
        expect(text).toContain(kind)
        expect(text).not.toContain('"spec"')
        expect(text.startsWith('{')).toBe(!binary)
      }
      // The whole object has no such form, and comes in the next.
      const whole = await client.get(`${CRONS}/a`, {
        headers: {
          accept: `${type}, application/json;as=PartialObjectMetadata;v=v1;g=meta.orch.io`,
        },
      })
      expect(whole.headers['content-type']).toBe('application/json')
    })
  }

  test('goes by what namespaces and owners do', async () => {
    const NS = '/api/v1/namespaces'
    const there = CRONS.replace('/default/', '/there/')
    await client.post(NS, { metadata: { name: 'there' } })
    await client.post(there, cron('a'))
    await client.delete(`${NS}/there`)
    const owner = (await client.post(CRONS, cron('owner'))).body
    const ownerReferences = [
      { apiVersion: owner.apiVersion, kind: owner.kind, name: 'owner', uid: owner.metadata.uid },
    ]
    await client.post(CRONS, cron('owned', { cron: '1' }, { ownerReferences }))
    await client.delete(`${CRONS}/owner`)
    await server.settled()
    expect((await client.get(`${CRONS}/owned`)).status).toBe(404)
    // Namespaces are emptied some seconds after their delete.
    await vi.waitFor(async () => {
      expect((await client.get(`${NS}/there`)).status).toBe(404)
    }, SOON)
  })
})

describe('a definition that changes', () => {
  let server: RunningServer
  let client: Client
  beforeEach(async () => {
    server = await startServer()
    client = new Client(server)
  })
  afterEach(async () => {
    client.close()
    await server.close()
  })
  const change = async (name: string, spec: object) => {
    const changed = await client.merge(`${DEFINITIONS}/${name}`, { spec })
    expect(changed.status).toBe(200)
    return changed.body
  }

  test('has other columns, rules and sub-resources at once, and ends no watch by how it fares', async () => {
    await define(client, definition('crontabs', 'CronTab'))
    await client.post(CRONS, { ...cron('a'), status: { phase: 'kept' } })
    const watch = await client.watch(`${CRONS}?watch=1`)
    expect((await client.get(`${CRONS}/a/status`)).status).toBe(404)
    await client.merge(`${DEFINITIONS}/${NAME}`, { metadata: { labels: { a: 'b' } } })
    await client.post(CRONS, cron('b'))
    expect(await watch.names(2)).toEqual(['ADDED a', 'ADDED b'])
    const properties = { spec: { type: 'object', properties: { size: { type: 'integer' } } } }
    await change(NAME, {
      versions: [version('v1', { storage: true, subresources: { status: {} } }, properties)],
    })
    expect(await watch.next()).toBeNull()
    // What the new schema does not name is not shown.
    const shown = await client.get(`${CRONS}/a/status`)
    expect([shown.status, shown.body.spec, shown.body.status]).toEqual([200, {}, undefined])
    expect((await client.post(CRONS, cron('c', { size: 'x' }))).status).toBe(422)
  })

  test('serves several versions, stores in another, and warns of old ones', async () => {
    const v2 = { served: true, storage: true }
    await define(
      client,
      definition('crontabs', 'CronTab', {
        versions: [version('v1', { storage: true }), version('v2')],
      }),
    )
    const V2 = CRONS.replace('/v1/', '/v2/')
    await client.post(CRONS, cron('a'))
    const read = await client.get(`${V2}/a`)
    expect([read.body.apiVersion, read.body.spec]).toEqual([
      'stable.example.com/v2',
      { cron: '* *', replicas: 1 },
    ])
    const body = await change(NAME, {
      versions: [version('v1', { deprecated: true }), version('v2', v2)],
    })
    expect(body.status.storedVersions).toEqual(['v1', 'v2'])
    const old = await client.get(`${CRONS}/a`)
    expect([old.body.apiVersion, old.headers['warning']]).toEqual([
      'stable.example.com/v1',
      '299 - "stable.example.com/v1 CronTab is deprecated; use stable.example.com/v2 CronTab"',
    ])
    await client.post(V2, { ...cron('b'), apiVersion: 'stable.example.com/v2' })
    for (const [path, apiVersion] of [
      [CRONS, 'stable.example.com/v1'],
      [V2, 'stable.example.com/v2'],
    ] as const) {
      const { items } = (await client.get(path)).body
      expect(items.map((one: Json) => [one['kind'], one['apiVersion']])).toEqual([
        ['CronTab', apiVersion],
        ['CronTab', apiVersion],
      ])
    }
    await change(NAME, { versions: [version('v1', { served: false }), version('v2', v2)] })
    expect((await client.get(CRONS)).status).toBe(404)
    expect((await client.get(V2)).body.items.length).toBe(2)
    expect((await client.get('/apis/stable.example.com')).body.versions).toHaveLength(1)
  })

  test('of the cluster has objects in no namespace', async () => {
    await define(client, definition('things', 'Thing', { scope: 'Cluster' }))
    const THINGS = '/apis/stable.example.com/v1/things'
    const thing = { ...cron('a'), kind: 'Thing' }
    expect((await client.post(THINGS, thing)).status).toBe(201)
    expect((await client.get(`${THINGS}/a`)).body.metadata.namespace).toBeUndefined()
    expect((await client.get(CRONS.replace('crontabs', 'things'))).status).toBe(404)
  })

  test('is refused where something else has its name, and served when that goes', async () => {
    await define(client, definition('things', 'Thing'))
    await client.post(DEFINITIONS, definition('others', 'Thing'))
    await server.settled()
    const OTHERS = CRONS.replace('crontabs', 'others')
    expect(await conditionsOf(client, 'others.stable.example.com')).toEqual([
      'NamesAccepted False ListKindConflict',
      'Established False NotAccepted',
    ])
    expect((await client.get(OTHERS)).status).toBe(404)
    await undefine(server, client, 'things.stable.example.com')
    expect((await client.get(OTHERS)).status).toBe(200)
  })

  test('takes nothing away from a built-in kind', async () => {
    const LEASES = '/apis/coordination.orch.io/v1/namespaces/default/leases'
    const lease = { metadata: { name: 'kept' } }
    await client.post(LEASES, lease)
    const own = definition('leases', 'Mine', {}, 'coordination.orch.io')
    const metadata = { ...own.metadata, annotations: { 'api-approved.orch.io': 'unapproved' } }
    const made = await client.post(DEFINITIONS, { ...own, metadata })
    expect([made.status, made.text]).toEqual([201, expect.any(String)])
    await server.settled()
    expect((await client.get(`${LEASES}/kept`)).body.kind).toBe('Lease')
    const { status } = await undefine(server, client, own.metadata.name)
    expect([status, (await client.get(`${LEASES}/kept`)).status]).toEqual([404, 200])
  })

  test('takes its objects with it, of which none is made any more', async () => {
    await define(client, CRONTABS)
    for (const name of ['a', 'b', 'held'])
      await client.post(
        CRONS,
        cron(name, { cron: '1' }, name === 'held' ? { finalizers: ['x.com/y'] } : {}),
      )
    const watch = await client.watch(`${CRONS}?watch=1`)
    expect(await watch.names(3)).toEqual(['ADDED a', 'ADDED b', 'ADDED held'])
    const answer = await client.delete(`${DEFINITIONS}/${NAME}`)
    expect(answer.status).toBe(200)
    expect((await watch.names(3)).toSorted()).toEqual(['DELETED a', 'DELETED b', 'MODIFIED held'])
    const refused = await client.post(CRONS, cron('late'))
    expect([refused.status, refused.body]).toEqual([
      405,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'create not allowed while custom resource definition is terminating',
        reason: 'MethodNotAllowed',
        details: { group: 'stable.example.com', kind: 'crontabs' },
        code: 405,
      },
    ])
    const applied = await client.ask('PATCH', `${CRONS}/late?fieldManager=m`, {
      body: cron('late'),
      headers: { 'content-type': 'application/apply-patch+yaml' },
    })
    expect([applied.status, applied.body]).toEqual([refused.status, refused.body])
    // What is there may still be changed.
    const { body: held } = await client.merge(`${CRONS}/held`, { spec: { cron: '2' } })
    expect([held.spec.cron, held.metadata.deletionTimestamp]).toEqual(['2', expect.any(String)])
    expect(await watch.names(1)).toEqual(['MODIFIED held'])
    const [{ verbs }] = (await client.get('/apis/stable.example.com/v1')).body.resources
    expect(verbs).toEqual(['delete', 'deletecollection', 'get', 'list', 'watch'])
    const ending = await client.watch(`${DEFINITIONS}?watch=1&fieldSelector=metadata.name=${NAME}`)
    await client.merge(`${CRONS}/held`, { metadata: { finalizers: null } })
    expect(await watch.names(1)).toEqual(['DELETED held'])
    for (let event = await ending.next(); event?.type !== 'DELETED'; event = await ending.next())
      expect(event).not.toBeNull()
    ending.close()
    expect(await watch.next()).toBeNull()
    expect((await client.get(CRONS)).status).toBe(404)
    expect((await client.get('/apis/stable.example.com')).status).toBe(404)
    await define(client, CRONTABS)
    expect((await client.get(CRONS)).body.items).toEqual([])
  })
})
