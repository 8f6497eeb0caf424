/** How JSON answers end: compact ones with a newline, indented ones without; content-length counts it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client, type Ask } from '../client.ts'
import { RawHttp2 } from '../http2/raw-client.fixture.ts'
import { answerOf, Raw } from '../raw.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const SCALERS = 'namespaces/default/horizontalpodautoscalers'
const LONG = '/api/v1/namespaces/orch-public/configmaps'
const META = 'g=meta.orch.io;v=v1'

let server: RunningServer
let client: Client
let http2: RawHttp2

beforeAll(async () => {
  server = await startServer({ controllers: false })
  client = new Client(server)
  http2 = await RawHttp2.admin(server)
  for (const name of ['one', 'two']) await client.post(MAPS, { metadata: { name } })
  await client.post(`/apis/autoscaling/v2/${SCALERS}`, {
    metadata: { name: 'one' },
    spec: { maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'x' } },
  })
  // More than is sent in one piece, and compressed where the client takes that.
  const data = { text: 'x'.repeat(60_000) }
  for (let i = 0; i < 8; i++) {
    const made = await client.post(LONG, { metadata: { name: `long-${i}` }, data })
    expect(made.status).toBe(201)
  }
})
afterAll(async () => {
  http2.close()
  client.close()
  await server.close()
})

const accept = (type: string): Ask => ({ headers: { accept: type } })

interface Row {
  readonly name: string
  readonly method?: string
  readonly path: string
  readonly ask?: Ask
}

const ROWS: readonly Row[] = [
  { name: 'an object', path: `${MAPS}/one` },
  { name: 'an object of another version', path: `/apis/autoscaling/v1/${SCALERS}/one` },
  { name: 'a list', path: MAPS },
  { name: 'an empty list', path: '/api/v1/pods' },
  { name: 'a chunk', path: `${MAPS}?limit=1` },
  { name: 'a list of another version', path: `/apis/autoscaling/v1/${SCALERS}` },
  { name: 'a long list', path: LONG },
  {
    name: 'a table of one',
    path: `${MAPS}/one`,
    ask: accept(`application/json;as=Table;${META}`),
  },
  { name: 'a table', path: MAPS, ask: accept(`application/json;as=Table;${META}`) },
  {
    name: 'metadata',
    path: `${MAPS}/one`,
    ask: accept(`application/json;as=PartialObjectMetadata;${META}`),
  },
  {
    name: 'metadata of a list',
    path: MAPS,
    ask: accept(`application/json;as=PartialObjectMetadataList;${META}`),
  },
  { name: 'what is not there', path: `${MAPS}/none` },
  { name: 'a bad parameter', path: `${MAPS}?limit=x` },
  { name: 'a method that is not served', method: 'PATCH', path: MAPS, ask: { body: {} } },
  {
    name: 'a create',
    method: 'POST',
    path: `${MAPS}?dryRun=All`,
    ask: { body: { metadata: { name: 'x' } } },
  },
  {
    name: 'an update',
    method: 'PUT',
    path: `${MAPS}/one?dryRun=All`,
    ask: { body: { metadata: { name: 'one' }, data: { a: '1' } } },
  },
  {
    name: 'a patch',
    method: 'PATCH',
    path: `${MAPS}/one?dryRun=All`,
    ask: { body: {}, headers: { 'content-type': 'application/merge-patch+json' } },
  },
  { name: 'a deletion', method: 'DELETE', path: `${MAPS}/one?dryRun=All` },
  { name: 'a deletion of all', method: 'DELETE', path: `${MAPS}?dryRun=All` },
  {
    name: 'a review',
    method: 'POST',
    path: '/apis/authorization.orch.io/v1/selfsubjectaccessreviews',
    ask: { body: { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } } },
  },
  { name: 'the versions', path: '/api' },
  { name: 'the groups', path: '/apis' },
  { name: 'a group', path: '/apis/apps' },
  { name: 'the resources of the core', path: '/api/v1' },
  { name: 'the resources of a group', path: '/apis/apps/v1' },
]

const withPretty = (path: string) => `${path}${path.includes('?') ? '&' : '?'}pretty=true`

describe('HTTP/1.1', () => {
  for (const { name, method = 'GET', path, ask } of ROWS) {
    test(name, async () => {
      const compact = await client.ask(method, path, ask)
      expect(compact.text.slice(-2)).toBe('}\n')
      expect(compact.text.indexOf('\n')).toBe(compact.text.length - 1)
      const { 'content-length': length } = compact.headers
      if (length !== undefined) expect(Number(length)).toBe(Buffer.byteLength(compact.text))
      const pretty = await client.ask(method, withPretty(path), ask)
      expect(pretty.text.slice(0, 4)).toBe('{\n  ')
      expect(pretty.text.slice(-2)).toBe('\n}')
      const { 'content-length': prettyLength } = pretty.headers
      // Long ones are made while they are sent.
      if (prettyLength === undefined) expect(pretty.headers['transfer-encoding']).toBe('chunked')
      else expect(Number(prettyLength)).toBe(Buffer.byteLength(pretty.text))
      expect(shape(pretty.body)).toEqual(shape(compact.body))
    })
  }

  test('HEAD tells the length of what GET would bring', async () => {
    const { text } = await client.get(`${MAPS}/one`)
    const { headers } = await client.ask('HEAD', `${MAPS}/one`)
    expect(headers['content-length']).toBe(String(Buffer.byteLength(text)))
  })

  test('what is refused before there is a request', async () => {
    for (const head of ['GET / HTTP/1.1', 'GET\x00/', 'CONNECT a:1 HTTP/1.1\r\nHost: a']) {
      const raw = await Raw.open(server)
      await raw.send(`${head}\r\n\r\n`)
      const text = await raw.closed()
      expect(text).toMatch(/\}\n$/)
      expect(answerOf(text).close).toBe(true)
    }
  })
})

test('HTTP/2 ends answers alike', async () => {
  for (const { method = 'GET', path, ask = {} } of ROWS) {
    const fields = Object.entries(ask.headers ?? {}) as [string, string][]
    const body = ask.body === undefined ? undefined : Buffer.from(JSON.stringify(ask.body))
    const { text, headers } = await http2.ask(method, path, fields, body)
    expect([path, text.slice(-2), text.indexOf('\n')]).toEqual([path, '}\n', text.length - 1])
    const length = headers['content-length']
    if (length !== undefined) expect(Number(length)).toBe(Buffer.byteLength(text))
    const pretty = await http2.ask(method, withPretty(path), fields, body)
    expect([path, pretty.text.slice(-2)]).toEqual([path, '\n}'])
  }
})

test('documents that are indented always, and texts, are as they were', async () => {
  expect((await client.get('/version')).text.slice(-2)).toBe('\n}')
  expect((await client.get('/')).text.slice(-2)).toBe('\n}')
  expect((await client.get('/openapi/v3')).text.slice(-1)).toBe('}')
  expect((await client.get('/healthz')).text).toBe('ok')
})

test('each event of a watch is one line', async () => {
  const answer = await client.get(`${MAPS}?watch=1&resourceVersion=0&timeoutSeconds=1`)
  const lines = answer.text.split('\n')
  expect(lines.pop()).toBe('')
  expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
    'ADDED',
    'ADDED',
  ])
})

describe('failures have the form that was asked for', () => {
  const message = 'configmaps "none" not found'
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'NotFound',
    details: { name: 'none', kind: 'configmaps' },
    code: 404,
  }
  const yaml = `apiVersion: v1
code: 404
details:
  kind: configmaps
  name: none
kind: Status
message: configmaps "none" not found
metadata: {}
reason: NotFound
status: Failure
`
  const compact = `${JSON.stringify(status)}\n`
  const indented = JSON.stringify(status, null, 2)
  const JSON_TYPE = 'application/json'
  for (const [asked, type, text] of [
    ['application/json', JSON_TYPE, compact],
    ['*/*', JSON_TYPE, compact],
    ['application/yaml', 'application/yaml', yaml],
    // Failures have no other shape: people read what cannot be had.
    [`application/json;as=Table;${META}`, JSON_TYPE, indented],
    [`application/json;as=Table;${META},application/json`, JSON_TYPE, compact],
    [
      `application/json;as=PartialObjectMetadata;${META},application/yaml`,
      'application/yaml',
      yaml,
    ],
    ['image/png', JSON_TYPE, indented],
  ]) {
    test(asked!, async () => {
      const reply = await client.get(`${MAPS}/none`, accept(asked!))
      expect([reply.status, reply.headers['content-type'], reply.text]).toEqual([404, type, text])
    })
  }
})

/** What two answers to one question have in common. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shape)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shape(one)]))
}
