/** OpenAPI documents of an extension server that has version 2 only. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'
import {
  apiService,
  APISERVICES,
  conditionOf,
  ExtensionServer,
  extensionCa,
  localService,
  publishedOf,
} from './extension-server.fixture.ts'

const GV = 'ext.example.com/v1'
const NAME = 'v1.ext.example.com'
const PATH = `/apis/${GV}/things`
const POD = 'io.k8s.api.core.v1.Pod'

let server: RunningServer
let client: Client
let backend: ExtensionServer
const hanging: (() => void)[] = []

const refers = (name: string) => ({ $ref: `#/definitions/${name}` })
const document = {
  swagger: '2.0',
  info: { title: 'ext', version: '7' },
  paths: {
    [PATH]: {
      get: {
        operationId: 'listThings',
        produces: ['application/json'],
        responses: { 200: { description: 'OK', schema: refers('Thing') } },
      },
    },
    '/version/': { get: { responses: { 200: { description: 'mine' } } } },
  },
  definitions: {
    Thing: { type: 'object', properties: { pod: refers(POD) } },
    [POD]: { type: 'string' },
  },
}

beforeAll(async () => {
  server = await startServer({ vocabulary: 'kubernetes', proxiesToLoopback: true })
  await server.settled()
  client = new Client(server)
  backend = await ExtensionServer.start(
    (await publishedOf(client))['requestheader-client-ca-file']!,
  )
  let arrived = () => {}
  const asked = new Promise<void>((resolve) => (arrived = resolve))
  backend.answer = ({ line }, response) => {
    response.setHeader('content-type', 'application/json')
    if (line === 'GET /openapi/v2') {
      hanging.push(() => {
        response.setHeader('etag', '"1"')
        response.end(JSON.stringify(document))
      })
      return arrived()
    }
    if (line.startsWith('GET /openapi')) response.statusCode = 404
    response.end('{}')
  }
  await client.post('/api/v1/namespaces/default/services', localService('ext'))
  const service = { namespace: 'default', name: 'ext', port: backend.port }
  await client.post(
    APISERVICES,
    apiService(GV, { service, caBundle: Buffer.from(extensionCa).toString('base64') }),
  )
  await conditionOf(client, NAME, ({ status }) => status === 'True')
  await asked
})
afterAll(async () => {
  client?.close()
  await backend?.close()
  await server?.close()
})

test('the documents of this server do not wait, and those of the other are merged and converted', async () => {
  const before = await client.get('/openapi/v2')
  expect([before.status, before.body.paths[PATH]]).toEqual([200, undefined])
  for (const answer of hanging.splice(0)) answer()
  let merged = before
  while (merged.body.paths[PATH] === undefined) merged = await client.get('/openapi/v2')
  expect(merged.headers.etag).not.toBe(before.headers.etag)
  const { paths, definitions } = merged.body
  expect(paths[PATH]).toEqual(document.paths[PATH])
  expect(paths['/version/']).toEqual(before.body.paths['/version/'])
  expect(definitions.Thing).toEqual({
    type: 'object',
    properties: { pod: refers(`${POD}_v2`) },
  })
  expect(definitions[`${POD}_v2`]).toEqual({ type: 'string' })
  expect(definitions[POD]).toEqual(before.body.definitions[POD])

  const index = (await client.get('/openapi/v3')).body.paths
  const url: string = index[`apis/${GV}`].serverRelativeURL
  const { status, body } = await client.get(url)
  const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  expect([status, body.openapi, body.info]).toEqual([200, '3.0.0', document.info])
  expect(body.paths).toEqual({
    [PATH]: {
      get: {
        operationId: 'listThings',
        responses: {
          200: {
            description: 'OK',
            content: { 'application/json': { schema: reference('Thing') } },
          },
        },
      },
    },
  })
  expect(body.components.schemas).toEqual({
    Thing: { type: 'object', properties: { pod: reference(POD) } },
    [POD]: { type: 'string' },
  })
  const other = await client.get(`/openapi/v3/apis/${GV}?hash=0`)
  expect([other.status, other.headers.location]).toEqual([301, url])

  await client.delete(`${APISERVICES}/${NAME}`)
  let after = merged
  while (after.body.paths[PATH] !== undefined) after = await client.get('/openapi/v2')
  expect(after.headers.etag).toBe(before.headers.etag)
  expect((await client.get(`/openapi/v3/apis/${GV}`)).status).toBe(404)
})
