/** What clients are told when an answer cannot be had in the form that they ask for. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const BINARY = 'application/vnd.orch.protobuf'
const as = (shape: string, type = 'application/json') => `${type};as=${shape};g=meta.orch.io;v=v1`
const ALL = `application/json, application/yaml, ${BINARY}`
const ONLY = 'only the following media types are accepted'

let server: RunningServer
let client: Client

beforeAll(async () => {
  server = await startServer({ controllers: false })
  client = new Client(server)
  await client.post(MAPS, { metadata: { name: 'one' } })
})
afterAll(async () => {
  client.close()
  await server.close()
})

const NO_LIST =
  'you requested PartialObjectMetadataList, but the requested object is not a list (ConfigMap)'
const A_LIST =
  'you requested PartialObjectMetadata, but the requested object is a list (ConfigMapList)'

for (const [name, path, accept, message] of [
  ['an object', `${MAPS}/one`, 'image/png', `${ONLY}: ${ALL}`],
  ['a list', MAPS, 'text/html', `${ONLY}: ${ALL}`],
  ['a list in an unknown shape', MAPS, as('Chart'), `${ONLY}: ${ALL}`],
  ['a table in the binary form', MAPS, as('Table', BINARY), `${ONLY}: ${ALL}`],
  [
    'a watch',
    `${MAPS}?watch=1`,
    'image/png',
    `${ONLY}: application/json;stream=watch, ${BINARY};stream=watch`,
  ],
  ['discovery', '/apis', 'image/png', `${ONLY}: ${ALL}`],
  ['discovery in another shape', '/apis', as('Table'), `${ONLY}: ${ALL}`],
  ['a list of metadata of an object', `${MAPS}/one`, as('PartialObjectMetadataList'), NO_LIST],
  ['metadata of a list', MAPS, as('PartialObjectMetadata'), A_LIST],
  ['a binary list of one', `${MAPS}/one`, as('PartialObjectMetadataList', BINARY), NO_LIST],
  ['binary metadata of a list', MAPS, as('PartialObjectMetadata', BINARY), A_LIST],
] as const) {
  test(name, async () => {
    const { status, headers, text } = await client.get(path, { headers: { accept } })
    expect([status, headers['content-type']]).toEqual([406, 'application/json'])
    const failure = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason: 'NotAcceptable',
      code: 406,
    }
    expect(text).toBe(JSON.stringify(failure, null, 2))
  })
}

test('published schemas say no more than the code', async () => {
  for (const path of ['/openapi/v2', '/openapi/v3/api/v1']) {
    const { status, text } = await client.get(path, { headers: { accept: 'image/png' } })
    expect([path, status, text]).toEqual([path, 406, ''])
  }
})
