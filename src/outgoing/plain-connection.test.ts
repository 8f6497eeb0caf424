import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { issue } from '../pki/issue.ts'
import { PlainConnection } from './plain-connection.ts'

const HOUR_MS = 3_600_000

let server: Server
let ca = ''
let connection: PlainConnection
let answer: (response: ServerResponse, request: IncomingMessage) => void
/** Paths, and the port of the client that asked. */
const asked: (readonly [path: string, port: number])[] = []

beforeAll(async () => {
  const times = { notBeforeMs: Date.now() - HOUR_MS, notAfterMs: Date.now() + HOUR_MS }
  const issuer = issue({ ...times, subject: { commonName: 'authority' }, use: 'authority' })
  const subject = { commonName: 'server' }
  const { cert, key } = issue({ ...times, subject, use: 'server', hosts: ['127.0.0.1'], issuer })
  ca = issuer.cert
  server = createServer({ cert, key }, (request, response) => {
    asked.push([request.url!, request.socket.remotePort!])
    answer(response, request)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  asked.length = 0
  answer = (response) => response.end('whole')
  const { port } = server.address() as AddressInfo
  const tls = { host: '127.0.0.1', port, ca }
  connection = new PlainConnection(tls, `127.0.0.1:${port}`)
})
afterEach(() => connection.close())

const open = (path = '/', signal = new AbortController().signal) =>
  connection.open({ path, headers: {}, signal })

async function get(path: string): Promise<readonly [status: number, body: string]> {
  const { status, body } = await open(path)
  let text = ''
  for await (const chunk of body) text += String(chunk)
  return [status, text]
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    ({ code, message }: NodeJS.ErrnoException) => code ?? message,
  )

test('one request after the other uses one connection', async () => {
  answer = (response, { url }) => response.writeHead(url === '/b' ? 404 : 200).end(url)
  expect(await get('/a')).toEqual([200, '/a'])
  expect(connection.isBusy).toBe(false)
  expect(await get('/b')).toEqual([404, '/b'])
  expect(asked.map(([path]) => path)).toEqual(['/a', '/b'])
  expect(new Set(asked.map(([, port]) => port)).size).toBe(1)
})

test('a connection that was closed meanwhile is made again', async () => {
  answer = (response) => response.end('whole')
  await get('/a')
  server.closeAllConnections()
  expect(await get('/b')).toEqual([200, 'whole'])
  expect(asked.map(([path]) => path)).toEqual(['/a', '/b'])
  expect(new Set(asked.map(([, port]) => port)).size).toBe(2)
})

test('a body that is long comes as fast as it is read', async () => {
  const size = 8 << 20
  answer = (response) => response.end(Buffer.alloc(size, 'a'))
  const { body } = await open()
  await once(body, 'readable')
  expect(connection.isBusy).toBe(true)
  let read = 0
  for await (const chunk of body) {
    read += (chunk as Buffer).length
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  expect(read).toBe(size)
})

for (const [name, reply, code] of [
  ['before the response', (response) => response.destroy(), 'ECONNRESET'],
  [
    'within the response',
    (response) =>
      response.writeHead(200, { 'content-length': 9 }).write('abc', () => response.destroy()),
    'ECONNRESET',
  ],
  ['with another protocol', (response) => response.socket!.end('SSH-2.0-x\r\n\r\n'), 'HPE_INVALID'],
] as const satisfies (readonly [string, typeof answer, string])[]) {
  test(`the server ends ${name}`, async () => {
    answer = reply
    expect(await codeOf(get('/'))).toBe(code)
    expect(connection.isBusy).toBe(false)
  })
}

test('an aborted request ends with the reason, before and within the response', async () => {
  const before = new AbortController()
  answer = () => before.abort(new Error('enough'))
  expect(await codeOf(open('/', before.signal))).toBe('enough')
  expect(await codeOf(open('/', before.signal))).toBe('enough')
  const within = new AbortController()
  answer = (response) => response.write('a')
  const { body } = await open('/', within.signal)
  within.abort(new Error('enough'))
  expect(await codeOf(body.toArray())).toBe('enough')
  answer = (response) => response.end('whole')
  expect(await get('/')).toEqual([200, 'whole'])
})

test('who leaves a response leaves its connection', async () => {
  answer = (response) => response.write('a')
  const { body } = await open()
  body.destroy()
  await once(body, 'close')
  answer = (response) => response.end('whole')
  expect(await get('/b')).toEqual([200, 'whole'])
  expect(new Set(asked.map(([, port]) => port)).size).toBe(2)
})

test('a header is one line', async () => {
  const { signal } = new AbortController()
  const sent = connection.open({ path: '/', headers: { a: 'b\r\nc: d' }, signal })
  expect(await codeOf(sent)).toBe('ERR_INVALID_CHAR')
  expect(asked).toEqual([])
})

test('a server that is not there', async () => {
  const gone = new PlainConnection({ host: '127.0.0.1', port: 1 }, 'x')
  const { signal } = new AbortController()
  expect(await codeOf(gone.open({ path: '/', headers: {}, signal }))).toBe('ECONNREFUSED')
})
