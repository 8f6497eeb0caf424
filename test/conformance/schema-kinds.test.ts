/** What is particular to kinds that are described by a schema, over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'
import { ownersOf, write } from './apply.fixture.ts'
import { startWithGizmos } from './kinds.fixture.ts'

const V1 = '/apis/example.com/v1/namespaces/default/gizmos'
const V2 = '/apis/example.com/v2/namespaces/default/gizmos'
let server: RunningServer
let client: Client

beforeAll(async () => {
  server = await startWithGizmos({ controllers: false })
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
})

let count = 0
const nextName = () => `gizmo-${++count}`

/** What is there of an object beside type and metadata. */
function contentOf(body: Record<string, unknown>) {
  const { kind: _k, apiVersion: _a, metadata: _m, ...content } = body
  return content
}

const GIZMO = { apiVersion: 'example.com/v1', kind: 'Gizmo' }

describe('what is written', () => {
  for (const { name, given, kept } of [
    { name: 'defaults', given: { spec: {} }, kept: { spec: { replicas: 1 } } },
    {
      name: 'items with keys, with defaults',
      given: { parts: [{ name: 'a' }, { name: 'b', size: 2 }] },
      kept: {
        parts: [
          { name: 'a', size: 1 },
          { name: 'b', size: 2 },
        ],
      },
    },
    { name: 'preserved fields', given: { free: { a: { b: [null, 1] } } } },
    { name: 'null that is a value', given: { note: null } },
    { name: 'null that is none', given: { spec: { mode: null } }, kept: { spec: { replicas: 1 } } },
    { name: 'a name that looks like a template', given: { '{agent}x': 'y' } },
    { name: 'a status, which is another’s', given: { status: { phase: 'Up' } }, kept: {} },
  ] as { name: string; given: object; kept?: object }[]) {
    test(name, async () => {
      const metadata = { name: nextName() }
      const { status, body } = await client.post(V1, { ...GIZMO, metadata, ...given })
      expect([status, contentOf(body)]).toEqual([201, kept ?? given])
      const path = `${V1}/${metadata.name}`
      expect((await client.get(path)).body).toEqual(body)
      // The same once more is no write.
      expect((await client.put(path, body)).body).toEqual(body)
    })
  }

  test('names that JavaScript knows stay data, and reach nothing', async () => {
    const raw = `{"apiVersion":"example.com/v1","kind":"Gizmo","metadata":{"name":"${nextName()}"},"free":{"__proto__":{"x":1},"constructor":{"prototype":1}},"data":{"__proto__":"1"}}`
    const { status, text } = await client.ask('POST', V1, { raw })
    expect(status).toBe(201)
    expect(text).toContain(
      '"data":{"__proto__":"1"},"free":{"__proto__":{"x":1},"constructor":{"prototype":1}}',
    )
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
  })

  test('fields that no schema names: left out, and told as asked', async () => {
    const object = () => ({
      ...GIZMO,
      metadata: { name: nextName(), odd: 1 },
      spec: { x: 1 },
      a: 1,
    })
    const lenient = await client.post(V1, object())
    expect([lenient.status, contentOf(lenient.body)]).toEqual([201, { spec: { replicas: 1 } }])
    expect(lenient.headers.warning).toBe(
      '299 - "unknown field \\"a\\"", 299 - "unknown field \\"metadata.odd\\"", 299 - "unknown field \\"spec.x\\""',
    )
    const strict = await client.post(`${V1}?fieldValidation=Strict`, object())
    expect([strict.status, strict.body.message]).toEqual([
      400,
      'Gizmo in version "v1" cannot be handled as a Gizmo: strict decoding error: unknown field "a", unknown field "metadata.odd", unknown field "spec.x"',
    ])
  })

  test('values that the schema does not allow are refused, all of them', async () => {
    const { status, body } = await client.post(V1, {
      ...GIZMO,
      metadata: { name: 'wrong' },
      spec: { replicas: -1, mode: 'Odd' },
      tags: ['a', 'b', 'a'],
      parts: [{ name: 'p' }, { name: 'p' }, { size: 1 }],
      data: { k: 1 },
    })
    expect([status, body.reason, body.details.kind, body.details.group]).toEqual([
      422,
      'Invalid',
      'Gizmo',
      'example.com',
    ])
    const causes = body.details.causes.map((cause: { reason: string; field: string }) => [
      cause.field,
      cause.reason,
    ])
    expect(causes).toEqual([
      ['data.k', 'FieldValueTypeInvalid'],
      ['parts[2].name', 'FieldValueRequired'],
      ['spec.mode', 'FieldValueNotSupported'],
      ['spec.replicas', 'FieldValueInvalid'],
      ['parts[1]', 'FieldValueDuplicate'],
      ['tags[2]', 'FieldValueDuplicate'],
    ])
  })

  test('the status and the rest are written apart, and count apart', async () => {
    const name = nextName()
    const made = (await client.post(V1, { ...GIZMO, metadata: { name }, spec: {} })).body
    const main = await client.merge(`${V1}/${name}`, {
      spec: { replicas: 2 },
      status: { phase: 'x' },
    })
    expect([main.body.metadata.generation, contentOf(main.body)]).toEqual([
      2,
      { spec: { replicas: 2 } },
    ])
    const part = await client.merge(`${V1}/${name}/status`, {
      metadata: { labels: { no: 'no' } },
      spec: { replicas: 3 },
      status: { phase: 'Up' },
    })
    expect([part.status, part.body.metadata.generation, part.body.metadata.labels]).toEqual([
      200,
      2,
      undefined,
    ])
    expect(contentOf(part.body)).toEqual({ spec: { replicas: 2 }, status: { phase: 'Up' } })
    expect(part.body.metadata.uid).toBe(made.metadata.uid)
    expect((await client.get(`${V1}/${name}/status`)).body).toEqual(part.body)
  })

  test('of two versions each has its own fields', async () => {
    const name = nextName()
    const { body } = await client.post(V2, {
      ...GIZMO,
      apiVersion: 'example.com/v2',
      metadata: { name },
      spec: { size: 5, mode: 'Fast' },
    })
    expect([body.apiVersion, contentOf(body)]).toEqual([
      'example.com/v2',
      { spec: { mode: 'Fast', size: 1 } },
    ])
    const other = (await client.get(`${V1}/${name}`)).body
    expect([other.apiVersion, contentOf(other)]).toEqual([
      'example.com/v1',
      { spec: { mode: 'Fast', replicas: 1 } },
    ])
  })
})

