import { once } from 'node:events'
import {
  createServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type Settings,
} from 'node:http2'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { Http2Connection } from './connection.ts'
import { FLAG, FRAME, frame } from '../../../http2/frames.ts'
import { encodeHeaders } from '../../../http2/hpack.ts'
import type { Stream, StreamError } from './stream.ts'

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

type Answer = (stream: ServerHttp2Stream, path: string) => void

async function serve(settings: Settings, answer: Answer) {
  const server: Http2Server = createServer({ settings })
  const sessions: ServerHttp2Session[] = []
  server.on('session', (session) => void sessions.push(session))
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {})
    answer(stream, String(headers[':path']))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  closers.push(() => {
    for (const session of sessions) session.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, sessions }
}

async function connectTo(port: number) {
  let closed = (_error: Error | null): void => {}
  const end = new Promise<Error | null>((resolve) => (closed = resolve))
  const connection = await new Promise<Http2Connection>((resolve) => {
    const made: Http2Connection = new Http2Connection(
      new URL(`http://127.0.0.1:${port}`),
      {},
      { ready: () => resolve(made), heard: () => {}, ended: () => {}, closed },
    )
    void end.then(() => resolve(made))
  })
  closers.push(() => connection.destroy())
  return { connection, end }
}

const blockOf = (path: string) =>
  encodeHeaders([
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', path],
    [':authority', 'here'],
    ['a', 'b'.repeat(200)],
  ])

interface Seen {
  readonly headers: Record<string, string>
  readonly body: Buffer
  readonly error: { readonly message: string; readonly isUnsent: boolean } | null
}

/** Requests a path, and returns the outcome. */
function ask(
  connection: Http2Connection,
  path: string,
  body: Buffer | null,
  begun: (stream: Stream) => void = () => {},
): Promise<Seen> {
  return new Promise((resolve) => {
    const headers: Record<string, string> = {}
    const pieces: Buffer[] = []
    const stream = connection.request(
      blockOf(path),
      {
        headers: (more) => void Object.assign(headers, Object.fromEntries(more)),
        data: (piece) => void pieces.push(piece),
        end: (error: StreamError | null) =>
          resolve({
            headers,
            body: Buffer.concat(pieces),
            error: error && { message: error.message, isUnsent: error.isUnsent },
          }),
      },
      body && [body],
    )
    begun(stream)
  })
}

const echo: Answer = (stream) => {
  stream.respond({ ':status': 200 })
  stream.pipe(stream)
}

describe('a body', () => {
  for (const settings of [{}, { initialWindowSize: 10 }, { initialWindowSize: 1 << 20 }]) {
    for (const size of [0, 1, 16_384, 100_000, 3_000_000]) {
      if (settings.initialWindowSize === 10 && size > 20_000) continue
      test(`of ${size} bytes goes there and back with ${JSON.stringify(settings)}`, async () => {
        const { port } = await serve(settings, echo)
        const { connection } = await connectTo(port)
        const body = Buffer.alloc(size, 'abcdefg')
        const whole = await ask(connection, '/', body)
        expect({ ...whole.error, isSame: whole.body.equals(body) }).toEqual({ isSame: true })
        const pieces = await ask(connection, '/', null, (stream) => {
          for (let at = 0; at < size; at += 5_000) stream.write(body.subarray(at, at + 5_000))
          stream.finish()
        })
        expect({ ...pieces.error, isSame: pieces.body.equals(body) }).toEqual({ isSame: true })
      })
    }
  }

  test('many of which go at once come back each to its own', async () => {
    const { port } = await serve({}, echo)
    const { connection } = await connectTo(port)
    const bodies = Array.from({ length: 50 }, (_, i) => Buffer.alloc(i * 20_000, `${i} `))
    const seen = await Promise.all(bodies.map((body) => ask(connection, '/', body)))
    expect(seen.map(({ body }, i) => body.equals(bodies[i]!))).toEqual(bodies.map(() => true))
  })

  test('of a stream that is paused does not come beyond its window, nor hold up others', async () => {
    const size = 8 << 20
    const { port } = await serve({}, (stream, path) => {
      stream.respond({ ':status': 200 })
      stream.end(path === '/large' ? Buffer.alloc(size, 'x') : 'small')
    })
    const { connection } = await connectTo(port)
    let paused: Stream | null = null
    let bytes = 0
    const ended = new Promise<void>((resolve) => {
      const stream = connection.request(
        blockOf('/large'),
        {
          headers: () => {},
          data: (piece) => void (bytes += piece.length),
          end: () => resolve(),
        },
        [Buffer.alloc(0)],
      )
      stream.pause()
      paused = stream
    })
    for (let i = 0; i < 20; i++)
      expect(await ask(connection, '/', Buffer.alloc(0))).toMatchObject({
        body: Buffer.from('small'),
        error: null,
      })
    expect(bytes).toBeLessThanOrEqual(4 << 20)
    paused!.resume()
    await ended
    expect(bytes).toBe(size)
  })
})

