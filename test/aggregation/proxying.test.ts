/** Requests that this server proxies to extension servers: what these get, and what clients get of them. */
import { connect as connectHttp2 } from 'node:http2'
import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
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
const AT = `/apis/${GV}`
const NAME = 'v1.ext.example.com'
const caBundle = Buffer.from(extensionCa).toString('base64')

let server: RunningServer
let client: Client
let backend: ExtensionServer
const echo: ExtensionServer['answer'] = (request, response) => {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ kind: 'Echo', line: request.line, body: request.body }))
}

beforeAll(async () => {
  server = await startServer({
    vocabulary: 'kubernetes',
    proxiesToLoopback: true,
    requestTimeoutMs: 2_000,
  })
  await server.settled()
  client = new Client(server)
  const published = await publishedOf(client)
  backend = await ExtensionServer.start(published['requestheader-client-ca-file']!)
  await client.post('/api/v1/namespaces/default/services', localService('ext'))
  const service = { namespace: 'default', name: 'ext', port: backend.port }
  await client.post(APISERVICES, apiService(GV, { service, caBundle }))
  await conditionOf(client, NAME, ({ status }) => status === 'True')
})
afterAll(async () => {
  client?.close()
  await backend?.close()
  await server?.close()
})
beforeEach(() => {
  backend.requests.length = 0
  backend.answer = echo
})

test('what is published is enough to know this server and its users', async () => {
  const published = await publishedOf(client)
  expect(Object.keys(published).sort()).toEqual([
    'client-ca-file',
    'requestheader-allowed-names',
    'requestheader-client-ca-file',
    'requestheader-extra-headers-prefix',
    'requestheader-group-headers',
    'requestheader-username-headers',
  ])
  expect({
    allowed: published['requestheader-allowed-names'],
    user: published['requestheader-username-headers'],
    group: published['requestheader-group-headers'],
    extra: published['requestheader-extra-headers-prefix'],
  }).toEqual({
    allowed: '["kube-aggregator"]',
    user: '["X-Remote-User"]',
    group: '["X-Remote-Group"]',
    extra: '["X-Remote-Extra-"]',
  })
  // Whoever has a certificate of the authority could act as any user.
  expect(published['requestheader-client-ca-file']).not.toContain(server.ca.trim())
})

describe('the extension server gets', () => {
  test('method, path, query and body as sent, and the identity of the user', async () => {
    const { status, body, headers } = await client.post(
      `${AT}/namespaces/a%2Fb/things?dryRun=All&x=%20`,
      { a: 1 },
      {
        headers: {
          'x-remote-user': 'somebody',
          'X-Remote-Group': 'system:masters',
          'x-remote-extra-scopes': 'all',
          'audit-id': 'my-own-id',
          'x-other': 'kept',
        },
      },
    )
    expect([status, body]).toEqual([
      200,
      {
        kind: 'Echo',
        line: `POST ${AT}/namespaces/a%2Fb/things?dryRun=All&x=%20`,
        body: '{"a":1}',
      },
    ])
    expect(headers['audit-id']).toBe('my-own-id')
    const [received] = backend.ofUsers
    const { authorization, ...got } = received!.headers
    expect({
      client: received!.client,
      authorization,
      user: got['x-remote-user'],
      group: got['x-remote-group'],
      extra: got['x-remote-extra-scopes'],
      audit: got['audit-id'],
      other: got['x-other'],
    }).toEqual({
      client: 'kube-aggregator',
      authorization: undefined,
      user: 'kubernetes-admin',
      group: 'system:masters, system:authenticated',
      extra: undefined,
      audit: 'my-own-id',
      other: 'kept',
    })
  })
  test('the user that is impersonated, with extras', async () => {
    const { status } = await client.get(`${AT}/things`, {
      headers: {
        'impersonate-user': Buffer.from('jané').toString('latin1'),
        'impersonate-group': ['devs', 'system:masters'],
        'impersonate-extra-example.com%2fscopes': ['view', 'development'],
      },
    })
    expect(status).toBe(200)
    const { headers } = backend.ofUsers[0]!
    expect([
      Buffer.from(String(headers['x-remote-user']), 'latin1').toString('utf8'),
      headers['x-remote-group'],
      headers['x-remote-extra-example.com%2fscopes'],
      Object.keys(headers).filter((name) => name.startsWith('impersonate')),
    ]).toEqual(['jané', 'devs, system:masters, system:authenticated', 'view, development', []])
  })
  test('nothing of users without permission', async () => {
    const stranger = new Client(server, { anonymous: true })
    try {
      const { status, body } = await stranger.get(`${AT}/things`)
      expect([status, body.message]).toEqual([
        403,
        'things.ext.example.com is forbidden: User "system:anonymous" cannot list resource "things" in API group "ext.example.com" at the cluster scope',
      ])
      expect(backend.ofUsers).toEqual([])
    } finally {
      stranger.close()
    }
  })
  for (const [name, path] of [
    ['discovery of the group version', AT],
    ['the same with a slash', `${AT}/`],
    ['a named object', `${AT}/namespaces/n/things/x`],
    ['a sub-resource with more behind it', `${AT}/namespaces/n/things/x/proxy/a/b?c=d`],
    ['paths of the old form', `${AT}/watch/things`],
    ['leading slashes once', `/${AT}/things`],
  ] as const) {
    test(name, async () => {
      const { status } = await client.get(path, { exactPath: true })
      expect([status, backend.ofUsers.map(({ line }) => line)]).toEqual([
        200,
        [`GET ${path.replace(/^\/+/, '/')}`],
      ])
    })
  }
})

