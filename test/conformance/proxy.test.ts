/** Sub-resources that pass bytes on, against real servers behind them: proxy, log, exec, attach, portforward. */
import { once } from 'node:events'
import { createServer as createHttp, type IncomingMessage, type Server } from 'node:http'
import { createServer as createHttps, request as httpsRequest } from 'node:https'
import { connect as connectHttp2 } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { issue } from '../../src/pki/issue.ts'
import { Client } from '../client.ts'

/** Loopback addresses are never proxied to, so another one of this machine is needed. */
const address = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address

/** More than the buffers between two programs hold. */
const FLOOD = 16 << 20

describe.skipIf(address === undefined)('pass bytes on (needs an address besides loopback)', () => {
  let server: RunningServer
  let client: Client
  let web: Server
  let agent: Server
  let webPort: number
  let agentPort: number
  const seen: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] =
    []
  const NS = '/api/v1/namespaces/default'

  const authority = issue({
    subject: { commonName: 'agents' },
    notBeforeMs: Date.now() - 60_000,
    notAfterMs: Date.now() + 3_600_000,
    use: 'authority',
  })
  const certificate = (use: 'server' | 'client', name: string) =>
    issue({
      subject: { commonName: name },
      notBeforeMs: Date.now() - 60_000,
      notAfterMs: Date.now() + 3_600_000,
      use,
      issuer: authority,
      ...(use === 'server' ? { hosts: [address ?? ''] } : {}),
    })

  const onRequest: Parameters<typeof createHttp>[1] = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const body = Buffer.concat(chunks).toString()
      seen.push({ method, url, headers, body })
      if (url.startsWith('/moved')) {
        response.writeHead(302, { location: `http://${headers.host}/there?x=1` }).end()
      } else if (url.startsWith('/missing')) {
        response.writeHead(404, { 'x-reason': 'none' }).end('not here')
      } else if (url.startsWith('/slow')) {
        response.write('first;')
        held.push(() => response.end('last'))
      } else {
        response.writeHead(200, { 'content-type': 'text/x-echo', 'x-own': 'kept' })
        response.end(`${method} ${url} ${body.length}`)
      }
    })
  }
  const held: (() => void)[] = []
  const onUpgrade = (request: IncomingMessage, socket: Socket, head: Buffer) => {
    seen.push({
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: '',
    })
    if (request.url?.startsWith('/flood') === true) {
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n',
      )
      socket.end(Buffer.alloc(FLOOD))
      return
    }
    if (request.url?.startsWith('/refuse') === true) {
      socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno')
      return
    }
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
    if (head.length > 0) socket.write(head)
    socket.on('error', () => {})
    socket.pipe(socket)
  }

  beforeAll(async () => {
    web = createHttp(onRequest)
    web.on('upgrade', onUpgrade)
    const serving = certificate('server', 'node')
    agent = createHttps(
      {
        cert: serving.cert,
        key: serving.key,
        ca: authority.cert,
        requestCert: true,
        rejectUnauthorized: true,
      },
      onRequest,
    )
    agent.on('upgrade', onUpgrade)
    for (const one of [web, agent]) {
      one.listen(0, address)
      await once(one, 'listening')
    }
    webPort = (web.address() as AddressInfo).port
    agentPort = (agent.address() as AddressInfo).port
    const own = certificate('client', 'apiserver')
    server = await startServer({
      vocabulary: 'kubernetes',
      agentTls: { ca: authority.cert, cert: own.cert, key: own.key },
    })
    // Pods need the account that a controller creates.
    await server.settled()
    client = new Client(server)
    const container = (name: string) => ({ name, image: 'i' })
    const made = [
      await client.post(`${NS}/services`, {
        metadata: { name: 'web' },
        spec: {
          ports: [
            { name: 'http', port: 80 },
            { name: 'other', port: 81 },
          ],
        },
      }),
      await client.post(`${NS}/endpoints`, {
        metadata: { name: 'web' },
        subsets: [{ addresses: [{ ip: address }], ports: [{ name: 'http', port: webPort }] }],
      }),
      await client.post(`${NS}/services`, {
        metadata: { name: 'empty' },
        spec: { ports: [{ port: 80 }] },
      }),
      await client.post(`${NS}/endpoints`, { metadata: { name: 'empty' } }),
      await client.post(`${NS}/services`, {
        metadata: { name: 'closed' },
        spec: { ports: [{ port: 80 }] },
      }),
      await client.post(`${NS}/endpoints`, {
        metadata: { name: 'closed' },
        subsets: [{ addresses: [{ ip: address }], ports: [{ port: 1 }] }],
      }),
      await client.post('/api/v1/nodes', { metadata: { name: 'n1' } }),
      await client.merge('/api/v1/nodes/n1/status', {
        status: {
          addresses: [{ type: 'InternalIP', address }],
          daemonEndpoints: { kubeletEndpoint: { Port: agentPort } },
        },
      }),
      await client.post('/api/v1/nodes', { metadata: { name: 'nowhere' } }),
      await client.post('/api/v1/nodes', { metadata: { name: 'looped' } }),
      await client.merge('/api/v1/nodes/looped/status', {
        // One of the ways to write 127.0.0.1 that is no address but a name.
        status: { addresses: [{ type: 'Hostname', address: '127.1' }] },
      }),
      await client.post(`${NS}/pods`, {
        metadata: { name: 'one' },
        spec: {
          nodeName: 'n1',
          containers: [{ ...container('main'), ports: [{ containerPort: webPort }] }],
        },
      }),
      await client.merge(`${NS}/pods/one/status`, {
        status: { podIP: address, podIPs: [{ ip: address }] },
      }),
      await client.post(`${NS}/pods`, {
        metadata: { name: 'two' },
        spec: {
          nodeName: 'n1',
          containers: [container('a'), container('b')],
          initContainers: [container('i')],
        },
      }),
      await client.post(`${NS}/pods`, {
        metadata: { name: 'pending' },
        spec: { containers: [container('main')] },
      }),
      await client.post(`${NS}/pods`, {
        metadata: { name: 'local' },
        spec: { containers: [container('main')] },
      }),
      await client.merge(`${NS}/pods/local/status`, {
        status: { podIP: '127.0.0.1', podIPs: [{ ip: '127.0.0.1' }] },
      }),
    ]
    for (const { status, text } of made) expect(status, text).toBeLessThan(300)
  })
  afterAll(async () => {
    client.close()
    await server.close()
    for (const one of [web, agent]) {
      one.closeAllConnections()
      one.close()
    }
  })

  describe('requests reach what they name', () => {
    for (const { path, url } of [
      { path: 'services/web:http/proxy/a/b?c=d&e', url: '/a/b?c=d&e' },
      { path: 'services/web:80/proxy/a%2Fb/', url: '/a%2Fb/' },
      { path: 'services/http:web:http/proxy/', url: '/' },
      { path: 'pods/one/proxy/x', url: '/x' },
      { path: 'pods/http:one:{port}/proxy/x', url: '/x' },
    ]) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        test(`${method} ${path}`, async () => {
          const body = method === 'GET' || method === 'DELETE' ? undefined : 'x'.repeat(200_000)
          const reply = await client.ask(
            method,
            `${NS}/${path.replace('{port}', String(webPort))}`,
            {
              ...(body === undefined ? {} : { raw: body }),
              headers: { 'x-own-header': 'yes' },
            },
          )
          expect([reply.status, reply.text]).toEqual([200, `${method} ${url} ${body?.length ?? 0}`])
          expect([reply.headers['content-type'], reply.headers['x-own']]).toEqual([
            'text/x-echo',
            'kept',
          ])
          expect(seen.at(-1)!.headers['x-own-header']).toBe('yes')
        })
      }
    }

    test('the agent of a node, with the certificates of this server', async () => {
      const reply = await client.get('/api/v1/nodes/n1/proxy/metrics?a=b')
      expect([reply.status, reply.text]).toEqual([200, 'GET /metrics?a=b 0'])
    })
    test('another port of a node', async () => {
      const reply = await client.get(`/api/v1/nodes/n1:${webPort}/proxy/x`)
      expect([reply.status, reply.text]).toEqual([200, 'GET /x 0'])
    })
    test('over HTTP/2', async () => {
      const read = (name: string) =>
        Buffer.from(new RegExp(`${name}: (\\S+)`).exec(server.kubeconfig)![1]!, 'base64')
      const session = connectHttp2(server.url, {
        ca: server.ca,
        cert: read('client-certificate-data'),
        key: read('client-key-data'),
      })
      const stream = session.request({
        ':method': 'POST',
        ':path': `${NS}/services/web:80/proxy/h2`,
      })
      stream.end('four')
      let text = ''
      for await (const chunk of stream) text += String(chunk)
      session.close()
      expect(text).toBe('POST /h2 4')
    })
  })

  test('a body of unknown length stays a body, also where none is usual', async () => {
    const read = (name: string) =>
      Buffer.from(new RegExp(`${name}: (\\S+)`).exec(server.kubeconfig)![1]!, 'base64')
    const message = httpsRequest(new URL(`${NS}/services/web:80/proxy/chunks`, server.url), {
      method: 'DELETE',
      agent: false,
      ca: server.ca,
      cert: read('client-certificate-data'),
      key: read('client-key-data'),
      headers: { 'transfer-encoding': 'chunked' },
    })
    message.end('GET /smuggled HTTP/1.1\r\n\r\n')
    const [reply] = (await once(message, 'response')) as [IncomingMessage]
    let text = ''
    for await (const chunk of reply) text += String(chunk)
    expect([reply.statusCode, text]).toEqual([200, 'DELETE /chunks 26'])
    expect(seen.at(-1)?.url).toBe('/chunks')
  })

  test('a body that nobody takes is answered all the same', async () => {
    const { status, body } = await client.post(`${NS}/services/closed/proxy/x`, {
      filler: 'x'.repeat(1 << 20),
    })
    expect([status, body.reason]).toEqual([503, 'ServiceUnavailable'])
  })

  test('HEAD gets the head', async () => {
    const reply = await client.ask('HEAD', `${NS}/services/web:80/proxy/head`)
    expect([reply.status, reply.headers['x-own'], reply.text]).toEqual([200, 'kept', ''])
  })

  test('an answer streams: its beginning is here before its end is made', async () => {
    const answer = await client.open('GET', `${NS}/services/web:80/proxy/slow`)
    const [first] = (await once(answer, 'data')) as [Buffer]
    expect(first.toString()).toBe('first;')
    held.shift()!()
    const [last] = (await once(answer, 'data')) as [Buffer]
    expect(last.toString()).toBe('last')
  })

  test('errors of the target are its own', async () => {
    const reply = await client.get(`${NS}/services/web:80/proxy/missing`)
    expect([reply.status, reply.text, reply.headers['x-reason']]).toEqual([404, 'not here', 'none'])
  })

  test('redirects stay below the prefix', async () => {
    const reply = await client.get(`${NS}/services/web:80/proxy/moved`)
    expect([reply.status, reply.headers.location]).toEqual([
      302,
      `${NS}/services/web:80/proxy/there?x=1`,
    ])
    const root = await client.get(`${NS}/services/web:80/proxy?q=1`)
    expect([root.status, root.headers.location]).toEqual([301, `${NS}/services/web:80/proxy/?q=1`])
  })

  test('the target learns where it stands, and nothing of the client’s identity', async () => {
    await client.get(`${NS}/services/web:80/proxy/who`, {
      headers: {
        authorization: 'Bearer secret',
        'x-remote-user': 'root',
        'impersonate-user': 'root',
        'impersonate-group': 'system:masters',
        'x-forwarded-for': '192.0.2.77',
      },
    })
    const { headers } = seen.at(-1)!
    expect([headers.authorization, headers['x-remote-user'], headers['impersonate-user']]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(headers['x-forwarded-for']).toBe('192.0.2.77, 127.0.0.1')
    expect([headers['x-forwarded-proto'], headers['x-forwarded-uri']]).toEqual([
      'https',
      `${NS}/services/web:80/proxy/who`,
    ])
    expect(headers.host).toBe(`${address}:${webPort}`)
  })

  describe('where there is nothing to reach', () => {
    for (const { path, code, reason, message } of [
      {
        path: 'services/absent/proxy/',
        code: 404,
        reason: 'NotFound',
        message: 'services "absent" not found',
      },
      {
        path: 'services/empty/proxy/',
        code: 503,
        reason: 'ServiceUnavailable',
        message: 'no endpoints available for service "empty"',
      },
      {
        path: 'services/web:other/proxy/',
        code: 503,
        reason: 'ServiceUnavailable',
        message: 'no endpoints available for service "web"',
      },
      {
        path: 'services/web:99/proxy/',
        code: 503,
        reason: 'ServiceUnavailable',
        message: 'no service port 99 found for service "web"',
      },
      {
        path: 'services/ftp:web:80/proxy/',
        code: 400,
        reason: 'BadRequest',
        message: 'invalid service request "ftp:web:80"',
      },
      {
        path: 'services/closed/proxy/',
        code: 503,
        reason: 'ServiceUnavailable',
        message: 'error trying to reach service: dial tcp {address}:1: connect: connection refused',
      },
      {
        path: 'services/web:80/proxy/?dryRun=All',
        code: 400,
        reason: 'BadRequest',
        message: 'dryRun is not supported',
      },
      {
        path: 'pods/absent/proxy/',
        code: 404,
        reason: 'NotFound',
        message: 'pods "absent" not found',
      },
      {
        path: 'pods/pending/proxy/',
        code: 400,
        reason: 'BadRequest',
        message: 'address not allowed',
      },
      {
        path: 'pods/local/proxy/',
        code: 400,
        reason: 'BadRequest',
        message: 'address not allowed',
      },
      {
        path: 'pods/pending/exec?command=ls',
        code: 400,
        reason: 'BadRequest',
        message: 'pod pending does not have a host assigned',
      },
      {
        path: 'pods/one/exec?command=ls',
        code: 400,
        reason: 'BadRequest',
        message: 'Upgrade request required',
      },
      {
        path: 'pods/two/exec?command=ls',
        code: 400,
        reason: 'BadRequest',
        message:
          'a container name must be specified for pod two, choose one of: [a b] or one of the init containers: [i]',
      },
      {
        path: 'pods/two/log?container=c',
        code: 400,
        reason: 'BadRequest',
        message: 'container c is not valid for pod two',
      },
    ]) {
      test(path, async () => {
        const { status, body } = await client.get(`${NS}/${path}`)
        expect({ status, message: body.message, reason: body.reason, code: body.code }).toEqual({
          status: code,
          message: message.replace('{address}', address!),
          reason,
          code,
        })
      })
    }
    test('a node without an address', async () => {
      const { status, body } = await client.get('/api/v1/nodes/nowhere/proxy/')
      expect([status, body.message]).toEqual([
        500,
        'no preferred addresses found; known addresses: []',
      ])
    })
    test('a node by a name that leads back here', async () => {
      const { status, body } = await client.get('/api/v1/nodes/looped:80/proxy/')
      expect([status, body.message]).toEqual([400, 'address not allowed'])
    })
    test('a method that the sub-resource lacks', async () => {
      expect((await client.put(`${NS}/pods/one/exec`, {})).status).toBe(405)
      expect((await client.post(`${NS}/pods/one/log`, {})).status).toBe(405)
    })
  })

  describe('log', () => {
    test('comes from the agent, as text', async () => {
      const reply = await client.get(`${NS}/pods/one/log?tailLines=5&follow=true&timestamps=true`)
      expect([reply.status, reply.text]).toEqual([
        200,
        'GET /containerLogs/default/one/main?follow=true&timestamps=true&tailLines=5 0',
      ])
      expect(reply.headers['content-type']).toBe('text/plain')
    })
    test('comes without a look at the agent’s certificate when that is asked for', async () => {
      const reply = await client.get(`${NS}/pods/one/log?insecureSkipTLSVerifyBackend=true`)
      expect([reply.status, reply.text]).toEqual([200, 'GET /containerLogs/default/one/main 0'])
    })
    test('is empty for a pod on no node', async () => {
      const reply = await client.get(`${NS}/pods/pending/log`)
      expect([reply.status, reply.text]).toEqual([204, ''])
    })
    test('options out of bounds are refused', async () => {
      const { status, body } = await client.get(`${NS}/pods/one/log?tailLines=-1&sinceSeconds=0`)
      expect([status, body.details.kind, body.details.causes]).toEqual([
        422,
        'PodLogOptions',
        [
          {
            reason: 'FieldValueInvalid',
            message: 'Invalid value: 0: must be greater than 0',
            field: 'sinceSeconds',
          },
          {
            reason: 'FieldValueInvalid',
            message: 'Invalid value: -1: must be greater than or equal to 0',
            field: 'tailLines',
          },
        ],
      ])
    })
  })

  describe('connections that change their protocol', () => {
    const upgrade = (path: string, method = 'GET') => {
      const read = (name: string) =>
        Buffer.from(new RegExp(`${name}: (\\S+)`).exec(server.kubeconfig)![1]!, 'base64')
      const message = httpsRequest(new URL(path, server.url), {
        method,
        agent: false,
        ca: server.ca,
        cert: read('client-certificate-data'),
        key: read('client-key-data'),
        headers: { connection: 'Upgrade', upgrade: 'echo' },
      })
      message.end()
      return message
    }
    for (const { path, method, url } of [
      { path: 'services/web:80/proxy/socket?a', method: 'GET', url: '/socket?a' },
      { path: 'pods/one/proxy/socket', method: 'GET', url: '/socket' },
      {
        path: 'pods/two/exec?command=sh&command=-c&command=ls%20%26&container=a&stdin=true&stdout=true&tty=true',
        method: 'POST',
        url: '/exec/default/two/a?input=1&output=1&tty=1&command=sh&command=-c&command=ls+%26',
      },
      {
        path: 'pods/one/attach?stdout=1',
        method: 'POST',
        url: '/attach/default/one/main?output=1',
      },
      { path: 'pods/one/portforward', method: 'POST', url: '/portForward/default/one' },
    ]) {
      test(`${method} ${path}`, async () => {
        const message = upgrade(`${NS}/${path}`, method)
        const [answer, socket] = (await once(message, 'upgrade')) as [IncomingMessage, Socket]
        expect([answer.statusCode, answer.headers.upgrade]).toEqual([101, 'echo'])
        expect(seen.at(-1)).toMatchObject({ method, url })
        socket.write('hello ')
        const [first] = (await once(socket, 'data')) as [Buffer]
        socket.write('again')
        const [second] = (await once(socket, 'data')) as [Buffer]
        expect(`${first}${second}`).toBe('hello again')
        socket.end()
        await once(socket, 'close')
      })
    }
    test('what the target said last arrives, however slowly it is read', async () => {
      const message = upgrade(`${NS}/services/web:80/proxy/flood`)
      const [, socket, head] = (await once(message, 'upgrade')) as [IncomingMessage, Socket, Buffer]
      let size = head.length
      for await (const chunk of socket) {
        size += (chunk as Buffer).length
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(size).toBe(FLOOD)
    })
    test('a target that refuses answers as usual', async () => {
      const [answer] = (await once(upgrade(`${NS}/services/web:80/proxy/refuse`), 'response')) as [
        IncomingMessage,
      ]
      let text = ''
      for await (const chunk of answer) text += String(chunk)
      expect([answer.statusCode, text]).toEqual([403, 'no'])
    })
    test('what cannot be upgraded answers as usual', async () => {
      const [answer] = (await once(upgrade(`${NS}/pods/one`), 'response')) as [IncomingMessage]
      let text = ''
      for await (const chunk of answer) text += String(chunk)
      expect([answer.statusCode, JSON.parse(text).metadata.name]).toEqual([200, 'one'])
    })
    test('a target that is gone is 503', async () => {
      const [answer] = (await once(upgrade(`${NS}/services/closed/proxy/x`), 'response')) as [
        IncomingMessage,
      ]
      answer.resume()
      expect(answer.statusCode).toBe(503)
    })
  })
})