describe('apply', () => {
  test('merges items by their keys, sets by their members, and what is preserved by its values', async () => {
    const place = { path: V1, apiVersion: 'example.com/v1', kind: 'Gizmo', name: nextName() }
    const one = { parts: [{ name: 'a', size: 1 }], tags: ['x'], free: { k: { v: 1 } }, spec: {} }
    const two = { parts: [{ name: 'b', size: 2 }], tags: ['y'], free: { k: { w: 2 } } }
    await write(client, place, { by: 'one', as: 'apply', with: one })
    const { status, body } = await write(client, place, { by: 'two', as: 'apply', with: two })
    expect([status, contentOf(body)]).toEqual([
      200,
      {
        free: { k: { v: 1, w: 2 } },
        parts: [
          { name: 'a', size: 1 },
          { name: 'b', size: 2 },
        ],
        spec: { replicas: 1 },
        tags: ['x', 'y'],
      },
    ])
    expect(ownersOf(body, 'example.com/v1')).toEqual([
      'one: free.k free.k.v parts[name="a"] parts[name="a"].name parts[name="a"].size spec tags[="x"]',
      'two: free.k free.k.w parts[name="b"] parts[name="b"].name parts[name="b"].size tags[="y"]',
    ])
    const less = await write(client, place, { by: 'two', as: 'apply', with: {} })
    expect(contentOf(less.body)).toEqual({
      free: { k: { v: 1 } },
      parts: [{ name: 'a', size: 1 }],
      spec: { replicas: 1 },
      tags: ['x'],
    })
  })

  test('refuses fields that are not declared', async () => {
    const place = { path: V1, apiVersion: 'example.com/v1', kind: 'Gizmo', name: nextName() }
    const { status, body } = await write(client, place, {
      by: 'one',
      as: 'apply',
      with: { spec: { x: 1 } },
    })
    expect([status, body.message]).toEqual([
      500,
      `failed to create typed patch object (default/${place.name}; example.com/v1, Kind=Gizmo): .spec.x: field not declared in schema`,
    ])
  })
})

