/** Bodies that are passed on keep their limits: whatever the method, the protocol, and the order in which things come. */
import { connect as connectHttp2 } from 'node:http2'
import { connect as connectTls } from 'node:tls'
import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'
import { StrictBackend } from '../strict-backend.fixture.ts'

const POD = '/api/v1/namespaces/default/pods'
const METHODS = ['GET', 'HEAD', 'DELETE', 'POST', 'PUT', 'PATCH'] as const
/** A body that would be another request where it is not framed. */
const SMUGGLED = 'DELETE /everything HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n'

let backend: StrictBackend
let servers: RunningServer[]
beforeAll(async () => {
  backend = await StrictBackend.start()
  servers = await Promise.all(
    [true, false].map((directHttp1) =>
      startServer({ proxiesToLoopback: true, serving: { directHttp1 }, controllers: false }),
    ),
  )
  for (const server of servers) {
    const admin = new Client(server)
    const spec = { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'x' }] }
    await admin.post('/api/v1/namespaces/default/serviceaccounts', {
      metadata: { name: 'default' },
    })
    const made = await admin.post(POD, { metadata: { name: 'p' }, spec })
    expect(made.status).toBe(201)
    const status = { podIP: '127.0.0.1', podIPs: [{ ip: '127.0.0.1' }] }
    expect((await admin.merge(`${POD}/p/status`, { status })).status).toBe(200)
    admin.close()
  }
})
afterAll(async () => {
  backend.close()
  await Promise.all(servers.map((server) => server.close()))
})
beforeEach(() => {
  backend.requests.length = 0
  backend.faults.length = 0
})

const pathTo = (rest: string) => `${POD}/p:${backend.port}/proxy/${rest}`
const credential = (server: RunningServer) => {
  const read = (name: string) =>
    Buffer.from(new RegExp(`${name}: (\\S+)`).exec(server.kubeconfig)?.[1] ?? '', 'base64')
  return {
    ca: server.ca,
    cert: read('client-certificate-data'),
    key: read('client-key-data'),
  }
}

/** Sends a head and a body over HTTP/1.1 as they are, in one piece; the status. */
async function raw(server: RunningServer, method: string, headers: string, body: string) {
  const { hostname, port } = new URL(server.url)
  const socket = connectTls({ host: hostname, port: Number(port), ...credential(server) })
  await once(socket, 'secureConnect')
  const head = `${method} ${pathTo('echo')} HTTP/1.1\r\nhost: x\r\nconnection: close${headers}\r\n`
  socket.write(`${head}\r\n${body}`, 'latin1')
  let text = ''
  socket.on('data', (piece: Buffer) => (text += piece.toString('latin1')))
  await once(socket, 'close')
  return Number(text.slice(9, 12))
}

/** Sends a request over HTTP/2, the body at once or after the response to it has been waited for. */
async function overHttp2(
  server: RunningServer,
  method: string,
  headers: Record<string, string>,
  body: string,
): Promise<number> {
  const session = connectHttp2(server.url, credential(server))
  try {
    const stream = session.request(
      { ':method': method, ':path': pathTo('echo'), ...headers },
      { endStream: body === '' },
    )
    if (body !== '') stream.end(body)
    const [answer] = (await once(stream, 'response')) as [Record<string, number>]
    stream.resume()
    await once(stream, 'close')
    return answer[':status']!
  } finally {
    session.close()
  }
}

/** What the target must have seen: one request with this body, framed in one way. */
function expectOne(method: string, body: string): void {
  expect(backend.faults).toEqual([])
  expect(backend.requests.map((one) => [one.method, one.target, one.body])).toEqual([
    [method, '/echo', body],
  ])
}

for (const answers of ['at the end', 'at the head'] as const)
  describe(`the target answers ${answers}`, () => {
    beforeEach(() => void (backend.answers = answers))

    for (const method of METHODS) {
      test(`${method} over HTTP/2 without a length`, async () => {
        expect(await overHttp2(servers[0]!, method, {}, SMUGGLED)).toBe(200)
        if (answers === 'at the end') expectOne(method, SMUGGLED)
        else expect(backend.faults).toEqual([])
      })
      test(`${method} over HTTP/2 with a length`, async () => {
        const headers = { 'content-length': String(SMUGGLED.length) }
        expect(await overHttp2(servers[0]!, method, headers, SMUGGLED)).toBe(200)
        if (answers === 'at the end') expectOne(method, SMUGGLED)
      })
      test(`${method} over HTTP/2 without a body`, async () => {
        expect(await overHttp2(servers[0]!, method, {}, '')).toBe(200)
        expectOne(method, '')
      })
      for (const [i, reader] of ['the own reader', 'that of Node.js'].entries()) {
        test(`${method} over HTTP/1.1 with a length, ${reader}`, async () => {
          const length = `\r\ncontent-length: ${SMUGGLED.length}`
          expect(await raw(servers[i]!, method, length, SMUGGLED)).toBe(200)
          if (answers === 'at the end') expectOne(method, SMUGGLED)
          else expect(backend.faults).toEqual([])
        })
        test(`${method} over HTTP/1.1 in chunks, ${reader}`, async () => {
          const chunk = `${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`
          expect(await raw(servers[i]!, method, '\r\ntransfer-encoding: chunked', chunk)).toBe(200)
          if (answers === 'at the end') expectOne(method, SMUGGLED)
          else expect(backend.faults).toEqual([])
        })
        test(`${method} whose length is said to be for the connection, ${reader}`, async () => {
          const named = `, content-length\r\ncontent-length: ${SMUGGLED.length}`
          expect(await raw(servers[i]!, method, named, SMUGGLED)).toBe(200)
          if (answers === 'at the end') expectOne(method, SMUGGLED)
          else expect(backend.faults).toEqual([])
        })
      }
    }
  })

test('an upgrade has no body: its bytes would be the first ones of the other protocol', async () => {
  const upgrade = `, upgrade\r\nupgrade: x\r\ncontent-length: ${SMUGGLED.length}`
  for (const server of servers) expect(await raw(server, 'POST', upgrade, SMUGGLED)).toBe(400)
  expect([backend.requests, backend.faults]).toEqual([[], []])
})

describe('the status of the target', () => {
  for (const [sent, expected] of [
    ['206 Partial', 206],
    ['418 Teapot', 418],
    ['599 Odd', 599],
    ['999 Odd', 999],
    ['099 Odd', 503],
    ['000 Odd', 503],
    ['99 Odd', 503],
    ['1000 Odd', 503],
    ['-1 Odd', 503],
    ['abc Odd', 503],
    ['101 Switching Protocols', 503],
  ] as const)
    test(sent, async () => {
      backend.answers = 'at the end'
      backend.status = sent
      try {
        const statuses = [
          await overHttp2(servers[0]!, 'GET', {}, ''),
          await raw(servers[0]!, 'GET', '', ''),
          await raw(servers[1]!, 'GET', '', ''),
        ]
        expect(statuses).toEqual([expected, expected, expected])
      } finally {
        backend.status = '200 OK'
      }
    })
})
