/** Bodies of custom resources that do not say their type, and the parts of a definition that clients read. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client, type Reply } from '../client.ts'
import { failure, invalid } from '../failure.ts'
import { define, definition, DEFINITIONS, version, type Json } from './definitions.fixture.ts'

const text = { type: 'string' }
const embedded = (properties?: Json) => ({
  type: 'object',
  'x-orch-embedded-resource': true,
  'x-orch-preserve-unknown-fields': true,
  ...(properties ? { properties } : {}),
})
const BOXES = definition('boxes', 'Box', {
  versions: [
    version(
      'v1',
      {
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
      },
      {
        spec: {
          type: 'object',
          properties: {
            free: embedded(),
            typed: embedded({ apiVersion: text, kind: { ...text, default: 'Pod' } }),
            list: { type: 'array', items: embedded() },
            replicas: { type: 'integer' },
          },
        },
        status: { type: 'object', properties: { replicas: { type: 'integer' } } },
      },
    ),
  ],
})
const PATH = '/apis/stable.example.com/v1/namespaces/default/boxes'
const VERSION = 'stable.example.com/v1'
const box = (spec: Json = {}, name = 'a') => ({
  apiVersion: VERSION,
  kind: 'Box',
  metadata: { name },
  spec,
})

let server: RunningServer
let client: Client
beforeAll(async () => {
  server = await startServer()
  client = new Client(server)
  await define(client, BOXES)
})
afterAll(async () => {
  client.close()
  await server.close()
})

const answer = ({ status, body }: Reply) => [status, body]
const bad = (message: string) => [400, failure({ code: 400, reason: 'BadRequest', message })]
const NO_KIND = "Object 'Kind' is missing in 'unstructured object has no kind'"
const NO_VERSION = "Object 'apiVersion' is missing in 'unstructured object has no version'"
const otherVersion = (given: string) =>
  `the API version in the data (${given}) does not match the expected API version (${VERSION})`
const details = { kind: 'Box', group: 'stable.example.com', name: 'a' }

describe('a body that does not say its type is refused', () => {
  for (const [name, type, expected] of [
    ['no kind', { apiVersion: VERSION }, bad(NO_KIND)],
    ['an empty kind', { apiVersion: VERSION, kind: '' }, bad(NO_KIND)],
    ['null for a kind', { apiVersion: VERSION, kind: null }, bad(NO_KIND)],
    ['a number for a kind', { apiVersion: VERSION, kind: 5 }, bad(NO_KIND)],
    ['neither', {}, bad(NO_KIND)],
    ['no version', { kind: 'Box' }, bad(otherVersion(''))],
    ['an empty version', { kind: 'Box', apiVersion: '' }, bad(otherVersion(''))],
    ['null for a version', { kind: 'Box', apiVersion: null }, bad(NO_VERSION)],
    ['another version', { kind: 'Box', apiVersion: 'a/v1' }, bad(otherVersion('a/v1'))],
    [
      'another kind',
      { kind: 'Pod', apiVersion: VERSION },
      [422, failure(invalid(details, [['kind', 'Invalid', 'Invalid value: "Pod": must be Box']]))],
    ],
  ] as const) {
    test(name, async () => {
      const { kind: _kind, apiVersion: _version, ...rest } = box()
      for (const query of ['', '?fieldValidation=Ignore', '?fieldValidation=Strict'])
        expect(answer(await client.post(PATH + query, { ...type, ...rest }))).toEqual(expected)
      await client.post(PATH, box())
      const present = (await client.get(`${PATH}/a`)).body
      const { kind: _k, apiVersion: _v, ...left } = present
      expect(answer(await client.put(`${PATH}/a`, { ...type, ...left }))).toEqual(expected)
      await client.delete(`${PATH}/a`)
    })
  }

  test('also when a patch takes it away', async () => {
    await client.post(PATH, box())
    const why = "Object 'Kind' is missing"
    const { status, body } = await client.merge(`${PATH}/a`, { kind: null })
    expect([status, body.message]).toEqual([422, ` "" is invalid: patch: Invalid value: ${why}`])
    const other = await client.merge(`${PATH}/a`, { kind: 'Pod', apiVersion: 'v1' })
    expect([other.status, other.body.details]).toEqual([
      422,
      {
        ...details,
        causes: [
          {
            field: 'kind',
            reason: 'FieldValueInvalid',
            message: 'Invalid value: "Pod": must be Box',
          },
          {
            field: 'apiVersion',
            reason: 'FieldValueInvalid',
            message: `Invalid value: "v1": must be ${VERSION}`,
          },
        ],
      },
    ])
    await client.delete(`${PATH}/a`)
  })
})

describe('null for the type of an embedded object', () => {
  const refused = (path: string, shown = '"null"') =>
    bad(
      `Box in version "v1" cannot be handled as a Box: ${path}: Invalid value: ${shown}: must be a string`,
    )
  for (const [name, spec, expected] of [
    ['in one', { free: { apiVersion: null, kind: 'Pod' } }, refused('spec.free.apiVersion')],
    ['in an item', { list: [{ apiVersion: 'v1', kind: null }] }, refused('spec.list[0].kind')],
    ['a number', { free: { apiVersion: 5, kind: 'Pod' } }, refused('spec.free.apiVersion', '5')],
  ] as const)
    test(`is refused ${name}`, async () => {
      expect(answer(await client.post(PATH, box(spec)))).toEqual(expected)
    })

  test('is absent where the schema names it, or its default', async () => {
    const made = await client.post(
      `${PATH}?dryRun=All`,
      box({ typed: { apiVersion: 'v1', kind: null } }),
    )
    expect([made.status, made.body.spec.typed]).toEqual([201, { apiVersion: 'v1', kind: 'Pod' }])
    const { status, body } = await client.post(PATH, box({ typed: { apiVersion: null } }))
    expect([status, body.details.causes[0]]).toEqual([
      422,
      {
        field: 'spec.typed.apiVersion',
        reason: 'FieldValueRequired',
        message: 'Required value: must not be empty',
      },
    ])
  })
})

test('discovery names the verbs in the order of the reference', async () => {
  const { body } = await client.get('/apis/stable.example.com/v1')
  const shown = Object.fromEntries(
    (body.resources as { name: string; verbs: string[] }[]).map(({ name, verbs }) => [name, verbs]),
  )
  const part = ['get', 'patch', 'update']
  expect(shown).toEqual({
    boxes: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
    'boxes/scale': part,
    'boxes/status': part,
  })
})

test('stored versions are what the status says, and are held against the spec with that', async () => {
  const path = `${DEFINITIONS}/boxes.stable.example.com`
  const write = (storedVersions: readonly string[]) =>
    client.merge(`${path}/status`, { status: { storedVersions } })
  for (const [given, kept] of [
    [
      ['v1', 'v0'],
      ['v1', 'v0'],
    ],
    [['v0'], ['v0']],
    [
      ['v1', 'v1'],
      ['v1', 'v1'],
    ],
    [[], ['v1']],
  ] as const) {
    const { status, body } = await write(given)
    expect([status, body.status.storedVersions]).toEqual([200, kept])
  }
  await write(['v0', 'v1', 'v0'])
  const { status, body } = await client.merge(path, { metadata: { labels: { a: 'b' } } })
  expect([status, body.details.causes]).toEqual([
    422,
    [
      {
        field: 'status.storedVersions[2]',
        reason: 'FieldValueInvalid',
        message: 'Invalid value: "v0": must appear in spec.versions',
      },
    ],
  ])
  expect((await write(['v1'])).status).toBe(200)
  expect((await client.merge(path, { metadata: { labels: { a: 'b' } } })).status).toBe(200)
})
