/** `/scale` of custom resources, whose fields may be missing or anything. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client, type Reply } from '../client.ts'
import { badRequest, failure, invalid, type Failure } from '../failure.ts'
import { define, definition, version, type Json } from './definitions.fixture.ts'

const open = { type: 'object', 'x-orch-preserve-unknown-fields': true }
const SCALABLE = definition('gates', 'Gate', {
  versions: [
    version(
      'v1',
      {
        storage: true,
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.inner.replicas',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.status.selector',
          },
        },
      },
      { spec: open, status: open },
    ),
  ],
})
/** Its path goes where every object has something that is not its own. */
const INHERITED = definition('traps', 'Trap', {
  versions: [
    version(
      'v1',
      {
        storage: true,
        subresources: {
          scale: {
            specReplicasPath: '.spec.constructor.prototype.replicas',
            statusReplicasPath: '.status.__proto__.replicas',
          },
        },
      },
      { spec: open, status: open },
    ),
  ],
})

const at = (plural: string) => `/apis/stable.example.com/v1/namespaces/default/${plural}`
const GATES = at('gates')
const object = (kind: string, more: Json) => ({
  apiVersion: 'stable.example.com/v1',
  kind,
  metadata: { name: 'a' },
  ...more,
})
const gate = (spec: unknown) => object('Gate', { spec })
const answer = ({ status, body }: Reply) => [status, body]
const refused = (expected: Failure) => [expected.code, failure(expected)]

let server: RunningServer
let client: Client
beforeAll(async () => {
  server = await startServer()
  client = new Client(server)
  await define(client, SCALABLE)
  await define(client, INHERITED)
})
afterAll(async () => {
  client.close()
  await server.close()
})
beforeEach(async () => {
  await client.delete(GATES)
  await client.delete(at('traps'))
})

const internal = (why: string): Failure => ({
  code: 500,
  reason: 'InternalError',
  message: `Internal error occurred: ${why}`,
  details: { causes: [{ message: why }] },
})
const LACKING = internal('the spec replicas field ".spec.inner.replicas" does not exist')
const EMPTY = badRequest('the spec replicas field ".spec.inner.replicas" cannot be empty')
const apply = (path: string, body: object) =>
  client.ask('PATCH', `${path}?fieldManager=m`, {
    body,
    headers: { 'content-type': 'application/apply-patch+yaml' },
  })
const scale = (more: Json) => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'a', namespace: 'default' },
  ...more,
})

describe('without replicas', () => {
  for (const [name, spec] of [
    ['nothing around', {}],
    ['an empty object around', { inner: {} }],
    ['null around', { inner: null }],
  ] as const)
    test(`a read is refused: ${name}`, async () => {
      await client.post(GATES, gate(spec))
      expect(answer(await client.get(`${GATES}/a/scale`))).toEqual(refused(LACKING))
    })

  for (const { name, write } of [
    { name: 'merge', write: (path: string) => client.merge(path, {}) },
    { name: 'json', write: (path: string) => client.json(path, []) },
    { name: 'apply', write: (path: string) => apply(path, scale({})) },
  ])
    test(`a write that brings none is refused: ${name}`, async () => {
      const made = await client.post(GATES, gate({}))
      expect(answer(await write(`${GATES}/a/scale`))).toEqual(refused(EMPTY))
      expect((await client.get(`${GATES}/a`)).body).toEqual(made.body)
    })

  for (const { name, write, replicas } of [
    {
      name: 'put',
      write: (path: string) => client.put(path, scale({ spec: { replicas: 3 } })),
      replicas: 3,
    },
    // Zero is not written in a body.
    { name: 'put of zero', write: (path: string) => client.put(path, scale({})), replicas: 0 },
    {
      name: 'merge',
      write: (path: string) => client.merge(path, { spec: { replicas: 3 } }),
      replicas: 3,
    },
    {
      name: 'apply',
      write: (path: string) => apply(path, scale({ spec: { replicas: 3 } })),
      replicas: 3,
    },
  ])
    test(`a write makes the field and what is around it: ${name}`, async () => {
      await client.post(GATES, gate({ other: 1 }))
      const written = await write(`${GATES}/a/scale`)
      expect([written.status, written.body.spec]).toEqual([200, replicas === 0 ? {} : { replicas }])
      const { body } = await client.get(`${GATES}/a`)
      expect([body.spec, body.metadata.generation]).toEqual([{ inner: { replicas }, other: 1 }, 2])
      expect(answer(await client.get(`${GATES}/a/scale`))).toEqual([200, written.body])
    })
})