describe('the client gets', () => {
  test('status, headers and body as answered, and the headers of this server once', async () => {
    backend.answer = (_, response) => {
      response.writeHead(418, {
        'content-type': 'text/x-tea',
        'cache-control': 'public, max-age=5',
        'audit-id': 'of-the-backend',
        warning: '299 - "hot"',
        'x-powered-by': 'leaves',
        connection: 'x-hop',
        'x-hop': 'dropped',
      })
      response.end('short and stout')
    }
    const { status, headers, text } = await client.get(`${AT}/pots`, {
      headers: { 'audit-id': 'mine' },
    })
    const { 'content-type': type, 'cache-control': cache, warning } = headers
    expect([status, text, type, cache, warning, headers['audit-id'], headers['x-hop']]).toEqual([
      418,
      'short and stout',
      'text/x-tea',
      'public, max-age=5',
      '299 - "hot"',
      'mine',
      undefined,
    ])
  })
  test('no redirect', async () => {
    backend.answer = (_, response) => {
      response.writeHead(302, { location: 'https://elsewhere.example/' })
      response.end()
    }
    const { status, text, headers } = await client.get(`${AT}/things`)
    expect([status, text, headers.location]).toEqual([
      502,
      'the backend attempted to redirect this request, which is not permitted\n',
      undefined,
    ])
  })
  test('504 when the extension server does not answer in time', async () => {
    backend.answer = () => {}
    const { status, body } = await client.get(`${AT}/things`)
    expect([status, body.reason, body.message]).toEqual([
      504,
      'Timeout',
      'Timeout: request did not complete within the allotted timeout',
    ])
  })
  test('a broken response when the rest of it does not come in time', async () => {
    backend.answer = (_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('{')
    }
    await expect(client.get(`${AT}/things`)).rejects.toThrow('aborted')
  })
  test('responses of other resources while many requests wait for it', async () => {
    let arrived = () => {}
    const all = new Promise<void>((resolve) => (arrived = resolve))
    let count = 0
    backend.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.flushHeaders()
      if (++count === 30) arrived()
    }
    // They have no time limit.
    const waiting = await Promise.all(
      Array.from({ length: 30 }, (_, i) => client.watch(`${AT}/things${i}?watch=true`)),
    )
    await all
    expect((await client.get('/api/v1/namespaces/default')).status).toBe(200)
    for (const watch of waiting) watch.close()
  })
  test('503 when the connection breaks', async () => {
    backend.answer = (_, response) => void response.destroy()
    const { status, text } = await client.post(`${AT}/things`, {})
    expect([status, text]).toEqual([503, 'error trying to reach service: EOF\n'])
  })
})

describe('a watch', () => {
  const events: ExtensionServer['answer'] = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n')
  }
  test('passes events as they come, over HTTP/1.1, beyond the time limit of requests', async () => {
    let more = () => {}
    let isOver: Promise<unknown> = Promise.resolve()
    backend.answer = (request, response) => {
      if (request.line.includes('slow')) return
      events(request, response)
      isOver = once(response, 'close')
      more = () => void response.write('{"type":"DELETED","object":{"metadata":{"name":"a"}}}\n')
    }
    const watch = await client.watch(`${AT}/things?watch=true`)
    expect(await watch.names(1)).toEqual(['ADDED a'])
    expect((await client.get(`${AT}/slow`)).status).toBe(504)
    more()
    expect(await watch.names(1)).toEqual(['DELETED a'])
    watch.close()
    await isOver
  })
  test('over HTTP/2, and ends when the client leaves', async () => {
    let isOver: Promise<unknown> = Promise.resolve()
    backend.answer = (request, response) => {
      events(request, response)
      isOver = once(response, 'close')
    }
    const read = (name: string) =>
      Buffer.from(new RegExp(`${name}: (\\S+)`).exec(server.kubeconfig)?.[1] ?? '', 'base64')
    const session = connectHttp2(server.url, {
      ca: server.ca,
      cert: read('client-certificate-data'),
      key: read('client-key-data'),
    })
    try {
      const stream = session.request({ ':path': `${AT}/things?watch=1` })
      const [head] = (await once(stream, 'response')) as [Record<string, unknown>]
      expect([head[':status'], head['content-type']]).toEqual([200, 'application/json'])
      const [chunk] = (await once(stream, 'data')) as [Buffer]
      expect(chunk.toString()).toBe('{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n')
      stream.close()
      await isOver
    } finally {
      session.destroy()
    }
  })
})

test('a protocol upgrade joins the connections', async () => {
  const { request } = await import('node:https')
  const heads: Record<string, unknown>[] = []
  backend.upgraded = (socket, { headers }) => {
    heads.push(headers)
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: echo/1\r\n\r\n',
    )
    socket.on('data', (data: Buffer) => socket.write(data.toString().toUpperCase()))
  }
  const read = (name: string) =>
    Buffer.from(new RegExp(`${name}: (\\S+)`).exec(server.kubeconfig)?.[1] ?? '', 'base64')
  const asked = request(new URL(`${AT}/namespaces/n/things/x/exec`, server.url), {
    method: 'POST',
    ca: server.ca,
    cert: read('client-certificate-data'),
    key: read('client-key-data'),
    headers: { connection: 'Upgrade', upgrade: 'echo/1', 'x-remote-user': 'somebody' },
  })
  asked.end()
  const [answer, socket] = (await once(asked, 'upgrade')) as [
    { statusCode: number },
    import('node:net').Socket,
  ]
  socket.write('hello')
  const [data] = (await once(socket, 'data')) as [Buffer]
  expect([answer.statusCode, data.toString(), heads[0]!['x-remote-user']]).toEqual([
    101,
    'HELLO',
    'kubernetes-admin',
  ])
  socket.destroy()
})
