/** Requests whose body does not come to its end, over HTTP/1.1: nothing is done, and nothing is logged as an error. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lineLog } from '../../src/base/log.ts'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'
import { Raw } from '../raw.ts'

const NS = '/api/v1/namespaces/default/configmaps'
const ONE = `${NS}/one`
const ENDING = 'last: "1"'

let server: RunningServer
let client: Client
const lines: string[] = []
beforeAll(async () => {
  server = await startServer({
    controllers: false,
    vocabulary: 'kubernetes',
    log: lineLog({ format: 'json', level: 0, now: () => 0, write: (line) => lines.push(line) }),
  })
  client = new Client(server)
  await client.post(NS, { metadata: { name: 'one' }, data: { a: '1', last: '1' } })
})
afterAll(async () => {
  client.close()
  await server.close()
})

const yaml = (name: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  b: "2"\n  ${ENDING}\n`
const json = (name: string) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { b: '2' } })

/** Each body is whole enough without its last bytes to be taken for one: of JSON only what follows it is missing. */
const requests = [
  { method: 'POST', path: NS, type: 'application/yaml', body: yaml('new') },
  { method: 'POST', path: NS, type: 'application/json', body: `${json('new')}\n` },
  {
    method: 'POST',
    path: '/api/v1/namespaces',
    type: 'application/vnd.kubernetes.protobuf',
    body: 'k8s\0\n\x0f\n\x02v1\x12\tNamespace\x12\x07\n\x05\n\x03new\x1a\0\x22\0',
  },
  { method: 'PUT', path: ONE, type: 'application/yaml', body: yaml('one') },
  { method: 'PUT', path: ONE, type: 'application/json', body: `${json('one')}\n` },
  {
    method: 'PATCH',
    path: `${ONE}?fieldManager=m&force=true`,
    type: 'application/apply-patch+yaml',
    body: yaml('one'),
  },
  {
    method: 'PATCH',
    path: ONE,
    type: 'application/merge-patch+json',
    body: '{"data":{"a":"9"}}\n',
  },
  {
    method: 'PATCH',
    path: ONE,
    type: 'application/strategic-merge-patch+json',
    body: '{"data":{"a":"9"}}\n',
  },
  {
    method: 'PATCH',
    path: ONE,
    type: 'application/json-patch+json',
    body: '[{"op":"remove","path":"/data/a"}]\n',
  },
  {
    method: 'DELETE',
    path: ONE,
    type: 'application/json',
    body: '{"preconditions":{"uid":"other"}}\n',
  },
  { method: 'DELETE', path: ONE, type: 'application/yaml', body: 'propagationPolicy: Orphan\n' },
  { method: 'DELETE', path: NS, type: 'application/json', body: '{"dryRun":["All"]}\n' },
  {
    method: 'POST',
    path: '/api/v1/namespaces/default/serviceaccounts/default/token',
    type: 'application/json',
    body: '{"spec":{}}\n',
  },
]

type Cut = (raw: Raw) => void
const cuts: Record<string, Cut> = {
  'the client closes its side': (raw) => raw.socket.end(),
  'the connection ends without a word of TLS': (raw) => raw.under.end(),
  'the connection is reset': (raw) => raw.under.resetAndDestroy(),
  'the client is gone': (raw) => raw.close(),
}

const head = ({ method, path, type }: (typeof requests)[number], ...more: string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: localhost', `Content-Type: ${type}`, ...more, '', ''].join(
    '\r\n',
  )

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

/** What is sent, all of it short of the end of the body. */
const framings: Record<string, (request: (typeof requests)[number]) => string> = {
  'nothing of a body with a length': (r) => head(r, `Content-Length: ${r.body.length}`),
  'most of a body with a length': (r) =>
    head(r, `Content-Length: ${r.body.length}`) + r.body.slice(0, -1),
  'all of a body, of which more was promised': (r) =>
    head(r, `Content-Length: ${r.body.length + 1}`) + r.body,
  'no chunk': (r) => head(r, 'Transfer-Encoding: chunked'),
  'all chunks but the last, which is empty': (r) =>
    head(r, 'Transfer-Encoding: chunked') + chunk(r.body),
  'a part of a chunk': (r) => head(r, 'Transfer-Encoding: chunked') + chunk(r.body).slice(0, -3),
  'the last chunk without the end of the trailers': (r) =>
    `${head(r, 'Transfer-Encoding: chunked')}${chunk(r.body)}0\r\n`,
  'a chunk with a length that is none': (r) =>
    `${head(r, 'Transfer-Encoding: chunked')}${chunk(r.body)}zz\r\n`,
}

/** All objects that the requests could have changed, after what was sent before was seen. */
async function witness(): Promise<string> {
  for (let i = 0; i < 3; i++) await client.get('/version')
  const texts = []
  for (const path of [NS, '/api/v1/namespaces', '/api/v1/namespaces/default/serviceaccounts']) {
    const { body } = await client.get(path)
    texts.push(JSON.stringify(body.items))
  }
  return texts.join('\n')
}

for (const request of requests) {
  describe(`${request.method} ${request.path} of ${request.type}`, () => {
    for (const [sent, framed] of Object.entries(framings)) {
      test(`${sent}`, async () => {
        const before = await witness()
        for (const cut of Object.values(cuts)) {
          const raw = await Raw.open(server)
          await raw.send(framed(request))
          cut(raw)
          await client.get('/version')
          raw.close()
        }
        expect(await witness()).toBe(before)
        expect(lines).toEqual([])
      })
    }
  })
}

test('the same requests do something when they are whole', async () => {
  for (const request of requests.filter(({ path }) => path !== NS)) {
    const raw = await Raw.open(server)
    await raw.send(
      head(request, `Content-Length: ${request.body.length}`, 'Connection: close') + request.body,
    )
    const answer = await raw.closed()
    expect(answer, `${request.method} ${request.type}`).toMatch(/^HTTP\/1.1 (200|201|409|404)/)
  }
})
