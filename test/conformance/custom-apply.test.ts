/** Apply to custom resources whose schemas name few fields, and what it does with null and with the order of items. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client, type Reply } from '../client.ts'
import { define, definition, version, type Json } from './definitions.fixture.ts'

const text = { type: 'string' }
const number = { type: 'integer' }
const keyed = {
  type: 'array',
  'x-orch-list-type': 'map',
  'x-orch-list-map-keys': ['name'],
  items: { type: 'object', required: ['name'], properties: { name: text, size: number } },
}
const bare = { type: 'object' }
const OPEN_ENDED = definition('bins', 'Bin', {
  versions: [
    version(
      'v1',
      { storage: true, subresources: { status: {} } },
      {
        spec: {
          type: 'object',
          properties: {
            bare,
            empty: { type: 'object', properties: {} },
            list: { type: 'array', items: bare },
            map: { type: 'object', additionalProperties: bare },
            keyed,
            set: { type: 'array', 'x-orch-list-type': 'set', items: text },
            size: number,
            note: { ...text, nullable: true },
            filled: { ...number, default: 7 },
          },
        },
        status: bare,
      },
    ),
  ],
})
const NAMELESS = definition('cans', 'Can', { versions: [version('v1', { storage: true }, {})] })

const at = (plural: string) => `/apis/stable.example.com/v1/namespaces/default/${plural}`
let server: RunningServer
let client: Client
let count = 0

beforeAll(async () => {
  server = await startServer()
  client = new Client(server)
  await define(client, OPEN_ENDED)
  await define(client, NAMELESS)
})
afterAll(async () => {
  client.close()
  await server.close()
})

const apply = (name: string, more: Json, { kind = 'Bin', part = '', manager = 'm' } = {}) =>
  client.ask(
    'PATCH',
    `${at(`${kind.toLowerCase()}s`)}/${name}${part}?fieldManager=${manager}&force=true`,
    {
      body: { apiVersion: 'stable.example.com/v1', kind, metadata: { name }, ...more },
      headers: { 'content-type': 'application/apply-patch+yaml' },
    },
  )
const nextName = () => `b${++count}`
const owned = ({ body }: Reply, manager = 'm') =>
  body.metadata.managedFields.find((entry: Json) => entry.manager === manager)?.fieldsV1

describe('below a schema that names no fields', () => {
  for (const [name, spec, kept, fields] of [
    ['an object', { bare: { a: 1, b: { c: [] } } }, { bare: {} }, { 'f:bare': {} }],
    ['an object with empty properties', { empty: { a: 1 } }, { empty: {} }, { 'f:empty': {} }],
    ['items', { list: [{ a: 1 }, {}] }, { list: [{}, {}] }, { 'f:list': {} }],
    [
      'values of a map',
      { map: { x: { a: 1 }, y: {} } },
      { map: { x: {}, y: {} } },
      { 'f:map': { 'f:x': {}, 'f:y': {} } },
    ],
  ] as readonly [string, Json, Json, Json][])
    test(`content is left out, and is not owned: ${name}`, async () => {
      const object = nextName()
      for (const status of [201, 200]) {
        const reply = await apply(object, { spec })
        expect([reply.status, reply.body.spec]).toEqual([status, { ...kept, filled: 7 }])
        expect(owned(reply)).toEqual({ 'f:spec': fields })
        expect(reply.body.metadata.generation).toBe(1)
      }
    })

  test('content is left out of a status', async () => {
    const object = nextName()
    await apply(object, { spec: {} })
    const reply = await apply(object, { status: { phase: 'Up' } }, { part: '/status' })
    expect([reply.status, reply.body.status]).toEqual([200, {}])
  })

  test('content is left out of a whole object', async () => {
    const object = nextName()
    const reply = await apply(object, { spec: { a: 1 }, x: 1 }, { kind: 'Can' })
    expect([reply.status, Object.keys(reply.body).sort()]).toEqual([
      201,
      ['apiVersion', 'kind', 'metadata'],
    ])
    expect(reply.body.metadata.managedFields).toBeUndefined()
  })

  test('a field beside the ones that are named is still refused', async () => {
    const reply = await apply(nextName(), { spec: { other: 1 } })
    expect([reply.status, reply.body.message]).toEqual([
      500,
      expect.stringMatching(
        /^failed to create typed patch object .*: .spec.other: field not declared in schema$/,
      ),
    ])
  })
})

describe('null in a configuration', () => {
  test('is refused where it is no value', async () => {
    const { status, body } = await apply(nextName(), { spec: { size: null } })
    expect([status, body.details.causes]).toEqual([
      422,
      [
        {
          reason: 'FieldValueTypeInvalid',
          message: 'Invalid value: "null": spec.size in body must be of type integer: "null"',
          field: 'spec.size',
        },
      ],
    ])
  })

  test('is a value, or the default, elsewhere', async () => {
    const reply = await apply(nextName(), { spec: { note: null, filled: null } })
    expect([reply.status, reply.body.spec]).toEqual([201, { note: null, filled: 7 }])
  })
})

test('another order of items with keys is no change', async () => {
  const object = nextName()
  const items = [{ name: 'a', size: 1 }, { name: 'b' }, { name: 'c' }]
  const made = await apply(object, { spec: { keyed: items, set: ['x', 'y'] } })
  const turned = { keyed: [items[2], items[0], items[1]], set: ['y', 'x'] }
  for (const manager of ['m', 'other']) {
    const { status, body } = await apply(object, { spec: turned }, { manager })
    expect([status, body.spec.keyed, body.spec.set]).toEqual([200, items, ['x', 'y']])
    expect(body.metadata.generation).toBe(1)
    if (manager === 'm') expect(body).toEqual(made.body)
  }
})

describe('a default at the root of the status', () => {
  const object = (name: string, more: Json = {}) => ({
    apiVersion: 'stable.example.com/v1',
    kind: 'Jar',
    metadata: { name },
    ...more,
  })
  const JARS = at('jars')

  test('is there from the creation on, whatever was sent, and when an object is read', async () => {
    await define(
      client,
      definition('jars', 'Jar', {
        versions: [
          version(
            'v1',
            { storage: true, subresources: { status: {} } },
            {
              spec: bare,
              status: {
                type: 'object',
                default: { phase: 'New' },
                properties: { phase: text, count: { ...number, default: 0 } },
              },
            },
          ),
        ],
      }),
    )
    const standard = { phase: 'New', count: 0 }
    const made = await client.post(JARS, object('a', { status: { phase: 'Old' } }))
    expect([made.status, made.body.status]).toEqual([201, standard])
    expect((await client.get(`${JARS}/a`)).body).toEqual(made.body)
    const changed = await client.merge(`${JARS}/a`, { status: { phase: 'x' } })
    expect(changed.body.status).toEqual(standard)
    const put = await client.put(`${JARS}/a/status`, { ...made.body, status: { phase: 'Up' } })
    expect(put.body.status).toEqual({ phase: 'Up', count: 0 })
    const { status: _status, ...without } = put.body
    const gone = await client.put(`${JARS}/a/status`, without)
    expect(gone.body.status).toEqual(standard)
  })
})

test('what only the storage version fills in has no owner in the version of the request', async () => {
  const spec = (size: Json) => ({
    spec: { type: 'object', properties: { name: text, size, mode: { ...text, default: 'm' } } },
  })
  await define(
    client,
    definition('tins', 'Tin', {
      versions: [
        version('v1', { storage: true }, spec({ ...number, default: 7 })),
        version('v2', {}, spec(number)),
      ],
    }),
  )
  const v2 = at('tins').replace('/v1/', '/v2/')
  const object = {
    apiVersion: 'stable.example.com/v2',
    kind: 'Tin',
    metadata: { name: 'a' },
    spec: { name: 'n' },
  }
  const made = await client.post(`${v2}?fieldManager=m`, object)
  expect([made.status, made.body.spec]).toEqual([201, { mode: 'm', name: 'n', size: 7 }])
  expect(owned(made)).toEqual({ 'f:spec': { '.': {}, 'f:mode': {}, 'f:name': {} } })
  const changed = await client.merge(`${v2}/a?fieldManager=other`, { spec: { name: 'x' } })
  expect(owned(changed, 'other')).toEqual({ 'f:spec': { 'f:name': {} } })
})