describe('replicas of an object', () => {
  const of = { kind: 'Gate', group: 'stable.example.com', name: 'a' }
  const field = '.spec.inner.replicas'
  const accessor = (path: string, value: string, type: string, wanted = 'int64') =>
    `${path} accessor error: ${value} is of the type ${type}, expected ${wanted}`
  for (const { name, inner, message } of [
    {
      name: 'negative',
      inner: { replicas: -1 },
      message: 'Invalid value: -1: should be a non-negative integer',
    },
    {
      name: 'too many',
      inner: { replicas: 2147483648 },
      message: 'Invalid value: 2147483648: should be less than or equal to 2147483647',
    },
    {
      name: 'a text',
      inner: { replicas: 'x' },
      message: `Invalid value: 0: ${accessor(field, 'x', 'string')}`,
    },
    {
      name: 'a fraction',
      inner: { replicas: 1.5 },
      message: `Invalid value: 0: ${accessor(field, '1.5', 'float64')}`,
    },
    {
      name: 'a list',
      inner: { replicas: [1] },
      message: `Invalid value: 0: ${accessor(field, '[1]', '[]interface {}')}`,
    },
    {
      name: 'inside a number',
      inner: 5,
      message: `Invalid value: 0: ${accessor(field, '5', 'int64', 'map[string]interface{}')}`,
    },
  ])
    test(`are refused: ${name}`, async () => {
      const refusal = refused(invalid(of, [[field, 'Invalid', message]]))
      expect(answer(await client.post(GATES, gate({ inner })))).toEqual(refusal)
      await client.post(GATES, gate({ inner: { replicas: 1 } }))
      // A merge would keep the members of an object.
      const change = [{ op: 'replace', path: '/spec/inner', value: inner }]
      expect(answer(await client.json(`${GATES}/a`, change))).toEqual(refusal)
    })

  test('are bounded in the status too, and the selector is a text', async () => {
    await client.post(GATES, gate({}))
    const status = { replicas: -3, selector: 7 }
    expect(answer(await client.merge(`${GATES}/a/status`, { status }))).toEqual(
      refused(
        invalid(of, [
          ['.status.replicas', 'Invalid', 'Invalid value: -3: should be a non-negative integer'],
          [
            '.status.selector',
            'Invalid',
            `Invalid value: "": ${accessor('.status.selector', '7', 'int64', 'string')}`,
          ],
        ]),
      ),
    )
  })

  test('are refused in a Scale by the rules of a Scale', async () => {
    await client.post(GATES, gate({ inner: { replicas: 1 } }))
    expect(answer(await client.merge(`${GATES}/a/scale`, { spec: { replicas: -1 } }))).toEqual(
      refused(
        invalid({ kind: 'Scale', group: 'autoscaling', name: 'a' }, [
          ['spec.replicas', 'Invalid', 'Invalid value: -1: must be greater than or equal to 0'],
        ]),
      ),
    )
  })

  test('belong to who applied them through the Scale', async () => {
    await client.post(`${GATES}?fieldManager=maker`, gate({ inner: { replicas: 1 } }))
    const body = scale({ spec: { replicas: 4 } })
    expect((await apply(`${GATES}/a/scale`, body)).body).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: expect.stringMatching(
        /^Apply failed with 1 conflict: conflict with "maker" using stable\.example\.com\/v1 at \S+: \.spec\.inner\.replicas$/,
      ),
    })
    const forced = await client.ask('PATCH', `${GATES}/a/scale?fieldManager=m&force=true`, {
      body,
      headers: { 'content-type': 'application/apply-patch+yaml' },
    })
    expect(forced.body.spec).toEqual({ replicas: 4 })
    const { managedFields } = (await client.get(`${GATES}/a`)).body.metadata
    expect(
      managedFields.map(({ manager, operation, subresource, fieldsV1 }: Json) => [
        manager,
        operation,
        subresource,
        fieldsV1,
      ]),
    ).toEqual([
      ['m', 'Apply', 'scale', { 'f:spec': { 'f:inner': { '.': {}, 'f:replicas': {} } } }],
      ['maker', 'Update', undefined, { 'f:spec': { '.': {}, 'f:inner': {} } }],
    ])
  })
})

test('a JSON patch replaces replicas that are zero, which a Scale does not show', async () => {
  await client.post(GATES, gate({ inner: { replicas: 0 } }))
  const path = `${GATES}/a/scale`
  expect((await client.get(path)).body.spec).toEqual({})
  const { status, body } = await client.ask('PATCH', path, {
    body: [{ op: 'replace', path: '/spec/replicas', value: 3 }],
    headers: { 'content-type': 'application/json-patch+json' },
  })
  expect([status, body.spec]).toEqual([200, { replicas: 3 }])
  expect((await client.get(`${GATES}/a`)).body.spec).toEqual({ inner: { replicas: 3 } })
})

describe('forms of a Scale', () => {
  const BINARY = 'application/vnd.orch.protobuf'

  test('it has a binary one, which the objects have not', async () => {
    await client.post(GATES, gate({ inner: { replicas: 2 } }))
    const binary = { headers: { accept: BINARY } }
    expect((await client.get(`${GATES}/a`, binary)).status).toBe(406)
    const path = `${GATES}/a/scale`
    const head = await client.open('GET', path, binary)
    expect([head.statusCode, head.headers['content-type']]).toEqual([200, BINARY])
    const parts: Buffer[] = []
    for await (const part of head) parts.push(part as Buffer)
    const raw = Buffer.concat(parts)
    expect(raw.subarray(0, 4).toString('latin1')).toBe('k8s\0')
    const written = await client.ask('PUT', path, {
      raw,
      headers: { 'content-type': BINARY, 'content-length': String(raw.length) },
    })
    expect([written.status, written.body.spec]).toEqual([200, { replicas: 2 }])
  })

  test('it is patched as the objects are', async () => {
    await client.post(GATES, gate({ inner: { replicas: 2 } }))
    const { status, body } = await client.ask('PATCH', `${GATES}/a/scale`, {
      body: { spec: { replicas: 3 } },
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
    })
    expect([status, body.message]).toEqual([
      415,
      'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    ])
  })
})

test('a path never leads to what objects inherit', async () => {
  const traps = at('traps')
  await client.post(traps, object('Trap', { spec: {}, status: {} }))
  expect((await client.get(`${traps}/a/scale`)).body.message).toBe(
    'Internal error occurred: the spec replicas field ".spec.constructor.prototype.replicas" does not exist',
  )
  const written = await client.merge(`${traps}/a/scale`, { spec: { replicas: 3 } })
  expect([written.status, written.body.spec]).toEqual([200, { replicas: 3 }])
  expect((await client.get(`${traps}/a`)).body.spec).toEqual({
    constructor: { prototype: { replicas: 3 } },
  })
  expect((Object as unknown as { replicas?: unknown }).replicas).toBeUndefined()
  expect(({} as { replicas?: unknown }).replicas).toBeUndefined()
})
