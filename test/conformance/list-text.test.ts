/** Lists as YAML and as indented JSON are written item by item: they are what they would be as a whole. */
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { formatJson, parseJson } from '../../src/codec/json-text.ts'
import { toYaml } from '../../src/codec/yaml.ts'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const BOOKS = '/apis/example.com/v1/namespaces/default/books'
const META = 'v=v1;g=meta.k8s.io'
const JSON_TYPE = 'application/json'
const YAML_TYPE = 'application/yaml'

let server: RunningServer
let client: Client
beforeAll(async () => {
  server = await startServer({ vocabulary: 'kubernetes' })
  await server.settled()
  client = new Client(server)
  const long = 'ä"\n'.repeat(100_000)
  for (const [name, data] of Object.entries({
    empty: undefined,
    lines: { a: 'one\ntwo\n', b: '- x', c: 'yes', d: '', e: '  indented\n\n', f: '{}' },
    long: { a: long, b: 'v'.repeat(300_000) },
    last: { z: '1', a: '2' },
  }))
    await client.post(MAPS, { metadata: { name, labels: { in: name } }, data })
  await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'books.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'books', singular: 'book', kind: 'Book', listKind: 'BookList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      ],
    },
  })
  await vi.waitUntil(async () => (await client.get(BOOKS)).status === 200)
  for (const name of ['a', 'b'])
    await client.post(BOOKS, {
      apiVersion: 'example.com/v1',
      kind: 'Book',
      metadata: { name },
      items: [],
      list: [[], [[1, { b: null }]], {}],
      number: 1.5,
    })
})
afterAll(async () => {
  client.close()
  await server.close()
})

for (const [path, of] of [
  [MAPS, 'config maps'],
  [`${MAPS}?limit=2`, 'a page'],
  [`${MAPS}?labelSelector=in%3Dabsent`, 'no config maps'],
  [BOOKS, 'custom objects'],
] as const)
  for (const as of ['', `;as=Table;${META}`, `;as=PartialObjectMetadataList;${META}`] as const)
    describe(`a list of ${of}${as}`, () => {
      const textOf = async (query: string, accept: string) => {
        const { text, headers } = await client.get(path + query, { headers: { accept } })
        // Ages go on.
        return [headers['content-type'], text.replaceAll(/\b\d+s\b/g, '1s')]
      }
      const plain = async () => parseJson(Buffer.from((await textOf('', JSON_TYPE + as))[1]!))

      test('as indented JSON', async () => {
        const query = path.includes('?') ? '&pretty=true' : '?pretty=true'
        const pretty = [JSON_TYPE, formatJson(await plain(), 2)]
        expect(await textOf(query, JSON_TYPE + as)).toEqual(pretty)
      })

      test('as YAML', async () => {
        const yaml = [YAML_TYPE, await toYaml(await plain())]
        expect(await textOf('', YAML_TYPE + as)).toEqual(yaml)
      })
    })

test('a long one is compressed for those who accept that', async () => {
  const headers = { accept: YAML_TYPE, 'accept-encoding': 'gzip' }
  const answer = await client.open('GET', MAPS, { headers })
  const packed = await buffer(answer)
  const { text } = await client.get(MAPS, { headers: { accept: YAML_TYPE } })
  expect([answer.headers['content-encoding'], answer.headers['vary']]).toEqual([
    'gzip',
    'Accept-Encoding',
  ])
  expect(gunzipSync(packed).toString()).toBe(text)
})
