/** What a connection of HTTP/1.1 keeps of a request that was answered. */
import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ConnectionCertificates } from '../authn/connection-certificate.ts'
import { systemClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { issue } from '../pki/issue.ts'
import { Connections } from './connections.ts'
import type { Exchange } from './exchange.ts'
import { listen, type Listener } from './listen.ts'
import { Stages } from './stages.ts'

const { cert, key } = issue({
  subject: { commonName: 'server' },
  notBeforeMs: Date.now() - 60_000,
  notAfterMs: Date.now() + 3_600_000,
  use: 'authority',
})

let collect: () => void
beforeAll(() => {
  setFlagsFromString('--expose-gc')
  collect = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
})

for (const directHttp1 of [true, false]) {
  describe(directHttp1 ? 'plain requests read here' : 'all requests read by Node.js', () => {
    let listener: Listener
    let socket: TLSSocket
    afterEach(async () => {
      socket.destroy()
      await listener.close(0)
    })

    /** A connection to a server with these responses; what it received. */
    async function open(onExchange: (exchange: Exchange) => void): Promise<() => string> {
      listener = await listen({
        bindAddress: '127.0.0.1',
        port: 0,
        cert,
        key,
        clientCa: cert,
        connections: new Connections({ clock: systemClock, log: silentLog }),
        certificates: new ConnectionCertificates(),
        // With subscribers, a connection also knows its exchange.
        stages: new Stages([], { clock: systemClock, log: silentLog }),
        onExchange,
        directHttp1,
        onFault: (error) => {
          throw error
        },
      })
      socket = connect({ port: listener.port, rejectUnauthorized: false })
      let text = ''
      socket.setEncoding('latin1')
      socket.on('data', (piece: string) => (text += piece))
      socket.on('error', () => {})
      await once(socket, 'secureConnect')
      return () => text
    }

    const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
    const statuses = (text: string) =>
      [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code)

    for (const { name, respond, request = GET } of [
      { name: 'one piece', respond: (exchange) => exchange.send(200, [], 'done') },
      {
        name: 'one piece, to a request with a body',
        request: 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}',
        respond: (exchange) =>
          void exchange.readBody(100, null).then(() => exchange.send(200, [], 'done')),
      },
      {
        name: 'several pieces',
        respond: (exchange) => {
          const out = exchange.open(200, [])
          out.write(Buffer.from('done'))
          out.end()
        },
      },
    ] as { name: string; respond: (exchange: Exchange) => void; request?: string }[]) {
      test(`an idle connection does not keep a request whose response was sent in ${name}`, async () => {
        const seen: WeakRef<Exchange>[] = []
        const text = await open((exchange) => {
          seen.push(new WeakRef(exchange))
          respond(exchange)
        })
        socket.write(request)
        await expect.poll(text, { interval: 1 }).toContain('done')
        await expect
          .poll(() => {
            collect()
            return seen.map((ref) => ref.deref() === undefined)
          })
          .toEqual([true])
      })
    }

    test('input that is malformed after a response is refused', async () => {
      const text = await open((exchange) => exchange.send(200, [], 'done'))
      socket.write(GET)
      await expect.poll(text, { interval: 1 }).toContain('done')
      socket.write('nonsense\r\n\r\n')
      await once(socket, 'close')
      expect(statuses(text())).toEqual(['200', '400'])
    })

    test('a refusal is not mixed with responses that are still due', async () => {
      const waiting: Exchange[] = []
      const text = await open((exchange) => {
        // The second response is complete before the first.
        if (waiting.push(exchange) === 2) exchange.send(200, [], 'second')
      })
      socket.write(`${GET}${GET}nonsense\r\n\r\n`)
      await once(socket, 'close')
      expect(waiting).toHaveLength(2)
      expect(statuses(text())).toEqual([])
    })
  })
}
