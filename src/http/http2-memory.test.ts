/** Connections of HTTP/2 that share the memory they are read into, over TLS. */
import { once } from 'node:events'
import { connect, type ClientHttp2Session } from 'node:http2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { issue } from '../pki/issue.ts'
import type { Exchange } from './exchange.ts'
import { serve } from './http1-lane/lane.fixture.ts'
import type { Listener } from './listen.ts'

const { cert, key } = issue({
  subject: { commonName: 'server' },
  notBeforeMs: Date.now() - 60_000,
  notAfterMs: Date.now() + 3_600_000,
  use: 'authority',
})

/** Of each request: how many read its connection through the stream of the connection. */
const readers: Record<'shared' | 'streamed', number[]> = { shared: [], streamed: [] }
let listeners: Record<'shared' | 'streamed', Listener>
beforeAll(async () => {
  const open = (name: 'shared' | 'streamed') =>
    serve({
      ...{ cert, key },
      sharesReadMemory: name === 'shared',
      onExchange: (exchange) => {
        readers[name].push(exchange.socket.listenerCount('data'))
        void sendBack(exchange)
      },
    })
  listeners = { shared: await open('shared'), streamed: await open('streamed') }
})
afterAll(() => Promise.all(Object.values(listeners).map((one) => one.close(0))))

async function sendBack(exchange: Exchange): Promise<void> {
  const body = await exchange.readBody(100_000, null)
  exchange.send(200, ['content-type', 'text/plain'], `${exchange.target} ${body.toString()}`)
}

/** The answer to a request whose body comes in these pieces, one after the other. */
async function answer(session: ClientHttp2Session, pieces: readonly string[]): Promise<string> {
  const method = pieces.length === 0 ? 'GET' : 'POST'
  const request = session.request({ ':method': method, ':path': `/${pieces.length}` })
  request.setEncoding('latin1')
  let text = ''
  request.on('data', (piece: string) => (text += piece))
  for (const piece of pieces) {
    request.write(piece)
    await new Promise((resolve) => setImmediate(resolve))
  }
  request.end()
  await once(request, 'end')
  return text
}

/** The answers of a server to requests of several connections at once, the first of which come before it can serve HTTP/2. */
async function answers({ port }: Listener): Promise<readonly string[]> {
  const sessions = Array.from({ length: 3 }, () =>
    connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false }),
  )
  const bodies = [[], ['a'.repeat(2_000)], ['b', 'c'.repeat(40_000), 'd'.repeat(9)], [], ['']]
  const texts = await Promise.all(
    sessions.flatMap((session, i) =>
      bodies.map((pieces) =>
        answer(
          session,
          pieces.map((piece) => piece + i),
        ),
      ),
    ),
  )
  for (const session of sessions) session.destroy()
  return texts
}

test('requests of several connections at once are answered as without it', async () => {
  for (let round = 0; round < 2; round++)
    expect(await answers(listeners.shared)).toEqual(await answers(listeners.streamed))
  expect(new Set(readers.shared)).toEqual(new Set([0]))
  expect(new Set(readers.streamed)).toEqual(new Set([1]))
})
