import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ManualClock } from '../base/clock.ts'
import { openConnection, openTunnel, TunnelFailure } from './tunnel.ts'
import { freePort } from '../../test/ports.ts'

let server: Server
let clock: ManualClock
let proxy: (socket: Socket, head: string) => void | Promise<void>
/** Whether connections to the proxy were closed. */
let closed: Promise<unknown>

beforeEach(async () => {
  clock = new ManualClock()
  server = createServer((socket) => {
    closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    socket.on('error', () => {})
    socket.once('data', (head) => void proxy(socket, head.toString()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => server.close())

const open = (target = 'node-1:10250') =>
  openTunnel({
    connect: (signal) =>
      openConnection(
        { host: '127.0.0.1', port: (server.address() as AddressInfo).port },
        null,
        signal,
      ),
    proxyHost: '127.0.0.1',
    target,
    headers: { a: 'b' },
    clock,
    timeoutMs: 1000,
  })

describe('an open tunnel', () => {
  for (const [name, pieces] of [
    ['in one piece', ['HTTP/1.1 200 Connection established\r\nx: y\r\n\r\nhello']],
    ['of the version before, byte by byte', [...'HTTP/1.0 200\r\n\r\nhello']],
    ['behind a provisional one', ['HTTP/1.1 103 x\r\n\r\nHTTP/1.1 200 OK\r\n', '\r\nhello']],
  ] as const) {
    test(`with a response ${name}`, async () => {
      let asked = ''
      proxy = async (socket, head) => {
        asked = head
        let received = ''
        socket.on('data', (data) => (received += String(data)))
        for (const piece of pieces)
          await new Promise<void>((sent) => socket.write(piece, () => setImmediate(sent)))
        if (received === '') await once(socket, 'data')
        socket.end(received)
      }
      const socket = await open()
      expect(asked).toBe('CONNECT node-1:10250 HTTP/1.1\r\nhost: node-1:10250\r\na: b\r\n\r\n')
      socket.write(' there')
      let got = ''
      for await (const data of socket) got += String(data)
      expect(got).toBe('hello there')
    })
  }
})

describe('no tunnel', () => {
  for (const [name, answer, failure] of [
    [
      'a refusal',
      'HTTP/1.1 403 Not \x1b[1m for you\r\n\r\n',
      ['proxy', 403, '403 Not ?[1m for you'],
    ],
    ['another success', 'HTTP/1.1 204 No Content\r\n\r\n', ['proxy', 204, '204 No Content']],
    ['a long reason', `HTTP/1.1 500 ${'a'.repeat(999)}\r\n\r\n`, ['proxy', 500, /^500 a{200}$/]],
    ['another protocol', 'SSH-2.0-x\r\n', ['proxy', 0, 'malformed HTTP response']],
    ['no status', 'HTTP/1.1 OK\r\n\r\n', ['proxy', 0, 'malformed HTTP response']],
    [
      'a megabyte of head',
      `HTTP/1.1 200 OK\r\na: ${'b'.repeat(1 << 20)}\r\n\r\n`,
      ['proxy', 0, 'the head of the answer is too long'],
    ],
    [
      'a head without an end',
      `HTTP/1.1 200 OK\r\na: ${'b'.repeat(1 << 20)}`,
      ['proxy', 0, 'the head of the answer is too long'],
    ],
  ] as const) {
    test(name, async () => {
      proxy = (socket) => void socket.write(answer)
      const error = await open().catch((thrown: unknown) => thrown as TunnelFailure)
      if (!(error instanceof TunnelFailure)) throw new Error('there is a tunnel')
      const [stage, status, message] = failure
      expect([error.stage, error.status]).toEqual([stage, status])
      if (typeof message === 'string') expect(error.message).toBe(message)
      else expect(error.message).toMatch(message)
      await closed
    })
  }

  test('a proxy that closes within the head', async () => {
    proxy = (socket) => void socket.end('HTTP/1.1 200 OK\r\n')
    await expect(open()).rejects.toMatchObject({ stage: 'proxy', message: 'EOF' })
  })

  test('a proxy that never answers', async () => {
    proxy = () => clock.advance(1000)
    await expect(open()).rejects.toMatchObject({
      stage: 'proxy',
      message: 'no answer came in time',
    })
    await closed
  })

  test('a target that is two headers', async () => {
    await expect(open('a\r\nb: c')).rejects.toMatchObject({
      stage: 'proxy',
      message: 'invalid characters in the address',
    })
  })

  test('no process listens', async () => {
    const port = await freePort()
    const connect = (signal: AbortSignal) =>
      openConnection({ host: '127.0.0.1', port }, null, signal)
    const none = { proxyHost: '', target: 'a:1', headers: {}, clock, timeoutMs: 1000 }
    await expect(openTunnel({ connect, ...none })).rejects.toMatchObject({
      stage: 'connect',
      message: `dial tcp 127.0.0.1:${port}: connect: connection refused`,
    })
    const unix = (signal: AbortSignal) => openConnection({ path: '/no/socket' }, null, signal)
    await expect(openTunnel({ connect: unix, ...none })).rejects.toMatchObject({
      stage: 'connect',
      message: 'dial unix /no/socket: connect: no such file or directory',
    })
  })
})
