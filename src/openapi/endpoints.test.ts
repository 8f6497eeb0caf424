import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { configMaps } from '../kinds/core/config-map.ts'
import { csiStorageCapacities } from '../kinds/storage/csi-storage-capacity.ts'
import { resources as everyResource } from '../kinds/index.ts'
import { buildCatalogue, declaredVersions } from '../catalogue/catalogue.ts'
import { declaredEntries } from '../catalogue/declared-entry.ts'
import { vocabularies } from '../vocabulary/index.ts'
import { schemaEntries } from '../extend/schema-entry.ts'
import { everyVersion } from './everywhere.ts'
import { openApiEndpoints, type OpenApiResponse } from './endpoints.ts'

const v = vocabularies.orch
const resources = [configMaps, csiStorageCapacities]
const endpoints = openApiEndpoints({
  catalogue: buildCatalogue(resources, v),
  v,
  now: () => Date.UTC(2030, 0, 1),
})
const V2 = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'
const V3 = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf'
const hashOf = (bytes: Buffer) => createHash('sha512').update(bytes).digest('hex').toUpperCase()
const header = ({ headers }: OpenApiResponse, name: string) => {
  const at = headers.indexOf(name)
  return at === -1 ? undefined : headers[at + 1]
}
const text = ({ body }: OpenApiResponse) => JSON.parse(body.toString('utf8'))

describe('/openapi/v2', () => {
  test('JSON, its tag, and nothing new', async () => {
    const answer = await endpoints.v2({})
    const etag = header(answer, 'etag')!
    expect(etag).toMatch(/^"[0-9A-F]{128}"$/)
    expect({ ...answer, body: text(answer).swagger }).toEqual({
      status: 200,
      headers: ['etag', etag, 'vary', 'Accept', 'content-type', 'application/json'],
      body: '2.0',
    })
    expect(await endpoints.v2({ ifNoneMatch: `"x", ${etag}` })).toEqual({
      status: 304,
      headers: ['etag', etag, 'vary', 'Accept'],
      body: Buffer.alloc(0),
    })
  })

  test('protobuf, compressed', async () => {
    const plain = await endpoints.v2({ accept: V2 })
    const packed = await endpoints.v2({ accept: V2, gzip: true })
    expect(header(plain, 'content-type')).toBe('application/octet-stream')
    expect(header(packed, 'content-encoding')).toBe('gzip')
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true)
    expect(plain.body.subarray(0, 5)).toEqual(Buffer.from([0x0a, 3, 0x32, 0x2e, 0x30]))
  })

  test('a form that is not there', async () => {
    expect(await endpoints.v2({ accept: 'text/html' })).toEqual({
      status: 406,
      headers: [],
      body: Buffer.alloc(0),
    })
  })
})

describe('/openapi/v3', () => {
  test('the index leads to documents that stay', async () => {
    const { paths } = text(await endpoints.v3Index({}))
    expect(Object.keys(paths)).toEqual([
      '.well-known/openid-configuration',
      'api',
      'api/v1',
      'apis',
      'apis/storage.orch.io',
      'apis/storage.orch.io/v1',
      'apis/storage.orch.io/v1beta1',
      'logs',
      'openid/v1/jwks',
      'version',
    ])
    for (const [path, { serverRelativeURL }] of Object.entries<any>(paths)) {
      const url = new URL(serverRelativeURL, 'https://server')
      expect(url.pathname).toBe(`/openapi/v3/${path}`)
      const answer = await endpoints.v3(path, url.searchParams.get('hash'), {})
      expect(url.searchParams.get('hash')).toBe(hashOf(answer.body))
      expect(header(answer, 'cache-control')).toBe('public, immutable')
      expect(header(answer, 'expires')).toBe('Wed, 01 Jan 2031 00:00:00 GMT')
      expect(text(answer).openapi).toBe('3.0.0')
    }
  })

  test('a document without its hash, with a wrong one, and none at all', async () => {
    const answer = await endpoints.v3('api/v1', null, {})
    const hash = hashOf(answer.body)
    expect(answer.status).toBe(200)
    expect(header(answer, 'cache-control')).toBeUndefined()
    expect(await endpoints.v3('api/v1', 'OLD', {})).toEqual({
      status: 301,
      headers: ['location', `/openapi/v3/api/v1?hash=${hash}`],
      body: Buffer.alloc(0),
    })
    expect((await endpoints.v3('api/v1', hash, { ifNoneMatch: `"${hash}"` })).status).toBe(304)
    expect(await endpoints.v3('apis/none/v1', null, {})).toEqual({
      status: 404,
      headers: [],
      body: Buffer.alloc(0),
    })
    const binary = await endpoints.v3('api/v1', null, { accept: V3 })
    expect(header(binary, 'content-type')).toBe('application/octet-stream')
    const dotted = V3.replace('@', '.')
    const named = await endpoints.v3('api/v1', null, { accept: dotted })
    expect(header(named, 'content-type')).toBe(dotted)
    expect((await endpoints.v3('api/v1', null, { accept: 'image/png' })).status).toBe(406)
  })

  test('another version of the same wire form has definitions of its own', async () => {
    const { components } = text(await endpoints.v3('apis/storage.orch.io/v1beta1', null, {}))
    const names = Object.keys(components.schemas).filter((name) => name.includes('.storage.'))
    expect(names).toEqual([
      'io.orch.api.storage.v1beta1.CSIStorageCapacity',
      'io.orch.api.storage.v1beta1.CSIStorageCapacityList',
    ])
    expect(components.schemas[names[0]!]['x-orch-group-version-kind']).toEqual([
      { group: 'storage.orch.io', kind: 'CSIStorageCapacity', version: 'v1beta1' },
    ])
  })
})

