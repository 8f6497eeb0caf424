import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { RawHttp2, type Fields, type RawOptions } from '../../test/http2/raw-client.fixture.ts'
import { CODE, FLAG, FRAME, frame, PREFACE, settings, uint32 } from './frames.ts'
import { encodeHeaders } from './hpack.ts'
import type { RequestHead } from './request-head.ts'
import { ServerConnection } from './server-connection.ts'
import type { ServerStream } from './server-stream.ts'

const LIMITS = {
  maxStreams: 20,
  maxHeaderBytes: 64 << 10,
  settingsMs: 10_000,
  headersMs: 32_000,
  idleMs: 90_000,
}
const OPEN: Fields = [
  [':method', 'POST'],
  [':path', '/'],
  [':scheme', 'https'],
  [':authority', 'a'],
]
const EMPTY = Buffer.alloc(0)

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

interface Request {
  readonly stream: ServerStream
  readonly head: RequestHead
  /** The body so far, and how it ended. */
  readonly body: string[]
}

/** A server that records its requests and responds to none, unless `answer` does. */
async function serve(answer: (request: Request) => void = () => {}, options: RawOptions = {}) {
  const requests: Request[] = []
  const failures: unknown[] = []
  let accepted: (made: { connection: ServerConnection; socket: Socket }) => void
  const made = new Promise<{ connection: ServerConnection; socket: Socket }>(
    (resolve) => (accepted = resolve),
  )
  let closed = () => {}
  const over = new Promise<void>((resolve) => (closed = resolve))
  const server = createServer((socket) => {
    const connection = new ServerConnection(
      socket,
      {
        request: (stream, head) => {
          const request = { stream, head, body: [] }
          requests.push(request)
          answer(request)
        },
        refused: (stream, { isTooLarge, fault }) => {
          const [status, why] = isTooLarge ? [431, 'too large'] : [400, fault ?? '']
          stream.answer(status, ['content-type', 'text/plain'], Buffer.from(why))
        },
        failed: (error) => void failures.push(error),
        closed: () => closed(),
      },
      LIMITS,
    )
    accepted({ connection, socket })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = await RawHttp2.tcp((server.address() as AddressInfo).port, options)
  closers.push(() => {
    client.close()
    server.close()
  })
  const { connection, socket } = await made
  return { client, connection, socket, requests, failures, over }
}

/** Reads the body of a request. */
const read = ({ stream, body }: Request) =>
  stream.receive({
    data: (chunk) => void body.push(chunk.toString('latin1')),
    end: () => void body.push('END'),
    cut: () => void body.push('CUT'),
  })
const echo = (request: Request) => {
  const chunks: Buffer[] = []
  request.stream.receive({
    data: (chunk) => void chunks.push(chunk),
    end: () => request.stream.answer(200, ['a', 'b'], Buffer.concat(chunks)),
    cut: () => {},
  })
}
/** Resolves when the server has read all that was sent. */
async function synchronized(client: RawHttp2): Promise<void> {
  const before = client.frames.filter(isPong).length
  client.send(FRAME.PING, 0, 0, Buffer.alloc(8))
  await client.until('a ping came back', () => client.frames.filter(isPong).length > before)
}
const isPong = ({ type, flags }: { type: number; flags: number }) =>
  type === FRAME.PING && flags === FLAG.ACK

describe('errors that end the connection', () => {
  const block = (fields: Fields = OPEN) => encodeHeaders(fields)
  const open = (id: number) => frame(FRAME.HEADERS, FLAG.END_HEADERS, id, block())
  for (const { name, bytes, code } of [
    {
      name: 'DATA of the connection',
      bytes: frame(FRAME.DATA, 0, 0, EMPTY),
      code: CODE.PROTOCOL_ERROR,
    },
    {
      name: 'DATA of a stream that was not begun',
      bytes: frame(FRAME.DATA, 0, 1, EMPTY),
      code: CODE.PROTOCOL_ERROR,
    },
    {
      name: 'DATA of a stream of the server',
      bytes: frame(FRAME.DATA, 0, 2, EMPTY),
      code: CODE.PROTOCOL_ERROR,
    },
    {
      name: 'HEADERS of the connection',
      bytes: frame(FRAME.HEADERS, FLAG.END_HEADERS, 0, block()),
      code: CODE.PROTOCOL_ERROR,
    },
    { name: 'HEADERS of an even stream', bytes: open(2), code: CODE.PROTOCOL_ERROR },
    {
      name: 'a stream below the last one',
      bytes: Buffer.concat([open(5), open(3)]),
      code: CODE.STREAM_CLOSED,
    },
    {
      name: 'PRIORITY of the connection',
      bytes: frame(FRAME.PRIORITY, 0, 0, Buffer.alloc(5)),
      code: CODE.PROTOCOL_ERROR,
    },
    {
      name: 'PRIORITY of a wrong length',
      bytes: frame(FRAME.PRIORITY, 0, 1, Buffer.alloc(4)),
      code: CODE.FRAME_SIZE_ERROR,
    },
    {
      name: 'RST_STREAM of the connection',
      bytes: frame(FRAME.RST_STREAM, 0, 0, uint32(8)),
      code: CODE.PROTOCOL_ERROR,
    },
    {
      name: 'RST_STREAM of a stream that was not begun',
      bytes: frame(FRAME.RST_STREAM, 0, 1, uint32(8)),
      code: CODE.PROTOCOL_ERROR,
    },
    {
      name: 'RST_STREAM of a wrong length',
      bytes: frame(FRAME.RST_STREAM, 0, 1, Buffer.alloc(3)),
      code: CODE.FRAME_SIZE_ERROR,
    },
    {
      name: 'SETTINGS of a stream',
      bytes: frame(FRAME.SETTINGS, 0, 1, EMPTY),
      code: CODE.PROTOCOL_ERROR,
    },
    {
      name: 'SETTINGS of a wrong length',
      bytes: frame(FRAME.SETTINGS, 0, 0, Buffer.alloc(5)),
      code: CODE.FRAME_SIZE_ERROR,
    },
    {
      name: 'an acknowledgement with settings',
      bytes: frame(FRAME.SETTINGS, FLAG.ACK, 0, Buffer.alloc(6)),
      code: CODE.FRAME_SIZE_ERROR,
    },
    {
      name: 'push neither on nor off',
      bytes: frame(FRAME.SETTINGS, 0, 0, settings([[2, 2]])),
      code: CODE.PROTOCOL_ERROR,
    },
    {
      name: 'too large a window in settings',
      bytes: frame(FRAME.SETTINGS, 0, 0, settings([[4, 2 ** 31]])),
      code: CODE.FLOW_CONTROL_ERROR,
    },
    {
      name: 'too small a frame in settings',
      bytes: frame(FRAME.SETTINGS, 0, 0, settings([[5, 16_383]])),
      code: CODE.PROTOCOL_ERROR,
    },
    {
      name: 'too large a frame in settings',
      bytes: frame(FRAME.SETTINGS, 0, 0, settings([[5, 2 ** 24]])),
      code: CODE.PROTOCOL_ERROR,
    },
    {
      name: 'settings that make a window too large',
      bytes: Buffer.concat([
        open(1),
        frame(FRAME.WINDOW_UPDATE, 0, 1, uint32(2 ** 31 - 1 - 65_535)),
        frame(FRAME.SETTINGS, 0, 0, settings([[4, 65_536]])),
      ]),
      code: CODE.FLOW_CONTROL_ERROR,
    },
    {
      name: 'PUSH_PROMISE',
      bytes: frame(FRAME.PUSH_PROMISE, FLAG.END_HEADERS, 1, uint32(2)),
      code: CODE.PROTOCOL_ERROR,
    },
    {
      name: 'PING of a stream',
      bytes: frame(FRAME.PING, 0, 1, Buffer.alloc(8)),
      code: CODE.PROTOCOL_ERROR,
    },
    {
      name: 'PING of a wrong length',
      bytes: frame(FRAME.PING, 0, 0, Buffer.alloc(7)),
      code: CODE.FRAME_SIZE_ERROR,
    },
    {
      name: 'GOAWAY of a stream',
      bytes: frame(FRAME.GOAWAY, 0, 1, Buffer.alloc(8)),
      code: CODE.PROTOCOL_ERROR,
    },
    {
      name: 'GOAWAY of a wrong length',
      bytes: frame(FRAME.GOAWAY, 0, 0, Buffer.alloc(7)),
      code: CODE.FRAME_SIZE_ERROR,
    },
    {
      name: 'WINDOW_UPDATE of a wrong length',
      bytes: frame(FRAME.WINDOW_UPDATE, 0, 0, Buffer.alloc(3)),
      code: CODE.FRAME_SIZE_ERROR,
    },
    {
      name: 'WINDOW_UPDATE by nothing',
      bytes: frame(FRAME.WINDOW_UPDATE, 0, 0, uint32(0)),
      code: CODE.PROTOCOL_ERROR,
    },
    {
      name: 'WINDOW_UPDATE by too much',
      bytes: frame(FRAME.WINDOW_UPDATE, 0, 0, uint32(2 ** 31 - 1)),
      code: CODE.FLOW_CONTROL_ERROR,
    },
    {
      name: 'WINDOW_UPDATE of a stream that was not begun',
      bytes: frame(FRAME.WINDOW_UPDATE, 0, 1, uint32(1)),
      code: CODE.PROTOCOL_ERROR,
    },
    {
      name: 'CONTINUATION of nothing',
      bytes: frame(FRAME.CONTINUATION, FLAG.END_HEADERS, 1, EMPTY),
      code: CODE.PROTOCOL_ERROR,
    },
    {
      name: 'another frame inside a header block',
      bytes: Buffer.concat([
        frame(FRAME.HEADERS, 0, 1, block()),
        frame(FRAME.PING, 0, 0, Buffer.alloc(8)),
      ]),
      code: CODE.PROTOCOL_ERROR,
    },
    {
      name: 'CONTINUATION of another stream',
      bytes: Buffer.concat([
        frame(FRAME.HEADERS, 0, 1, block()),
        frame(FRAME.CONTINUATION, FLAG.END_HEADERS, 3, EMPTY),
      ]),
      code: CODE.PROTOCOL_ERROR,
    },
    {
      name: 'a frame that is too long',
      bytes: Buffer.from('0040010000000000 01'.replace(' ', ''), 'hex'),
      code: CODE.FRAME_SIZE_ERROR,
    },
    {
      name: 'too much padding',
      bytes: Buffer.concat([open(1), frame(FRAME.DATA, FLAG.PADDED, 1, Buffer.of(9, 1, 2))]),
      code: CODE.PROTOCOL_ERROR,
    },
    {
      name: 'an invalid header block',
      bytes: frame(FRAME.HEADERS, FLAG.END_HEADERS, 1, Buffer.of(0x80)),
      code: CODE.COMPRESSION_ERROR,
    },
    {
      name: 'invalid trailers',
      bytes: Buffer.concat([
        open(1),
        frame(FRAME.HEADERS, FLAG.END_HEADERS | FLAG.END_STREAM, 1, Buffer.of(0xff)),
      ]),
      code: CODE.COMPRESSION_ERROR,
    },
    {
      name: 'more than the window of the connection',
      bytes: overflow(),
      code: CODE.FLOW_CONTROL_ERROR,
    },
    {
      name: 'a header block in too many pieces',
      bytes: Buffer.concat([
        frame(FRAME.HEADERS, 0, 1, EMPTY),
        ...Array.from({ length: 200 }, () => frame(FRAME.CONTINUATION, 0, 1, EMPTY)),
      ]),
      code: CODE.ENHANCE_YOUR_CALM,
    },
    {
      name: 'too long a header block',
      bytes: Buffer.concat([
        frame(FRAME.HEADERS, 0, 1, EMPTY),
        ...Array.from({ length: 17 }, () => frame(FRAME.CONTINUATION, 0, 1, Buffer.alloc(16_384))),
      ]),
      code: CODE.ENHANCE_YOUR_CALM,
    },
    {
      name: 'a flood of pings',
      bytes: repeated(10_001, frame(FRAME.PING, 0, 0, Buffer.alloc(8))),
      code: CODE.ENHANCE_YOUR_CALM,
    },
    {
      name: 'a flood of settings',
      bytes: repeated(10_001, frame(FRAME.SETTINGS, 0, 0, EMPTY)),
      code: CODE.ENHANCE_YOUR_CALM,
    },
    {
      name: 'a flood of priorities',
      bytes: repeated(10_001, frame(FRAME.PRIORITY, 0, 1, Buffer.alloc(5))),
      code: CODE.ENHANCE_YOUR_CALM,
    },
    {
      name: 'a flood of frames of unknown type',
      bytes: repeated(10_001, frame(77, 0, 0, EMPTY)),
      code: CODE.ENHANCE_YOUR_CALM,
    },
    {
      name: 'a flood of empty DATA',
      bytes: Buffer.concat([open(1), repeated(10_001, frame(FRAME.DATA, 0, 1, EMPTY))]),
      code: CODE.ENHANCE_YOUR_CALM,
    },
    {
      name: 'a flood of tiny DATA',
      bytes: Buffer.concat([open(1), repeated(10_001, frame(FRAME.DATA, 0, 1, Buffer.from('x')))]),
      code: CODE.ENHANCE_YOUR_CALM,
    },
    {
      name: 'a flood of acknowledgements without a request',
      bytes: repeated(10_002, frame(FRAME.SETTINGS, FLAG.ACK, 0, EMPTY)),
      code: CODE.ENHANCE_YOUR_CALM,
    },
    {
      name: 'settings that change the windows of many streams, again and again',
      bytes: Buffer.concat([
        ...Array.from({ length: 20 }, (_, i) => open(2 * i + 1)),
        ...Array.from({ length: 455 }, (_, i) =>
          frame(FRAME.SETTINGS, 0, 0, settings([[4, 1000 + (i % 2)]])),
        ),
      ]),
      code: CODE.ENHANCE_YOUR_CALM,
    },
    {
      name: 'more than a hundred settings in one frame',
      bytes: frame(
        FRAME.SETTINGS,
        0,
        0,
        settings(Array.from({ length: 101 }, (_, i) => [i + 100, 1])),
      ),
      code: CODE.ENHANCE_YOUR_CALM,
    },
    {
      name: 'a setting twice in one frame',
      bytes: frame(
        FRAME.SETTINGS,
        0,
        0,
        settings([
          [4, 1],
          [4, 2],
        ]),
      ),
      code: CODE.PROTOCOL_ERROR,
    },
    {
      name: 'a flood of windows of the connection',
      bytes: repeated(10_001, frame(FRAME.WINDOW_UPDATE, 0, 0, uint32(1))),
      code: CODE.ENHANCE_YOUR_CALM,
    },
    {
      name: 'a flood of windows of a stream',
      bytes: Buffer.concat([
        open(1),
        repeated(10_001, frame(FRAME.WINDOW_UPDATE, 0, 1, uint32(1))),
      ]),
      code: CODE.ENHANCE_YOUR_CALM,
    },
    {
      name: 'a flood of windows of a stream that is closed',
      bytes: Buffer.concat([
        open(1),
        frame(FRAME.RST_STREAM, 0, 1, uint32(8)),
        repeated(10_001, frame(FRAME.WINDOW_UPDATE, 0, 1, uint32(1))),
      ]),
      code: CODE.ENHANCE_YOUR_CALM,
    },
    {
      name: 'a flood of DATA of a stream that was cut off here',
      bytes: Buffer.concat([
        open(1),
        frame(FRAME.WINDOW_UPDATE, 0, 1, uint32(0)),
        repeated(10_001, frame(FRAME.DATA, FLAG.END_STREAM, 1, EMPTY)),
      ]),
      code: CODE.ENHANCE_YOUR_CALM,
    },
    {
      name: 'a flood of header blocks of a stream that was cut off here',
      bytes: Buffer.concat([
        open(1),
        frame(FRAME.WINDOW_UPDATE, 0, 1, uint32(0)),
        repeated(10_001, frame(FRAME.HEADERS, FLAG.END_HEADERS, 1, EMPTY)),
      ]),
      code: CODE.ENHANCE_YOUR_CALM,
    },
    {
      name: 'long header blocks of a stream that was cut off here',
      bytes: Buffer.concat([
        open(1),
        frame(FRAME.WINDOW_UPDATE, 0, 1, uint32(0)),
        // 0x82 is a field of the static table.
        repeated(40, frame(FRAME.HEADERS, FLAG.END_HEADERS, 1, Buffer.alloc(16_384, 0x82))),
      ]),
      code: CODE.ENHANCE_YOUR_CALM,
    },
    {
      name: 'rapid resets',
      bytes: Buffer.concat(
        Array.from({ length: 1001 }, (_, i) =>
          Buffer.concat([open(2 * i + 1), frame(FRAME.RST_STREAM, 0, 2 * i + 1, uint32(8))]),
        ),
      ),
      code: CODE.ENHANCE_YOUR_CALM,
    },
    {
      name: 'streams that the server has to reset',
      bytes: Buffer.concat(
        Array.from({ length: 1001 }, (_, i) =>
          Buffer.concat([open(2 * i + 1), frame(FRAME.WINDOW_UPDATE, 0, 2 * i + 1, uint32(0))]),
        ),
      ),
      code: CODE.ENHANCE_YOUR_CALM,
    },
    {
      name: 'more streams than there may be, again and again',
      bytes: Buffer.concat(Array.from({ length: 1022 }, (_, i) => open(2 * i + 1))),
      code: CODE.ENHANCE_YOUR_CALM,
    },
  ] as const)
    test(name, async () => {
      const { client, failures, over } = await serve()
      client.write(bytes)
      await client.until('GOAWAY came', () => client.goaway !== null)
      expect(client.goaway!.code).toBe(code)
      await client.closed
      await over
      expect(failures).toEqual([])
    })

  test('other text', async () => {
    const { client } = await serve(undefined, { isSilent: true })
    client.write(Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n'))
    await client.until('GOAWAY came', () => client.goaway !== null)
    expect(client.goaway!.code).toBe(CODE.PROTOCOL_ERROR)
    await client.closed
  })

  test('a frame before the settings', async () => {
    const { client } = await serve(undefined, { isSilent: true })
    client.write(PREFACE)
    client.send(FRAME.PING, 0, 0, Buffer.alloc(8))
    await client.until('GOAWAY came', () => client.goaway !== null)
    expect(client.goaway!.code).toBe(CODE.PROTOCOL_ERROR)
    await client.closed
  })
})

/** As much as a stream may send, on so many that it is more than the connection may. */
function overflow(): Buffer {
  return Buffer.concat(
    Array.from({ length: 17 }, (_, i) => {
      const id = 2 * i + 1
      const data = (size: number) => frame(FRAME.DATA, 0, id, Buffer.alloc(size))
      const open = frame(FRAME.HEADERS, FLAG.END_HEADERS, id, encodeHeaders(OPEN))
      return Buffer.concat([open, data(16_384), data(16_384), data(16_384), data(16_383)])
    }),
  )
}

function repeated(times: number, bytes: Buffer): Buffer {
  return Buffer.concat(Array.from({ length: times }, () => bytes))
}

describe('errors that end a stream alone', () => {
  const length = (bytes: number): Fields => [...OPEN, ['content-length', String(bytes)]]
  const some = Buffer.from('some')
  for (const { name, fields = OPEN, say, code, body } of [
    {
      name: 'WINDOW_UPDATE by nothing',
      say: (client: RawHttp2) => client.send(FRAME.WINDOW_UPDATE, 0, 1, uint32(0)),
      code: CODE.PROTOCOL_ERROR,
      body: ['CUT'],
    },
    {
      name: 'WINDOW_UPDATE by too much',
      say: (client: RawHttp2) => client.send(FRAME.WINDOW_UPDATE, 0, 1, uint32(2 ** 31 - 1)),
      code: CODE.FLOW_CONTROL_ERROR,
      body: ['CUT'],
    },
    {
      name: 'a body longer than its content-length',
      fields: length(3),
      say: (client: RawHttp2) => client.data(1, some, false),
      code: CODE.PROTOCOL_ERROR,
      body: ['CUT'],
    },
    {
      name: 'a body shorter than its content-length',
      fields: length(5),
      say: (client: RawHttp2) => client.data(1, some, true),
      code: CODE.PROTOCOL_ERROR,
      body: ['CUT'],
    },
    {
      name: 'a body shorter than its content-length, with trailers',
      fields: length(5),
      say: (client: RawHttp2) => {
        client.data(1, some, false)
        client.headers(1, [['a', 'b']], true)
      },
      code: CODE.PROTOCOL_ERROR,
      body: ['CUT'],
    },
    {
      name: 'trailers that do not end',
      say: (client: RawHttp2) => client.headers(1, [['a', 'b']], false),
      code: CODE.PROTOCOL_ERROR,
      body: ['CUT'],
    },
    {
      name: 'trailers with a method',
      say: (client: RawHttp2) => client.headers(1, [[':method', 'GET']], true),
      code: CODE.PROTOCOL_ERROR,
      body: ['CUT'],
    },
    {
      name: 'DATA behind the end',
      say: (client: RawHttp2) => {
        client.data(1, some, true)
        client.data(1, some, true)
      },
      code: CODE.STREAM_CLOSED,
      body: ['some', 'END'],
    },
    {
      name: 'HEADERS behind the end',
      say: (client: RawHttp2) => {
        client.data(1, some, true)
        client.headers(1, [['a', 'b']], true)
      },
      code: CODE.STREAM_CLOSED,
      body: ['some', 'END'],
    },
  ])
    test(name, async () => {
      const { client, requests } = await serve(read)
      client.headers(1, fields, false)
      say(client)
      expect(await client.resetOf(1)).toBe(code)
      expect(requests[0]!.body).toEqual(body)
      expect(requests[0]!.stream.isOver).toBe(true)
      // Frames that crossed the reset are ignored.
      client.data(1, some, false)
      client.headers(1, [['a', 'b']], true)
      client.send(FRAME.WINDOW_UPDATE, 0, 1, uint32(1))
      await synchronized(client)
      expect(client.goaway).toBe(null)
    })

  test('more than its window', async () => {
    const { client, requests } = await serve()
    client.headers(1, OPEN, false)
    client.data(1, Buffer.alloc(65_536), false)
    expect(await client.resetOf(1)).toBe(CODE.FLOW_CONTROL_ERROR)
    read(requests[0]!)
    expect(requests[0]!.body).toEqual(['CUT'])
  })

  test('one more than there may be', async () => {
    const { client, requests } = await serve()
    for (let i = 0; i <= 20; i++) client.headers(2 * i + 1, OPEN, true)
    expect(await client.resetOf(41)).toBe(CODE.REFUSED_STREAM)
    requests[3]!.stream.answer(200, [], null)
    client.headers(43, OPEN, true)
    await synchronized(client)
    expect(requests.map(({ stream }) => stream.id)).toEqual(
      Array.from({ length: 22 }, (_, i) => 2 * i + 1).filter((id) => id !== 41),
    )
  })
})

describe('invalid requests', () => {
  const but = (name: string, ...fields: Fields): Fields => [
    ...OPEN.filter(([own]) => own !== name),
    ...fields,
  ]
  for (const { name, fields, status = 400, why } of [
    {
      name: 'no method',
      fields: but(':method'),
      why: 'missing or invalid pseudo-header field :method',
    },
    {
      name: 'an empty method',
      fields: but(':method', [':method', '']),
      why: 'missing or invalid pseudo-header field :method',
    },
    {
      name: 'a method with a blank',
      fields: but(':method', [':method', 'A B']),
      why: 'missing or invalid pseudo-header field :method',
    },
    {
      name: 'two methods',
      fields: [[':method', 'GET'], ...OPEN],
      why: 'more than one pseudo-header field :method',
    },
    { name: 'no path', fields: but(':path'), why: 'missing or invalid pseudo-header field :path' },
    {
      name: 'an empty path',
      fields: but(':path', [':path', '']),
      why: 'missing or invalid pseudo-header field :path',
    },
    {
      name: 'a path without slash',
      fields: but(':path', [':path', 'a']),
      why: 'missing or invalid pseudo-header field :path',
    },
    {
      name: 'a path with a blank',
      fields: but(':path', [':path', '/a b']),
      why: 'missing or invalid pseudo-header field :path',
    },
    { name: 'no scheme', fields: but(':scheme'), why: 'missing pseudo-header field :scheme' },
    { name: 'a status', fields: [[':status', '200'], ...OPEN], why: 'unknown pseudo-header field' },
    {
      name: 'a protocol',
      fields: [...OPEN, [':protocol', 'websocket']],
      why: 'unknown pseudo-header field',
    },
    {
      name: 'a path behind other fields',
      fields: but(':path', ['a', 'b'], [':path', '/']),
      why: 'pseudo-header field :path after other header fields',
    },
    {
      name: 'another host',
      fields: [...OPEN, ['host', 'b']],
      why: 'header field "host" differs from :authority',
    },
    {
      name: 'a name in capitals',
      fields: [...OPEN, ['A', 'b']],
      why: 'invalid header field name "A"',
    },
    { name: 'an empty name', fields: [...OPEN, ['', 'b']], why: 'invalid header field name ""' },
    {
      name: 'a name with a blank',
      fields: [...OPEN, ['a b', 'b']],
      why: 'invalid header field name "a b"',
    },
    {
      name: 'a name with a colon',
      fields: [...OPEN, ['a:b', 'b']],
      why: 'invalid header field name "a:b"',
    },
    {
      name: 'a name above ASCII',
      fields: [...OPEN, ['\xe4', 'b']],
      why: 'invalid header field name "\xe4"',
    },
    ...[' b', 'b ', '\tb', 'b\t', 'a\0b', 'a\rb', 'a\nb', 'a\x01b', 'a\x7fb', ' '].map((value) => ({
      name: `the value ${JSON.stringify(value)}`,
      fields: [...OPEN, ['a', value]] as Fields,
      why: 'invalid value of header field "a"',
    })),
    {
      name: 'connection',
      fields: [...OPEN, ['connection', 'close']],
      why: 'header field "connection" is of HTTP/1.1',
    },
    {
      name: 'transfer-encoding',
      fields: [...OPEN, ['transfer-encoding', 'chunked']],
      why: 'header field "transfer-encoding" is of HTTP/1.1',
    },
    {
      name: 'upgrade',
      fields: [...OPEN, ['upgrade', 'a']],
      why: 'header field "upgrade" is of HTTP/1.1',
    },
    { name: 'te', fields: [...OPEN, ['te', 'gzip']], why: 'invalid value of header field "te"' },
    {
      name: 'a length that is none',
      fields: [...OPEN, ['content-length', '1x']],
      why: 'invalid value of header field "content-length"',
    },
    {
      name: 'a negative length',
      fields: [...OPEN, ['content-length', '-1']],
      why: 'invalid value of header field "content-length"',
    },
    {
      name: 'two lengths',
      fields: [...OPEN, ['content-length', '1'], ['content-length', '2']],
      why: 'invalid value of header field "content-length"',
    },
    {
      name: 'a body that cannot be',
      fields: [...OPEN, ['content-length', '1']],
      why: 'the body is shorter than its content-length',
    },
    {
      name: 'too much',
      fields: [...OPEN, ['a', 'x'.repeat(65_536)]],
      status: 431,
      why: 'too large',
    },
    {
      name: 'too many',
      fields: [...OPEN, ...Array.from({ length: 2000 }, () => ['a', ''] as const)],
      status: 431,
      why: 'too large',
    },
  ] as { name: string; fields: Fields; status?: number; why: string }[])
    test(`${name} gets ${status}`, async () => {
      const { client, requests } = await serve()
      client.headers(1, fields, true)
      expect(await client.answer(1)).toMatchObject({ status, text: why })
      // Header blocks are in step.
      client.headers(3, OPEN, true)
      await synchronized(client)
      expect(requests.map(({ stream }) => stream.id)).toEqual([3])
    })
})

describe('a request', () => {
  test('has every field as it was sent', async () => {
    const { client, requests } = await serve()
    const fields: Fields = [
      ['te', 'trailers'],
      ['host', 'A'],
      ['x', ''],
      ['x', 'ü'.normalize('NFC')],
      ['authorization', 'one'],
      ['authorization', 'two'],
      ['cookie', 'a=b'],
      ['cookie', 'c=d'],
      ['__proto__', 'e'],
      ['x', 'a\tb  c'],
      ['content-length', '0'],
      ['content-length', '0'],
    ]
    client.headers(1, [...OPEN, ...fields], true)
    await synchronized(client)
    const { head } = requests[0]!
    expect(head.raw).toEqual([...OPEN, ...fields].flat())
    expect(Object.entries(head.headers)).toEqual([
      [':method', 'POST'],
      [':path', '/'],
      [':scheme', 'https'],
      [':authority', 'a'],
      ['te', 'trailers'],
      ['host', 'A'],
      ['x', ', \xfc, a\tb  c'],
      ['authorization', 'one'],
      ['cookie', 'a=b; c=d'],
      ['__proto__', 'e'],
      ['content-length', '0'],
    ])
    expect('toString' in head.headers).toBe(false)
  })

  test('is received in pieces of any length', async () => {
    const { client, requests } = await serve(read)
    await synchronized(client)
    const block = encodeHeaders([...OPEN, ['a', 'b'.repeat(50)]])
    const bytes = Buffer.concat([
      frame(
        FRAME.HEADERS,
        FLAG.PADDED | FLAG.PRIORITY,
        1,
        Buffer.concat([Buffer.of(3, 0, 0, 0, 0, 9), block.subarray(0, 20), Buffer.alloc(3)]),
      ),
      frame(FRAME.CONTINUATION, 0, 1, block.subarray(20, 40)),
      frame(FRAME.CONTINUATION, FLAG.END_HEADERS, 1, block.subarray(40)),
      frame(FRAME.DATA, FLAG.PADDED, 1, Buffer.from([2, ...Buffer.from('abc'), 0, 0])),
      frame(FRAME.DATA, 0, 1, Buffer.from('def')),
      frame(FRAME.DATA, FLAG.END_STREAM, 1, Buffer.from('ghi')),
    ])
    for (const byte of bytes) {
      client.write(Buffer.of(byte))
      await new Promise(setImmediate)
    }
    await synchronized(client)
    expect(requests[0]!.head.headers['a']).toBe('b'.repeat(50))
    expect(requests[0]!.body.join('')).toBe('abcdefghiEND')
  })

  test('ends with trailers', async () => {
    const { client, requests } = await serve(read)
    client.headers(1, [...OPEN, ['content-length', '4']], false)
    client.data(1, Buffer.from('body'), false)
    client.headers(1, [['checksum', 'x']], true)
    await synchronized(client)
    expect(requests[0]!.body).toEqual(['body', 'END'])
    expect(requests[0]!.head.headers['checksum']).toBe(undefined)
  })

  test('that is reset, or whose connection ends, is cut off', async () => {
    const { client, requests, over } = await serve(read)
    client.headers(1, OPEN, false)
    client.data(1, Buffer.alloc(2000), false)
    client.headers(3, OPEN, false)
    client.reset(1, CODE.CANCEL)
    await synchronized(client)
    expect(requests.map(({ body }) => body.at(-1))).toEqual(['CUT', undefined])
    client.close()
    await over
    expect(requests[1]!.body).toEqual(['CUT'])
  })

  test('a small body is delivered in few pieces, regardless of its frames', async () => {
    const { client, requests } = await serve(read)
    client.headers(1, OPEN, false)
    for (let i = 0; i < 9000; i++) client.send(FRAME.DATA, 0, 1, Buffer.from('x'))
    client.data(1, EMPTY, true)
    await synchronized(client)
    expect(requests[0]!.body.map(({ length }) => length)).toEqual([4096, 4096, 808, 3])
  })
})

describe('windows', () => {
  const windowOf = (client: RawHttp2, id: number) =>
    client.frames
      .filter((one) => one.type === FRAME.WINDOW_UPDATE && one.id === id)
      .reduce((sum, { payload }) => sum + payload.readUInt32BE(0), 0)

  test('of an unread body does not grow', async () => {
    const { client, requests } = await serve()
    client.headers(1, [...OPEN, ['content-length', '1000000']], false)
    client.data(1, Buffer.alloc(65_535), false)
    await synchronized(client)
    expect(windowOf(client, 1)).toBe(0)
    read(requests[0]!)
    await synchronized(client)
    // Bytes that were read are given back, and then as much as may be under way.
    expect(windowOf(client, 1)).toBeGreaterThanOrEqual(262_144 - 65_535)
  })

  test('of a short body that is read is enough', async () => {
    const { client } = await serve(echo)
    const body = Buffer.alloc(30_000, 'a')
    client.headers(1, [...OPEN, ['content-length', '30000']], false)
    client.data(1, body, true)
    expect((await client.answer(1)).text).toBe(body.toString())
    expect(windowOf(client, 1)).toBe(0)
  })

  test('of the connection is given back for streams that are over', async () => {
    const { client, requests } = await serve()
    for (let i = 0; i < 40; i++) {
      const id = 2 * i + 1
      client.headers(id, OPEN, false)
      client.data(id, Buffer.alloc(60_000), false)
      client.reset(id, CODE.CANCEL)
      await synchronized(client)
    }
    expect(requests.length).toBe(40)
    expect(windowOf(client, 0)).toBeGreaterThan(2_000_000)
  })

  for (const { name, settings: own, keepsWindows } of [
    { name: 'as they are', settings: [], keepsWindows: false },
    { name: 'of ten bytes', settings: [[4, 10]] as const, keepsWindows: false },
    { name: 'of a megabyte', settings: [[4, 1 << 20]] as const, keepsWindows: false },
  ])
    test(`of the client ${name} are kept to`, async () => {
      const { client, requests } = await serve(() => {}, { settings: own, keepsWindows })
      const sizes = [0, 1, 16_384, 16_385, own[0]?.[1] === 10 ? 2000 : 500_000]
      sizes.forEach((_, i) => client.headers(2 * i + 1, OPEN, true))
      await synchronized(client)
      const bodies = sizes.map((size) => Buffer.alloc(size, 'abcdefg'))
      requests.forEach(({ stream }, i) => stream.answer(200, [], bodies[i]!))
      for (const [i, body] of bodies.entries())
        expect((await client.answer(2 * i + 1)).text === body.toString()).toBe(true)
    })

  test('changed by SETTINGS apply to open streams', async () => {
    const { client, requests } = await serve(() => {}, {
      settings: [[4, 100]],
      keepsWindows: true,
    })
    client.headers(1, OPEN, true)
    await synchronized(client)
    requests[0]!.stream.answer(200, [], Buffer.alloc(300))
    await client.until('100 bytes', () => client.bytesOf(1) === 100)
    client.send(FRAME.SETTINGS, 0, 0, settings([[4, 50]]))
    client.send(FRAME.WINDOW_UPDATE, 0, 1, uint32(60))
    await client.until('110 bytes', () => client.bytesOf(1) === 110)
    client.send(FRAME.SETTINGS, 0, 0, settings([[4, 500]]))
    await client.answer(1)
    expect(client.bytesOf(1)).toBe(300)
  })

  test('that never grow hold the writer', async () => {
    const { client, requests } = await serve(() => {}, { keepsWindows: true })
    client.headers(1, OPEN, true)
    await synchronized(client)
    const { stream } = requests[0]!
    stream.begin(200, [], false)
    let flushed = 0
    const count = () => void flushed++
    expect(stream.write(Buffer.alloc(60_000), count)).toBe(true)
    expect(stream.write(Buffer.alloc(60_000), count)).toBe(false)
    expect(flushed).toBe(1)
    let isDrained = false
    const drained = stream.drained().then(() => (isDrained = true))
    await client.until('the window', () => client.bytesOf(1) === 65_535)
    expect(isDrained).toBe(false)
    client.send(FRAME.WINDOW_UPDATE, 0, 0, uint32(100_000))
    client.send(FRAME.WINDOW_UPDATE, 0, 1, uint32(100_000))
    await drained
    expect(flushed).toBe(2)
    client.reset(1, CODE.CANCEL)
    await synchronized(client)
    expect([stream.isClosed, stream.write(Buffer.alloc(10), count), flushed]).toEqual([
      true,
      true,
      3,
    ])
    await stream.drained()
  })

  test('of a stalled stream do not hold the others', async () => {
    const { client, requests } = await serve(() => {}, { settings: [[4, 0]], keepsWindows: true })
    for (const id of [1, 3]) client.headers(id, OPEN, true)
    await synchronized(client)
    for (const { stream } of requests) stream.answer(200, [], Buffer.alloc(1000))
    client.send(FRAME.WINDOW_UPDATE, 0, 3, uint32(1000))
    await client.answer(3)
    expect(client.bytesOf(1)).toBe(0)
  })
})

describe('a response', () => {
  test('before the end of the request body ends the stream', async () => {
    const { client, requests, connection } = await serve()
    client.headers(1, OPEN, false)
    client.data(1, Buffer.alloc(1000), false)
    await synchronized(client)
    requests[0]!.stream.answer(413, ['a', 'b'], Buffer.from('no'))
    expect(await client.answer(1)).toMatchObject({ status: 413, text: 'no' })
    client.data(1, Buffer.alloc(1000), false)
    await synchronized(client)
    connection.look(1000)
    connection.look(1000)
    await client.until('a reset', () => client.frames.some(({ type }) => type === FRAME.RST_STREAM))
    expect(client.frames.at(-1)!.payload.readUInt32BE(0)).toBe(CODE.NO_ERROR)
    client.data(1, Buffer.alloc(1000), true)
    await synchronized(client)
    expect(client.goaway).toBe(null)
  })

  test('with more headers than fit into a frame is sent in several', async () => {
    const { client, requests } = await serve()
    client.headers(1, OPEN, true)
    await synchronized(client)
    requests[0]!.stream.answer(200, ['a', 'x'.repeat(40_000)], Buffer.from('body'))
    await client.until('the end', () => client.bytesOf(1) === 4)
    expect(
      client.frames
        .filter(({ id }) => id === 1)
        .map(({ type, flags, payload }) => [type, flags, payload.length]),
    ).toEqual([
      [FRAME.HEADERS, 0, 16_384],
      [FRAME.CONTINUATION, 0, 16_384],
      [FRAME.CONTINUATION, FLAG.END_HEADERS, expect.any(Number)],
      [FRAME.DATA, FLAG.END_STREAM, 4],
    ])
  })
})

describe('the end', () => {
  test('waits for open streams, and accepts no new ones', async () => {
    const { client, connection, requests } = await serve()
    client.headers(1, OPEN, true)
    await synchronized(client)
    connection.end()
    await client.until('GOAWAY', () => client.goaway !== null)
    expect(client.goaway).toEqual({ lastId: 1, code: CODE.NO_ERROR, why: '' })
    client.headers(3, OPEN, false)
    client.data(3, Buffer.from('x'), true)
    await synchronized(client)
    requests[0]!.stream.answer(200, [], Buffer.from('still'))
    expect((await client.answer(1)).text).toBe('still')
    await client.closed
    expect(requests.length).toBe(1)
  })

  for (const { name, options, say, afterMs, code } of [
    {
      name: 'a client that sends nothing',
      options: { isSilent: true },
      say: () => {},
      afterMs: 10_000,
      code: CODE.SETTINGS_TIMEOUT,
    },
    {
      name: 'a client that does not acknowledge',
      options: { isSilent: true },
      say: (client: RawHttp2) => {
        client.write(PREFACE)
        client.send(FRAME.SETTINGS, 0, 0)
      },
      afterMs: 10_000,
      code: CODE.SETTINGS_TIMEOUT,
    },
    {
      name: 'a header block that does not end',
      options: {},
      say: (client: RawHttp2) => client.send(FRAME.HEADERS, 0, 1, encodeHeaders(OPEN)),
      afterMs: 32_000,
      code: CODE.PROTOCOL_ERROR,
    },
    {
      name: 'a client that sends no request',
      options: {},
      say: () => {},
      afterMs: 90_000,
      code: CODE.NO_ERROR,
    },
  ])
    test(`comes for ${name}`, async () => {
      const { client, connection, socket } = await serve(() => {}, options)
      if (options.isSilent === true) await client.until('settings', () => client.frames.length > 1)
      else await synchronized(client)
      say(client)
      const said = client.socket.bytesWritten
      await vi.waitUntil(() => socket.bytesRead >= said, { interval: 1 })
      connection.look(afterMs - 1000)
      expect(client.goaway).toBe(null)
      connection.look(1000)
      await client.closed
      expect(client.goaway?.code).toBe(code)
    })

  test('does not come for a client with a request', async () => {
    const { client, connection, requests } = await serve()
    client.headers(1, OPEN, true)
    await synchronized(client)
    for (let i = 0; i < 10; i++) connection.look(90_000)
    requests[0]!.stream.answer(200, [], null)
    connection.look(80_000)
    await synchronized(client)
    expect(client.goaway).toBe(null)
    connection.look(90_000)
    await client.closed
  })

  test('ends a response that the client does not accept', async () => {
    const { client, connection, requests } = await serve(() => {}, { keepsWindows: true })
    for (const id of [1, 3]) client.headers(id, OPEN, true)
    await synchronized(client)
    requests[0]!.stream.answer(200, [], Buffer.alloc(100_000))
    requests[1]!.stream.begin(200, [], false)
    requests[1]!.stream.write(Buffer.alloc(100_000))
    for (let i = 0; i < 10; i++) connection.look(10_000)
    expect(await client.resetOf(1)).toBe(CODE.CANCEL)
    expect(requests.map(({ stream }) => stream.isOver)).toEqual([true, false])
  })

  test('ends a client that sends requests and does not read the responses', async () => {
    const { client, requests, over } = await serve(() => {}, { settings: [[4, 2 ** 31 - 1]] })
    client.send(FRAME.WINDOW_UPDATE, 0, 0, uint32(2 ** 30))
    client.headers(1, OPEN, true)
    await synchronized(client)
    client.socket.pause()
    requests[0]!.stream.answer(200, [], Buffer.alloc(50 << 20))
    client.write(repeated(1001, frame(FRAME.PING, 0, 0, Buffer.alloc(8))))
    await over
  })

  test('does not wait for a client that was notified', async () => {
    const { client, connection, over } = await serve()
    await synchronized(client)
    client.socket.pause()
    client.send(FRAME.PING, 0, 1, Buffer.alloc(8))
    await vi.waitUntil(() => {
      connection.look(5000)
      return connection.socket.destroyed
    })
    await over
  })
})