describe('headers', () => {
  test('of every form come as the server sent them', async () => {
    const printable = String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i))
    const sent: Record<string, string> = { 'x-all': `a${printable}z`, 'x-long': 'é'.repeat(3000) }
    for (let i = 0; i < 40; i++) sent[`x-${i}`] = `value ${i} `.repeat(i).trim()
    const { port } = await serve({}, (stream) => {
      stream.respond({ ':status': 204, ...sent }, { endStream: true })
    })
    const { connection } = await connectTo(port)
    for (let i = 0; i < 3; i++) {
      const { headers } = await ask(connection, '/', Buffer.alloc(0))
      const { date: _date, ...rest } = headers
      expect(rest).toEqual({ ':status': '204', ...sent })
    }
  })
})

describe('a server', () => {
  test('that accepts two concurrent streams gets no more at a time, and all eventually', async () => {
    let now = 0
    let most = 0
    const { port } = await serve({ maxConcurrentStreams: 2 }, (stream) => {
      most = Math.max(most, ++now)
      stream.on('close', () => now--)
      setImmediate(() => echo(stream, ''))
    })
    const { connection } = await connectTo(port)
    const bodies = Array.from({ length: 30 }, (_, i) => Buffer.from(`${i}`))
    const seen = await Promise.all(bodies.map((body) => ask(connection, '/', body)))
    expect(seen.map(({ body }) => String(body))).toEqual(bodies.map(String))
    expect(most).toBeLessThanOrEqual(2)
  })

  test('that refuses a stream did nothing of it', async () => {
    const { port } = await serve({}, (stream) => stream.close(7))
    const { connection } = await connectTo(port)
    expect((await ask(connection, '/', Buffer.alloc(0))).error).toEqual({
      message: 'the server broke off with HTTP/2 error 7',
      isUnsent: true,
    })
  })

  test('that sends GOAWAY completes open streams, and accepts no new ones', async () => {
    let answer = (): void => {}
    const { port, sessions } = await serve({}, (stream) => {
      answer = () => echo(stream, '')
      sessions[0]!.close()
    })
    const { connection, end } = await connectTo(port)
    const under = ask(connection, '/', Buffer.from('yes'))
    while (!connection.isOver) await new Promise((resolve) => setImmediate(resolve))
    await expect(ask(connection, '/', null)).rejects.toMatchObject({ isUnsent: true })
    answer()
    expect((await under).body.toString()).toBe('yes')
    expect(await end).toBe(null)
  })

  test('gets its pings acknowledged, and acknowledges ours', async () => {
    const { port, sessions } = await serve({}, echo)
    const { connection } = await connectTo(port)
    await new Promise<void>((resolve) => connection.ping(resolve))
    await new Promise<void>((resolve) => sessions[0]!.ping(() => resolve()))
  })

  test('hears of a stream that is cancelled', async () => {
    let closed: Promise<unknown> = Promise.resolve()
    const { port } = await serve({}, (stream) => {
      stream.respond({ ':status': 200 })
      closed = once(stream, 'close')
    })
    const { connection } = await connectTo(port)
    await new Promise<void>((resolve) => {
      const stream = connection.request(blockOf('/'), {
        headers: () => {
          stream.cancel()
          resolve()
        },
        data: () => {},
        end: () => {},
      })
    })
    await closed
  })
})