test('a change rebuilds only the affected documents', async () => {
  const catalogue = buildCatalogue([configMaps], v)
  const changing = openApiEndpoints({ catalogue, v })
  const pathsOf = async () => Object.keys(text(await changing.v2({})).paths)
  const urlsOf = async () => {
    const { paths } = text(await changing.v3Index({}))
    return Object.entries<{ serverRelativeURL: string }>(paths).map(
      ([path, { serverRelativeURL }]) => `${path} ${serverRelativeURL}`,
    )
  }
  const before = { paths: await pathsOf(), urls: await urlsOf() }
  expect(await pathsOf()).toEqual(before.paths)
  const versions = declaredEntries(csiStorageCapacities, v)
  catalogue.publish('storage', [{ versions, served: [versions[0]] }])
  const during = { paths: await pathsOf(), urls: await urlsOf() }
  expect(during.paths.filter((path) => !before.paths.includes(path))).toContain(
    '/apis/storage.orch.io/v1/csistoragecapacities',
  )
  expect(during.urls.filter((url) => !before.urls.includes(url))).toEqual([
    'apis/storage.orch.io /openapi/v3/apis/storage.orch.io?hash=' + hashIn(during.urls[4]!),
    'apis/storage.orch.io/v1 /openapi/v3/apis/storage.orch.io/v1?hash=' + hashIn(during.urls[5]!),
  ])
  const one = (await changing.v3('apis/storage.orch.io/v1', null, {})).body
  // Another version beside it: the document of the first is the one that was made.
  catalogue.publish('storage', [{ versions, served: versions }])
  expect((await changing.v3('apis/storage.orch.io/v1', null, {})).body).toEqual(one)
  expect((await changing.v3('apis/storage.orch.io/v1beta1', null, {})).status).toBe(200)
  catalogue.publish('storage', [])
  expect({ paths: await pathsOf(), urls: await urlsOf() }).toEqual(before)
  expect((await changing.v3('apis/storage.orch.io/v1', null, {})).status).toBe(404)
})

describe('kinds of users', () => {
  /** Versions of a kind, and how often its schema was read. */
  const kindOf = (name: string, generation: number, properties: object) => {
    const read = { times: 0 }
    const versions = schemaEntries({
      group: name === 'far' ? 'far.example.com' : 'example.com',
      plural: `${name}s`,
      singular: name,
      kind: name,
      listKind: `${name}List`,
      namespaced: true,
      generation,
      versions: [
        {
          name: 'v1',
          get schema() {
            read.times++
            return { type: 'object', properties } as never
          },
        },
      ],
    })
    return { read, entries: [{ versions, served: versions }] }
  }
  const first = { spec: { type: 'object', properties: { a: { type: 'string' } } } }
  const second = { spec: { type: 'object', properties: { b: { enum: [9007199254740993n, 'x'] } } } }

  test('are written once each, and documents are the same as made at once', async () => {
    const catalogue = buildCatalogue([configMaps], v)
    const changing = openApiEndpoints({ catalogue, v })
    const bare = await changing.v2({})
    const kinds = ['one', 'two', 'far'].map((name) => ({ name, ...kindOf(name, 1, first) }))
    for (const { name, entries } of kinds) catalogue.publish(name, entries)
    const v3Of = (path: string, accept = '*/*') => changing.v3(path, null, { accept })
    const compare = async () => {
      const fresh = openApiEndpoints({ catalogue, v })
      const all = []
      for (const accept of ['application/json', V2]) {
        const [kept, made] = [await changing.v2({ accept }), await fresh.v2({ accept })]
        expect(kept).toEqual(made)
        all.push(kept)
      }
      for (const accept of ['application/json', V3])
        for (const path of ['apis/example.com/v1', 'apis/example.com', 'apis/far.example.com/v1'])
          expect(await v3Of(path, accept)).toEqual(await fresh.v3(path, null, { accept }))
      return all[0]!
    }
    const before = await changing.v2({})
    const far = await v3Of('apis/far.example.com/v1')
    const schemaIn = (answer: OpenApiResponse, name: string) =>
      text(answer).definitions[name]?.properties.spec.properties
    expect(schemaIn(before, 'com.example.v1.one')).toEqual({ a: { type: 'string' } })
    expect(Object.keys(text(before).paths)).toContain(
      '/apis/far.example.com/v1/namespaces/{namespace}/fars',
    )
    const reads = kinds.map(({ read }) => read.times)
    const next = kindOf('two', 2, second)
    catalogue.publish('two', next.entries)
    const after = await compare()
    expect(header(after, 'etag')).not.toBe(header(before, 'etag'))
    expect(after.body.toString('utf8')).toContain('"enum":[9007199254740993,"x"]')
    expect(await v3Of('apis/far.example.com/v1')).toEqual(far)
    // The fresh endpoints read each schema once more for every document; the others read only what is new.
    expect(kinds.map(({ read }, i) => read.times - reads[i]!)).toEqual([3, 0, 2])
    expect(next.read.times).toBe(4)
    catalogue.publish('two', [])
    catalogue.publish('far', [])
    expect(schemaIn(await changing.v2({}), 'com.example.v1.two')).toBeUndefined()
    catalogue.publish('one', [])
    expect(await changing.v2({})).toEqual(bare)
  })
})

const hashIn = (url: string) => url.slice(url.indexOf('=') + 1)

test.each(['orch', 'kubernetes'] as const)('every declared version has a document, %s', (name) => {
  const words = vocabularies[name]
  const known = new Set(everyVersion(words).map(({ group, version }) => `${group}/${version}`))
  const unknown = declaredVersions(everyResource, words)
    .map(({ group, version }) => `${group}/${version}`)
    .filter((place) => !known.has(place))
  expect(unknown).toEqual([])
})
