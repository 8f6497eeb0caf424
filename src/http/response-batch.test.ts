/** Responses over HTTP/1.1 that are sent together, and one by one. */
import { once } from 'node:events'
import { connect } from 'node:tls'
import { afterEach, describe, expect, test } from 'vitest'
import { ConnectionCertificates } from '../authn/connection-certificate.ts'
import { systemClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { issue } from '../pki/issue.ts'
import { Connections } from './connections.ts'
import type { Exchange } from './exchange.ts'
import { listen, type Listener } from './listen.ts'
import { ResponseBatch } from './response-batch.ts'

const { cert, key } = issue({
  subject: { commonName: 'server' },
  notBeforeMs: Date.now() - 60_000,
  notAfterMs: Date.now() + 3_600_000,
  use: 'authority',
})

const iteration = () => new Promise<void>((resolve) => void setImmediate(resolve))

describe('a batch', () => {
  const sent: string[] = []
  const batch = new ResponseBatch()
  const response = { sendNow: (body: Buffer | string) => void sent.push(String(body)) }
  const send = (from: number, to: number) => {
    for (let i = from; i < to; i++) batch.send(response, `${i}`)
  }
  const numbers = (to: number) => Array.from({ length: to }, (_, i) => `${i}`)
  afterEach(() => void sent.splice(0))

  test('is sent at the end of the iteration, in order', async () => {
    send(0, 3)
    expect(sent).toEqual([])
    await iteration()
    expect(sent).toEqual(numbers(3))
  })

  test('is sent before when it is full', async () => {
    send(0, 33)
    expect(sent).toEqual(numbers(32))
    send(33, 70)
    expect(sent).toEqual(numbers(64))
    await iteration()
    expect(sent).toEqual(numbers(70))
  })

  test('is sent on demand, and once', async () => {
    send(0, 2)
    batch.flush()
    expect(sent).toEqual(numbers(2))
    send(2, 3)
    await iteration()
    await iteration()
    expect(sent).toEqual(numbers(3))
  })

  test('takes responses that are made while it is sent', async () => {
    batch.send({ sendNow: () => send(0, 2) }, '')
    await iteration()
    await iteration()
    expect(sent).toEqual(numbers(2))
  })
})

let listener: Listener | null = null
afterEach(() => listener?.close(0))

const get = (path: string, ...headers: string[]) =>
  `${[`GET ${path} HTTP/1.1`, 'Host: a', ...headers].join('\r\n')}\r\n\r\n`

/** Bodies, and the first lines of responses that have others. */
const shown = (text: string) => text.match(/(?<=<).*?(?=>)|HTTP\/1.1 [^2].*(?=\r\n)/g)

for (const { joinsResponses, directHttp1 } of [
  { joinsResponses: true, directHttp1: true },
  { joinsResponses: true, directHttp1: false },
  { joinsResponses: false, directHttp1: true },
  { joinsResponses: false, directHttp1: false },
]) {
  const reader = directHttp1 ? 'plain requests read here' : 'all requests read by Node.js'
  describe(`${joinsResponses ? 'together' : 'one by one'}, ${reader}`, () => {
    /** What a client receives until its connection ends, when it sends this at once. */
    async function received(
      sent: string,
      onExchange = (exchange: Exchange) => exchange.send(200, [], `<${exchange.target}>`),
    ): Promise<string> {
      listener = await listen({
        bindAddress: '127.0.0.1',
        port: 0,
        cert,
        key,
        clientCa: cert,
        connections: new Connections({ clock: systemClock, log: silentLog }),
        certificates: new ConnectionCertificates(),
        joinsResponses,
        directHttp1,
        onExchange,
        onFault: (error) => {
          throw error
        },
      })
      const socket = connect({ port: listener.port, rejectUnauthorized: false })
      let text = ''
      socket.setEncoding('latin1')
      socket.on('data', (piece: string) => (text += piece))
      await once(socket, 'secureConnect')
      socket.write(sent)
      await once(socket, 'close')
      return text
    }
    const last = get('/last', 'Connection: close')

    test('requests of one connection are answered in order', async () => {
      const text = await received(get('/a') + get('/b') + last)
      expect(shown(text)).toEqual(['/a', '/b', '/last'])
    })

    test('a response that is made later keeps its place', async () => {
      const text = await received(get('/later') + get('/b') + last, (exchange) => {
        const send = () => exchange.send(200, [], `<${exchange.target}>`)
        if (exchange.target === '/later') setImmediate(() => setImmediate(send))
        else send()
      })
      expect(shown(text)).toEqual(['/later', '/b', '/last'])
    })

    test('a stream between responses keeps its place', async () => {
      const text = await received(get('/a') + get('/stream') + last, (exchange) => {
        if (exchange.target !== '/stream') return exchange.send(200, [], `<${exchange.target}>`)
        const out = exchange.open(200, [])
        out.write(Buffer.from('<stream>'))
        out.end()
      })
      expect(shown(text)).toEqual(['/a', 'stream', '/last'])
    })

    test('a response to HEAD has no body', async () => {
      const text = await received(get('/head').replace('GET', 'HEAD') + last)
      expect(shown(text)).toEqual(['/last'])
      expect(text.match(/^content-length: \d+/gim)).toEqual([
        'content-length: 7',
        'content-length: 7',
      ])
    })

    test('a refusal of what is no request follows the responses before it', async () => {
      const text = await received(`${get('/a')}nonsense\r\n\r\n`)
      expect(shown(text)).toEqual(['/a', 'HTTP/1.1 400 Bad Request'])
    })

    test('a refusal of a wrong head does, too', async () => {
      const text = await received(get('/a') + get('/b').replace('Host: a', 'Hosts: a'))
      expect(shown(text)).toEqual(['/a', 'HTTP/1.1 400 Bad Request'])
    })

    test('a server that closes sends all of a long response', async () => {
      const length = 16 << 20
      const text = await received(get('/a'), (exchange) => {
        exchange.send(200, [], Buffer.alloc(length, 'a'))
        const closing = listener!
        let isClosed = false
        closing.stopAccepting()
        void closing.close(60_000).then(() => (isClosed = true))
        const looks = () => {
          closing.endIdle()
          if (!isClosed) setImmediate(looks)
        }
        looks()
      })
      expect(text.length - text.indexOf('\r\n\r\n') - 4).toBe(length)
    })

    test('a server that closes idle connections sends what is complete', async () => {
      const text = await received(get('/a'), (exchange) => {
        exchange.send(200, [], '<a>')
        listener!.stopAccepting()
        listener!.endIdle()
        setImmediate(() => listener!.endIdle())
        void listener!.close(60_000)
      })
      expect(shown(text)).toEqual(['a'])
    })
  })
}