describe('received frames', () => {
  const SETTINGS = frame(FRAME.SETTINGS, 0, 0, Buffer.alloc(0))
  const OK = encodeHeaders([
    [':status', '200'],
    ['a', 'b'],
  ])
  /** The response of a server that sends these bytes to the first request. */
  async function told(bytes: Buffer): Promise<{ seen: Seen; closed: string | null }> {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {})
      socket.write(SETTINGS)
      let heard = Buffer.alloc(0)
      socket.on('data', (piece) => {
        heard = Buffer.concat([heard, piece])
        if (heard.includes(blockOf('/'))) socket.end(bytes)
      })
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    closers.push(() => server.close())
    const { connection, end } = await connectTo((server.address() as AddressInfo).port)
    const seen = await ask(connection, '/', Buffer.alloc(0))
    return { seen, closed: (await end)?.message ?? null }
  }
  const whole = { headers: { ':status': '200', a: 'b' }, body: Buffer.from('hi'), error: null }

  for (const { what, bytes } of [
    {
      what: 'padded and with a priority',
      bytes: [
        frame(
          FRAME.HEADERS,
          FLAG.END_HEADERS | FLAG.PADDED | FLAG.PRIORITY,
          1,
          Buffer.concat([Buffer.from([3, 0, 0, 0, 0, 9]), OK, Buffer.alloc(3)]),
        ),
        frame(FRAME.DATA, FLAG.PADDED, 1, Buffer.from([2, 104, 105, 0, 0])),
        frame(FRAME.DATA, FLAG.END_STREAM, 1, Buffer.alloc(0)),
      ],
    },
    {
      what: 'in three blocks, with frames that nobody knows',
      bytes: [
        frame(99, 255, 1, Buffer.from('?')),
        frame(FRAME.HEADERS, 0, 1, OK.subarray(0, 3)),
        frame(FRAME.CONTINUATION, 0, 1, OK.subarray(3, 7)),
        frame(FRAME.CONTINUATION, FLAG.END_HEADERS, 1, OK.subarray(7)),
        frame(FRAME.DATA, FLAG.END_STREAM, 77, Buffer.from('of nobody')),
        frame(FRAME.DATA, FLAG.END_STREAM, 1, Buffer.from('hi')),
      ],
    },
  ])
    test(`${what} is understood`, async () =>
      expect(await told(Buffer.concat(bytes))).toEqual({ seen: whole, closed: null }))

  for (const { what, bytes, is } of [
    {
      what: 'a push',
      bytes: frame(FRAME.PUSH_PROMISE, 0, 1, Buffer.alloc(4)),
      is: 'a push came, which nobody asked for',
    },
    { what: 'other text', bytes: Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), is: 'no HTTP/2' },
    {
      what: 'too much padding',
      bytes: frame(FRAME.DATA, FLAG.PADDED, 1, Buffer.from([9, 1])),
      is: 'too much padding',
    },
    {
      what: 'a header block that is broken',
      bytes: frame(FRAME.HEADERS, FLAG.END_HEADERS, 1, Buffer.from([0xbe])),
      is: 'names what is not there',
    },
    {
      what: 'something between the parts of a header block',
      bytes: Buffer.concat([
        frame(FRAME.HEADERS, 0, 1, OK),
        frame(FRAME.DATA, 0, 1, Buffer.from('a')),
      ]),
      is: 'a header block that is not whole',
    },
    {
      what: 'a header block without end',
      bytes: Buffer.concat([
        frame(FRAME.HEADERS, 0, 1, Buffer.alloc(16_000)),
        ...Array.from({ length: 5 }, () => frame(FRAME.CONTINUATION, 0, 1, Buffer.alloc(16_000))),
      ]),
      is: 'too long a header block',
    },
    {
      what: 'a part of no header block',
      bytes: frame(FRAME.CONTINUATION, FLAG.END_HEADERS, 1, OK),
      is: 'without a beginning',
    },
    {
      what: 'a ping of a wrong length',
      bytes: frame(FRAME.PING, 0, 0, Buffer.alloc(7)),
      is: 'a ping of a wrong length',
    },
    { what: 'a short frame', bytes: frame(FRAME.GOAWAY, 0, 0, Buffer.alloc(2)), is: 'too short' },
  ])
    test(`${what} ends the connection`, async () => {
      const { seen, closed } = await told(bytes)
      expect(closed).toContain(is)
      expect(seen.error).toEqual({ message: closed, isUnsent: false })
    })
})
