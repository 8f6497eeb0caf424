/** Connections of plain requests: bodies that wait, streams, and ends. */
import { afterEach, describe, expect, test } from 'vitest'
import { issue } from '../../pki/issue.ts'
import type { Exchange } from '../exchange.ts'
import type { Listener, ListenOptions } from '../listen.ts'
import { Client, isOwn, serve, timeless } from './lane.fixture.ts'

const { cert, key } = issue({
  subject: { commonName: 'server' },
  notBeforeMs: Date.now() - 60_000,
  notAfterMs: Date.now() + 3_600_000,
  use: 'authority',
})

let listener: Listener
let client: Client
afterEach(async () => {
  client.socket.destroy()
  await listener.close(0)
})

async function open(
  onExchange: (exchange: Exchange) => void,
  options: Partial<ListenOptions> = {},
): Promise<void> {
  listener = await serve({ cert, key, onExchange, ...options })
  client = await Client.to(listener)
}

const request = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`
const GET = request('GET / HTTP/1.1', 'Host: a')
const head = (length: number) => request('POST / HTTP/1.1', 'Host: a', `Content-Length: ${length}`)
const bodies = (text: string) => [...text.matchAll(/(?<=<)[^<>]*(?=>)/g)].map(([body]) => body)

for (const [name, ways] of Object.entries({
  'read here': {},
  'read here, through streams': { sharesReadMemory: false },
  'read by Node.js': { directHttp1: false },
})) {
  describe(name, () => {
    const { directHttp1 = true } = ways as Partial<ListenOptions>
    test('the rest of a body without a reader is not read', async () => {
      const exchanges: Exchange[] = []
      await open((exchange) => void exchanges.push(exchange), ways)
      const length = 64 << 20
      client.send(head(length))
      client.socket.write(Buffer.alloc(length))
      await expect.poll(() => exchanges.length).toBe(1)
      const { socket } = exchanges[0]!
      await expect.poll(() => socket.isPaused()).toBe(true)
      expect(isOwn(exchanges[0]!)).toBe(directHttp1)
      expect(socket.bytesRead).toBeLessThan(16 << 20)
      exchanges[0]!.send(413, [], '<too large>')
      const text = await client.closed()
      expect(text).toMatch(/^HTTP\/1.1 413 /)
      expect(text).toContain('\r\nconnection: close\r\n')
      expect(bodies(text)).toEqual(['too large'])
    })

    test.each([17_000, 33_000, 49_000, 60_000, 66_000, 100_000])(
      'the next request is read after a body of %d bytes that waited for its reader',
      async (length) => {
        await open((exchange) => {
          if (exchange.method === 'GET') return exchange.send(200, [], '<next>')
          const { socket } = exchange
          const isHere = () => socket.isPaused() || socket.bytesRead >= length
          void expect
            .poll(isHere)
            .toBe(true)
            .then(() => exchange.readBody(length, null))
            .then((body) => exchange.send(200, [], `<${body.length}>`))
        }, ways)
        for (let i = 0; i < 2; i++) {
          client.socket.write(Buffer.concat([Buffer.from(head(length)), Buffer.alloc(length)]))
          await client.until((text) => bodies(text).length > 2 * i)
          client.send(GET)
          await client.until((text) => bodies(text).length > 2 * i + 1)
        }
        expect(bodies(client.text)).toEqual([`${length}`, 'next', `${length}`, 'next'])
      },
    )

    test('a body is a stream that is read as fast as its reader', async () => {
      const length = 4 << 20
      let most = 0
      await open((exchange) => {
        const source = exchange.source()
        expect(exchange.source()).toBe(source)
        let count = 0
        source.on('data', (chunk: Buffer) => {
          count += chunk.length
          source.pause()
          most = Math.max(most, source.readableLength)
          setImmediate(() => source.resume())
        })
        source.on('end', () => exchange.send(200, [], `<${count}>`))
      }, ways)
      for (let i = 0; i < 2; i++) {
        client.send(head(length))
        client.socket.write(Buffer.alloc(length))
        await client.until((text) => bodies(text).length > i)
      }
      expect(bodies(client.text)).toEqual([`${length}`, `${length}`])
      expect(most).toBeLessThan(1 << 20)
    })

    test('a client that goes is noticed while a response is being sent', async () => {
      let isGone = false
      let isClosed = () => false
      await open((exchange) => {
        const out = exchange.open(200, [])
        out.write(Buffer.from('<event>'))
        isClosed = () => out.closed
        exchange.signal.addEventListener('abort', () => (isGone = true))
      }, ways)
      client.send(GET)
      await client.until((text) => text.includes('<event>'))
      expect([isGone, isClosed()]).toEqual([false, false])
      client.socket.end()
      await expect.poll(() => [isGone, isClosed()]).toEqual([true, true])
    })

    test('a response to a client that does not read is written as far as there is room', async () => {
      const chunk = Buffer.alloc(1 << 20, '~')
      let written = 0
      let isFull = () => false
      await open((exchange) => {
        const out = exchange.open(200, [])
        const fill = async () => {
          for (; written < 64; written++) if (!out.write(chunk)) await out.drained()
          out.end()
        }
        isFull = () => exchange.socket.writableNeedDrain
        void fill()
      }, ways)
      client.socket.pause()
      client.socket.removeAllListeners('data')
      client.send(GET)
      await expect.poll(() => isFull()).toBe(true)
      expect(written).toBeLessThan(64)
      let count = 0
      client.socket.on(
        'data',
        (text: string) => (count += text.length - text.replaceAll('~', '').length),
      )
      client.socket.resume()
      await expect.poll(() => count, { timeout: 20_000 }).toBe(64 << 20)
    })

    for (const [name, value] of [
      ['a', 'b\r\nc: d'],
      ['a', 'b\nc'],
      ['a', 'b\0'],
      ['a', '\u0100'],
      ['a\r\nb', 'c'],
      ['a b', 'c'],
      ['', 'c'],
    ] as const) {
      test(`a response with the header ${JSON.stringify([name, value])} is not made`, async () => {
        await open((exchange) => {
          expect(() => exchange.send(200, [name, value], '<wrong>')).toThrow()
          expect(() => exchange.open(200, [name, value])).toThrow()
          expect(exchange.begun).toBe(false)
          exchange.send(500, [], '<right>')
        }, ways)
        client.send(GET)
        await client.until((text) => text.includes('>'))
        expect(bodies(client.text)).toEqual(['right'])
      })
    }
  })
}

test('a stream that its reader leaves does not stop the connection', async () => {
  await open((exchange) => {
    if (exchange.method === 'GET') return exchange.send(200, [], '<next>')
    exchange.source().once('data', () => {
      exchange.source().destroy()
      const out = exchange.open(200, [])
      out.write(Buffer.from('<early>'))
      out.end()
    })
  })
  client.send(head(1 << 20))
  client.socket.write(Buffer.alloc(1 << 20))
  client.send(GET)
  await client.until((text) => text.includes('<next>'))
  expect(bodies(client.text)).toEqual(['early', 'next'])
})

/** Responses of all kinds, as bytes. */
const responses: Record<string, (exchange: Exchange) => void> = {
  'a text': (exchange) => exchange.send(200, ['a', 'b'], 'ö'),
  'some bytes': (exchange) => exchange.send(404, ['a', 'ä', 'a', 'c'], Buffer.from('abc')),
  'many bytes': (exchange) => exchange.send(200, [], Buffer.alloc(50_000, 'x')),
  'a long text': (exchange) => exchange.send(200, [], 'ö'.repeat(10_000)),
  nothing: (exchange) => exchange.send(204, [], ''),
  'an unknown status': (exchange) => exchange.send(299, [], ''),
  'not modified': (exchange) => exchange.send(304, ['etag', '"a"'], ''),
  'not modified, as a stream': (exchange) => exchange.open(304, []).end(),
  'a date of its own': (exchange) => exchange.send(200, ['date', 'x'], ''),
  'the end of the connection': (exchange) => {
    exchange.endConnection()
    exchange.send(200, [], 'a')
  },
  'the end of the connection, by its headers': (exchange) =>
    exchange.send(200, ['Connection', 'close'], 'a'),
  'a stream': (exchange) => {
    const out = exchange.open(200, ['a', 'b'])
    for (const length of [1, 0, 16 << 10, (16 << 10) + 1, 100_000])
      out.write(Buffer.alloc(length, 'x'))
    out.end()
  },
  'a stream of declared length': (exchange) => {
    const out = exchange.open(200, ['content-length', '4'])
    out.write(Buffer.from('ab'))
    out.write(Buffer.from('cd'))
    out.end()
  },
  'a stream of nothing': (exchange) => exchange.open(200, []).end(),
  'a stream that ends the connection': (exchange) => {
    exchange.endConnection()
    const out = exchange.open(200, [])
    out.write(Buffer.from('ab'))
    out.end()
  },
}

describe('responses are those of Node.js', () => {
  for (const method of ['GET', 'HEAD'])
    for (const [name, respond] of Object.entries(responses)) {
      test(`${method}: ${name}`, async () => {
        const texts: string[] = []
        for (const directHttp1 of [true, false]) {
          await open(
            (exchange) => {
              if (exchange.target !== '/last') return respond(exchange)
              exchange.endConnection()
              exchange.send(200, [], '<last>')
            },
            { directHttp1 },
          )
          client.send(GET.replace('GET', method))
          await client.until((text) => text.includes('\r\n\r\n'))
          client.send(GET.replace('/', '/last'))
          texts.push(timeless(await client.closed()))
          if (directHttp1) await listener.close(0)
        }
        expect(texts[0]).toBe(texts[1])
      })
    }
})
