/**
 * Integers beyond 2^53, which a number of the language would round, wherever an object may have one: in its metadata, in
 * places with a schema, in places without. Each write is repeated, since the server learns from writes that are alike.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer, type ServerOptions } from '../../src/index.ts'
import { formatJson, parseJson } from '../../src/codec/json-text.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { Client } from '../client.ts'
import { collectionOf, manifests, objectOf, type Manifest } from '../manifests.fixture.ts'
import { CHANGING_PLUGINS } from '../plain-objects.ts'
import { definition, DEFINITIONS, version, type Json } from './definitions.fixture.ts'

const LARGE = 9007199254740993n
const TEXT = String(LARGE)
const integer = { type: 'integer', format: 'int64' }
const BINARY = 'application/vnd.orch.protobuf'
const v = vocabularies.orch
const tableOf = (part: string) => `application/json;as=${part};g=meta.orch.io;v=v1`

let server: RunningServer
let client: Client

/** One request; a refusal fails the test with what was said. */
async function ok(method: string, path: string, body: string | Buffer | null, type = '') {
  const answer = await client.open(method, path, {
    ...(body === null ? {} : { raw: body }),
    headers: { ...(type === '' ? {} : { 'content-type': type }), accept: 'application/json' },
  })
  const text = await textOf(answer)
  expect(answer.statusCode, `${method} ${path} ${type}: ${text}`).toBeLessThan(300)
  return text
}

async function textOf(answer: AsyncIterable<unknown>): Promise<string> {
  return (await bytesOf(answer)).toString()
}

async function bytesOf(answer: AsyncIterable<unknown>): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of answer) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

async function formOf(path: string, accept: string): Promise<Buffer> {
  const answer = await client.open('GET', path, { headers: { accept } })
  const bytes = await bytesOf(answer)
  expect(answer.statusCode, `GET ${path} ${accept}: ${bytes.toString()}`).toBe(200)
  return bytes
}

function served(options: ServerOptions): void {
  beforeAll(async () => {
    server = await startServer(options)
    client = new Client(server)
  })
  afterAll(async () => {
    client.close()
    await server.close()
  })
}

const JSON_TYPE = 'application/json'
const APPLY = 'application/apply-patch+yaml'

/** Every write and every read of an object, several times. */
async function useEachWay(
  { collection, path, isDeclared }: { collection: string; path: string; isDeclared: boolean },
  object: (round: number) => Json,
): Promise<void> {
  const text = (round: number) => formatJson(object(round))
  const patches: Readonly<Record<string, (round: number) => string>> = {
    'application/merge-patch+json': (i) => `{"metadata":{"labels":{"merge":"${i}"}}}`,
    'application/json-patch+json': (i) =>
      `[{"op":"add","path":"/metadata/annotations/patch","value":"${i}"}]`,
    ...(isDeclared
      ? {
          'application/strategic-merge-patch+json': (i: number) =>
            `{"metadata":{"labels":{"strategic":"${i}"}}}`,
        }
      : {}),
  }
  await ok('POST', `${collection}?dryRun=All`, text(0), JSON_TYPE)
  await ok('POST', collection, text(0), JSON_TYPE)
  for (let i = 1; i < 4; i++) {
    const live = parseJson(await ok('GET', path, null)) as { metadata: { annotations: Json } }
    live.metadata.annotations['update'] = String(i)
    await ok('PUT', path, formatJson(live), JSON_TYPE)
    for (const [type, body] of Object.entries(patches)) await ok('PATCH', path, body(i), type)
    await ok('PATCH', `${path}?fieldManager=m&force=true`, text(i), APPLY)
    await ok('PATCH', `${path}?fieldManager=m&force=true`, text(i), APPLY)
  }
  for (const of of [path, collection])
    for (const accept of [
      JSON_TYPE,
      'application/yaml',
      tableOf('Table'),
      tableOf(of === path ? 'PartialObjectMetadata' : 'PartialObjectMetadataList'),
      ...(isDeclared ? [BINARY] : []),
    ])
      await formOf(of, accept)
  await ok('GET', `${collection}?pretty=true&labelSelector=merge%3D3`, null)
  const back = await formOf(path, isDeclared ? BINARY : JSON_TYPE)
  await ok('PUT', path, back, isDeclared ? BINARY : JSON_TYPE)
}

/** Creates that are alike, each of which but the last is deleted again. */
async function createAlike(collection: string, path: string, object: (round: number) => Json) {
  for (let i = 0; i < 4; i++) {
    const made = parseJson(await ok('POST', collection, formatJson(object(i)), JSON_TYPE)) as Json
    expect(made['spec']).toMatchObject((object(i)['spec'] as Json | undefined) ?? {})
    await ok('DELETE', `${path}?gracePeriodSeconds=0&propagationPolicy=Background`, null)
    const { status } = await client.get(path)
    if (status === 404) continue
    const [part, raw, type] = /^\/api\/v1\/namespaces\/[^/]+$/.test(path)
      ? (['/finalize', formatJson({ ...object(i), spec: {} }), JSON_TYPE] as const)
      : (['', '{"metadata":{"finalizers":null}}', 'application/merge-patch+json'] as const)
    await ok(part === '' ? 'PATCH' : 'PUT', path + part, raw, type)
  }
}

