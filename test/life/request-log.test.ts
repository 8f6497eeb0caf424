/** One line for each request, and nothing secret in any. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lineLog } from '../../src/base/log.ts'
import { ManualClock, startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'

const lines: string[] = []
let server: RunningServer
let client: Client

beforeAll(async () => {
  server = await startServer({
    clock: new ManualClock(Date.now()),
    controllers: false,
    vocabulary: 'kubernetes',
    disableAdmissionPlugins: ['ServiceAccount'],
    log: lineLog({
      format: 'text',
      level: 0,
      modules: [{ pattern: 'h*p', level: 3 }],
      now: Date.now,
      write: (line) => lines.push(line.replace(/^\S+ /, '')),
    }),
  })
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
})

const NS = '/api/v1/namespaces/default'
const SECRET = 'c2VjcmV0LXdvcmQ='
const secret = { metadata: { name: 's' }, data: { password: SECRET } }

for (const { method, path, body, verb = method, uri = path, resp } of [
  { method: 'GET', path: '/version', resp: 200 },
  { method: 'GET', path: `${NS}/secrets?limit=1`, verb: 'LIST', resp: 200 },
  { method: 'POST', path: `${NS}/secrets`, body: secret, resp: 201 },
  { method: 'GET', path: `${NS}/secrets/s`, resp: 200 },
  { method: 'GET', path: `${NS}/secrets/none`, resp: 404 },
  {
    method: 'POST',
    path: `${NS}/pods/p/exec?command=login&command=secret-word`,
    uri: `${NS}/pods/p/exec?...`,
    resp: 404,
  },
  {
    method: 'GET',
    path: `${NS}/services/s/proxy/?token=secret-word`,
    uri: `${NS}/services/s/proxy/?...`,
    resp: 404,
  },
  {
    method: 'GET',
    path: `/none?${'x'.repeat(3000)}`,
    uri: `/none?${'x'.repeat(2042)}...`,
    resp: 404,
  },
])
  test(`${method} ${path.slice(0, 80)}`, async () => {
    lines.length = 0
    const reply = await client.ask(method, path, {
      ...(body === undefined ? {} : { body }),
      headers: {
        'user-agent': 'tester/1',
        'audit-id': 'id-1',
        authorization: 'Bearer secret-word',
      },
    })
    expect(reply.status).toBe(resp)
    expect(lines).toEqual([
      `debug HTTP verb="${verb}" URI="${uri}" latency="0ms" userAgent="tester/1" audit-ID="id-1" srcIP="127.0.0.1" resp=${resp}\n`,
    ])
    expect(lines.join('')).not.toMatch(/secret-word|c2VjcmV0/)
  })

test('a watch is logged at its end', async () => {
  lines.length = 0
  const watch = await client.watch(`${NS}/configmaps?watch=1`)
  expect(lines).toEqual([])
  watch.close()
  await expect.poll(() => lines).toEqual([expect.stringMatching(/ verb="WATCH" .* resp=200\n$/)])
})
