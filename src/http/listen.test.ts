/** Connections that are silent or incomplete. */
import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { issue } from '../pki/issue.ts'
import { ConnectionCertificates } from '../authn/connection-certificate.ts'
import { Connections } from './connections.ts'
import { listen, type Listener } from './listen.ts'

const { cert, key } = issue({
  subject: { commonName: 'server' },
  notBeforeMs: Date.now() - 60_000,
  notAfterMs: Date.now() + 3_600_000,
  use: 'authority',
})

for (const directHttp1 of [true, false]) {
  describe(directHttp1 ? 'plain requests read here' : 'all requests read by Node.js', () => {
    let listener: Listener | null = null
    const sockets: Socket[] = []
    afterEach(async () => {
      for (const socket of sockets.splice(0)) socket.destroy()
      await listener?.close(0)
    })

    const SHORT = 100
    const LONG = 3_600_000

    async function serve(times: { handshakeMs?: number; headersMs?: number; idleMs?: number }) {
      const { handshakeMs = LONG, headersMs = LONG, idleMs = LONG } = times
      const connections = new Connections({ clock: systemClock, log: silentLog, handshakeMs })
      listener = await listen({
        bindAddress: '127.0.0.1',
        port: 0,
        cert,
        key,
        clientCa: cert,
        connections,
        certificates: new ConnectionCertificates(),
        timeouts: { headersMs, idleMs },
        onExchange: (exchange) => exchange.send(200, [], 'ok'),
        directHttp1,
        onFault: (error) => {
          throw error
        },
      })
      return { connections, port: listener.port }
    }

    async function tcp(port: number): Promise<Socket> {
      const socket = connectTcp({ port, host: '127.0.0.1', allowHalfOpen: true })
      socket.on('error', () => {})
      sockets.push(socket)
      await once(socket, 'connect')
      return socket
    }

    async function tls(port: number): Promise<TLSSocket> {
      const socket = connectTls({ port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
      socket.on('error', () => {})
      sockets.push(socket)
      await once(socket, 'secureConnect')
      return socket
    }

    const ended = (socket: Socket) => (socket.resume(), once(socket, 'close'))

    for (const { name, say } of [
      { name: 'nothing', say: () => {} },
      {
        name: 'the beginning of TLS',
        say: (socket) => socket.write(Buffer.from([22, 3, 1, 1, 0, 1])),
      },
      { name: 'no more than that it says nothing', say: (socket) => socket.end() },
    ] as { name: string; say: (socket: Socket) => void }[]) {
      test(`a connection that sends ${name} ends`, async () => {
        const { port, connections } = await serve({ handshakeMs: SHORT })
        const socket = await tcp(port)
        say(socket)
        await once(socket.resume(), 'end')
        await expect.poll(() => connections.counts).toEqual({ open: 0, strangers: 0 })
      })
    }

    for (const { name, say } of [
      { name: 'nothing after TLS', say: () => {} },
      { name: 'half a head', say: (socket) => socket.write('GET / HTTP/1.1\r\nHost: a\r\n') },
      {
        name: 'half a second head',
        say: (socket) => socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n'),
      },
    ] as { name: string; say: (socket: Socket) => void }[]) {
      test(`a connection that sends ${name} ends`, async () => {
        const { port, connections } = await serve({ headersMs: SHORT })
        const socket = await tls(port)
        say(socket)
        await ended(socket)
        await expect.poll(() => connections.counts).toEqual({ open: 0, strangers: 0 })
      })
    }

    test('a connection without a further request ends', async () => {
      const { port } = await serve({ idleMs: SHORT })
      const socket = await tls(port)
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
      await ended(socket)
    })

    test('a server shuts down despite connections without a TLS handshake', async () => {
      const { port, connections } = await serve({})
      const socket = await tcp(port)
      await expect.poll(() => connections.counts.open).toBe(1)
      const closing = listener!.close(LONG)
      await once(socket.resume(), 'end')
      await closing
    })
  })
}