const numbered = (object: Json, round: number): Json => ({
  ...object,
  metadata: {
    ...(object['metadata'] as Json),
    generation: LARGE,
    annotations: { n: String(round) },
  },
})

describe('the generation of a built-in kind', () => {
  served({
    controllers: false,
    runtimeConfig: { 'api/all': true },
    disableAdmissionPlugins: CHANGING_PLUGINS,
    priorityAndFairness: false,
  })
  for (const manifest of manifests(v)) {
    test(`${manifest.apiVersion} ${manifest.resource}`, async () => {
      const name = nameOf(manifest)
      const object = objectOf(manifest, name)
      const collection = collectionOf(manifest)
      const path = `${collection}/${name}`
      await createAlike(collection, path, (round) => numbered(object, round))
      await useEachWay({ collection, path, isDeclared: true }, (round) => numbered(object, round))
    })
  }
})

const nameOf = ({ apiVersion, name }: Manifest) =>
  name ?? `minimal-${apiVersion.slice(apiVersion.indexOf('/') + 1)}`

const PROPERTIES: Json = {
  spec: {
    type: 'object',
    properties: {
      n: { ...integer, maximum: LARGE },
      set: { type: 'array', 'x-orch-list-type': 'set', items: integer },
      map: {
        type: 'array',
        maxItems: 10,
        'x-orch-list-type': 'map',
        'x-orch-list-map-keys': ['id'],
        items: {
          type: 'object',
          required: ['id'],
          properties: { id: integer, size: integer },
          'x-orch-validations': [{ rule: 'self.id > 1 && self.id >= oldSelf.id' }],
        },
      },
      free: { type: 'object', 'x-orch-preserve-unknown-fields': true },
      either: { 'x-orch-int-or-string': true },
    },
    'x-orch-validations': [{ rule: `!has(self.n) || self.n <= ${TEXT}` }],
  },
  status: { type: 'object', properties: { n: integer } },
}

describe('a custom kind', () => {
  served({})
  const GROUP = '/apis/stable.example.com/v1/namespaces/default'
  const definitionOf = () => ({
    ...definition('larges', 'Large', {
      names: { plural: 'larges', kind: 'Large' },
      versions: [
        version(
          'v1',
          {
            storage: true,
            subresources: { status: {} },
            additionalPrinterColumns: ['.spec.n', '.spec.map', '.spec.free.deep', '.status.n'].map(
              (jsonPath, i) => ({
                name: `c${i}`,
                type: i % 2 === 0 ? 'integer' : 'string',
                jsonPath,
              }),
            ),
          },
          PROPERTIES,
        ),
      ],
    }),
  })
  const object = (round: number, more: Json = {}): Json => ({
    apiVersion: 'stable.example.com/v1',
    kind: 'Large',
    metadata: {
      name: 'large',
      generation: LARGE,
      annotations: { n: String(round), ...(more['annotations'] as Json) },
    },
    spec: {
      n: LARGE,
      set: [LARGE, LARGE + BigInt(round) + 1n],
      map: [
        { id: LARGE, size: round },
        { id: LARGE + 2n, size: LARGE },
      ],
      free: { deep: LARGE, list: [LARGE, { '': LARGE }] },
      either: LARGE,
    },
    status: { n: LARGE },
  })
  const path = `${GROUP}/larges/large`
  const collection = `${GROUP}/larges`

  test('has them in the rules and bounds of its definition', async () => {
    await ok('POST', DEFINITIONS, formatJson(definitionOf()), JSON_TYPE)
    const at = `${DEFINITIONS}/larges.stable.example.com`
    const type = 'application/merge-patch+json'
    for (let i = 0; i < 3; i++) await ok('PATCH', at, `{"metadata":{"labels":{"a":"${i}"}}}`, type)
    for (const accept of [JSON_TYPE, 'application/yaml', BINARY, tableOf('Table')])
      await formOf(at, accept)
  })

  test('has them in its objects', async () => {
    while ((await client.get(collection)).status === 404);
    await createAlike(collection, path, object)
    await useEachWay({ collection, path, isDeclared: false }, object)
    const status = `{"status":{"n":${LARGE + 4n}}}`
    for (let i = 0; i < 3; i++)
      await ok('PATCH', `${path}/status`, status, 'application/merge-patch+json')
    const table = parseJson(await formOf(path, tableOf('Table'))) as {
      rows: { cells: unknown[] }[]
    }
    expect(table.rows[0]!.cells).toEqual([
      'large',
      LARGE,
      `[{"id":${TEXT},"size":3},{"id":${LARGE + 2n},"size":${TEXT}}]`,
      LARGE,
      String(LARGE + 4n),
    ])
    const text = await ok('GET', path, null)
    expect(text).toContain(`"n":${TEXT}`)
    expect(text).toContain(`"set":[${TEXT},9007199254740994,9007199254740997]`)
  })
})