describe('forms that there are not', () => {
  const BINARY = 'application/vnd.orch.protobuf'
  const plain = 'application/json, application/yaml'

  test('strategic merge patches: 415', async () => {
    const { status, body } = await client.ask('PATCH', `${V1}/x`, {
      body: {},
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
    })
    expect([status, body.reason, body.message]).toEqual([
      415,
      'UnsupportedMediaType',
      'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    ])
  })

  test('binary bodies: 415', async () => {
    const { status, body } = await client.ask('POST', V1, {
      raw: 'k8s\0',
      headers: { 'content-type': BINARY },
    })
    expect([status, body.reason, body.message]).toEqual([
      415,
      'UnsupportedMediaType',
      `the body of the request was in an unknown format - accepted media types include: ${plain}`,
    ])
  })

  test('binary answers: 406, or the next form that is accepted', async () => {
    const refused = await client.get(V1, { headers: { accept: BINARY } })
    expect([refused.status, refused.body.message]).toEqual([
      406,
      `only the following media types are accepted: ${plain}`,
    ])
    const watch = await client.get(`${V1}?watch=1`, { headers: { accept: BINARY } })
    expect([watch.status, watch.body.message]).toEqual([
      406,
      'only the following media types are accepted: application/json;stream=watch',
    ])
    const next = await client.get(V1, { headers: { accept: `${BINARY}, application/json` } })
    expect([next.status, next.headers['content-type']]).toEqual([200, 'application/json'])
  })

  test('field selectors but those of metadata: 400', async () => {
    const { status, body } = await client.get(`${V1}?fieldSelector=spec.mode%3DFast`)
    expect([status, body.message]).toEqual([400, 'field label not supported: spec.mode'])
  })
})

describe('documents', () => {
  test('discovery names the kind', async () => {
    const { body } = await client.get('/apis/example.com/v1')
    expect(body.resources).toEqual([
      {
        name: 'gizmos',
        singularName: 'gizmo',
        namespaced: true,
        kind: 'Gizmo',
        verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
        shortNames: ['gz'],
        categories: ['all'],
        storageVersionHash: expect.any(String),
      },
      {
        name: 'gizmos/status',
        singularName: '',
        namespaced: true,
        kind: 'Gizmo',
        verbs: ['get', 'patch', 'update'],
      },
    ])
  })

  test('the published schema is that of the kind, in both formats', async () => {
    for (const { path, at } of [
      { path: '/openapi/v2', at: (body: any) => body.definitions },
      { path: '/openapi/v3/apis/example.com/v1', at: (body: any) => body.components.schemas },
    ]) {
      const { status, body } = await client.get(path)
      expect(status).toBe(200)
      const found = at(body)['com.example.v1.Gizmo']
      expect(Object.keys(found.properties).sort()).toEqual(
        [
          'apiVersion',
          'data',
          'free',
          'kind',
          'metadata',
          'note',
          'parts',
          'spec',
          'status',
        ].concat(['tags', '{agent}x']),
      )
      expect(found.properties.parts).toMatchObject({
        type: 'array',
        'x-orch-list-type': 'map',
        'x-orch-list-map-keys': ['name'],
      })
      expect(found['x-orch-group-version-kind']).toEqual([
        { group: 'example.com', kind: 'Gizmo', version: 'v1' },
      ])
      expect(at(body)['com.example.v1.GizmoList']).toBeDefined()
    }
    const binary = await client.get('/openapi/v2', {
      headers: { accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf' },
    })
    expect(binary.status).toBe(200)
  })
})
