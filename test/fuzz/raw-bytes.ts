/** What goes on the wire for a request, and changes to that, for both protocols. */
import { FLAG, FRAME, frame, PREFACE, settings, uint32 } from '../../src/http2/frames.ts'
import { encodeHeaders } from '../../src/http2/hpack.ts'
import type { Dice } from './dice.ts'
import { mutateBytes } from './mutate-bytes.ts'
import type { Field } from './request.ts'

/** A request with all of its fields. */
export interface Message {
  readonly method: string
  readonly target: string
  readonly fields: readonly Field[]
  readonly body: Buffer | null
}

/** The bytes of a request in HTTP/1.1. */
export function http1Bytes({ method, target, fields, body }: Message): Buffer {
  const has = (name: string) => fields.some(([n]) => n === name)
  const all: Field[] = [
    ...(has('host') ? [] : [['host', 'localhost'] as const]),
    ...fields,
    ...(body === null || has('content-length') || has('transfer-encoding')
      ? []
      : [['content-length', String(body.length)] as const]),
  ]
  const head = [`${method} ${target} HTTP/1.1`, ...all.map(([n, v]) => `${n}: ${v}`), '', '']
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), body ?? Buffer.alloc(0)])
}

type Change = (bytes: Buffer, random: Dice, message: Message) => Buffer

const text = (bytes: Buffer, change: (head: string) => string): Buffer =>
  Buffer.from(change(bytes.toString('latin1')), 'latin1')

const HTTP1_CHANGES: readonly Change[] = [
  (bytes, random) => mutateBytes(bytes, random),
  (bytes) => text(bytes, (t) => t.replaceAll('\r\n', '\n')),
  (bytes) => text(bytes, (t) => t.replace(/HTTP\/1\.1/, 'HTTP/1.0')),
  (bytes, random) =>
    text(bytes, (t) =>
      t.replace(/HTTP\/1\.1/, random.pick(['HTTP/2.0', 'HTTP/9.9', 'http/1.1', ''])),
    ),
  (bytes) => text(bytes, (t) => t.replace('\r\n', '\r\n folded: x\r\n')),
  (bytes) => text(bytes, (t) => t.replace('\r\n', '\r\nhost: two\r\n')),
  (bytes) =>
    text(bytes, (t) =>
      t.replace('\r\n', '\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n'),
    ),
  (bytes) => text(bytes, (t) => t.replace(/: /g, ' : ')),
  (bytes) => text(bytes, (t) => t.replace('\r\n', `\r\nx: ${'y'.repeat(2_000_000)}\r\n`)),
  (bytes) => text(bytes, (t) => t.replace(' HTTP', `?${'y'.repeat(70_000)} HTTP`)),
  (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1)),
  (bytes) => Buffer.concat([bytes, bytes, bytes]),
  (bytes, random) => Buffer.concat([random.bytes(random.between(1, 300)), bytes]),
  (bytes) => Buffer.concat([Buffer.from([0x16, 3, 1, 2, 0, 1]), bytes]),
  (bytes) => Buffer.concat([PREFACE, bytes]),
  (_, random, { method, target, fields, body }) => {
    const pieces = [body ?? Buffer.from('x')].map((piece) =>
      Buffer.concat([
        Buffer.from(
          random.pick([piece.length.toString(16), 'ffffffffffffffff', '-1', '0x5', '5;x=y', 'zz']),
        ),
        Buffer.from('\r\n'),
        piece,
        Buffer.from(random.pick(['\r\n', '\n', ''])),
      ]),
    )
    const end = random.pick(['0\r\n\r\n', '0\r\nx: y\r\n\r\n', '0\r\n', ''])
    const chunked: Field[] = [...fields, ['transfer-encoding', 'chunked']]
    const whole = Buffer.concat([...pieces, Buffer.from(end)])
    return http1Bytes({ method, target, fields: chunked, body: whole })
  },
]

/** Bytes that are nearly a request in HTTP/1.1. */
export function brokenHttp1(message: Message, random: Dice): Buffer {
  const bytes = random.pick(HTTP1_CHANGES)(http1Bytes(message), random, message)
  return random.chance(0.2) ? mutateBytes(bytes, random) : bytes
}

interface RawFrame {
  type: number
  flags: number
  id: number
  payload: Buffer
}

/** The frames of a request in HTTP/2, as the first of its connection, with the settings before them. */
function framesOf({ method, target, fields, body }: Message): RawFrame[] {
  const block = encodeHeaders([
    [':method', method],
    [':path', target],
    [':scheme', 'https'],
    [':authority', 'localhost'],
    ...fields,
  ])
  const first: RawFrame = { type: FRAME.SETTINGS, flags: 0, id: 0, payload: settings([]) }
  const flags = FLAG.END_HEADERS | (body === null ? FLAG.END_STREAM : 0)
  const head: RawFrame = { type: FRAME.HEADERS, flags, id: 1, payload: block }
  if (body === null) return [first, head]
  return [first, head, { type: FRAME.DATA, flags: FLAG.END_STREAM, id: 1, payload: body }]
}

type FrameChange = (frames: RawFrame[], random: Dice) => void

const HTTP2_CHANGES: readonly FrameChange[] = [
  (frames, random) => void (random.pick(frames).flags = random.below(256)),
  (frames, random) => void (random.pick(frames).type = random.below(12)),
  (frames, random) => void (random.pick(frames).id = random.pick([0, 1, 2, 3, 5, 0x7fff_ffff])),
  (frames, random) => {
    const one = random.pick(frames)
    one.payload = mutateBytes(one.payload, random)
  },
  (frames, random) => void frames.splice(random.below(frames.length), 1),
  (frames, random) => void frames.push({ ...random.pick(frames) }),
  (frames) => void frames.reverse(),
  (frames, random) => anywhere(frames, random, FRAME.RST_STREAM, uint32(random.below(20)), 1),
  (frames, random) =>
    anywhere(frames, random, FRAME.GOAWAY, Buffer.concat([uint32(0), uint32(0)]), 0),
  (frames, random) =>
    anywhere(
      frames,
      random,
      FRAME.WINDOW_UPDATE,
      uint32(random.pick([0, 1, 0x7fff_ffff])),
      random.below(2),
    ),
  (frames, random) => anywhere(frames, random, FRAME.PING, random.bytes(random.pick([8, 8, 7])), 0),
  (frames, random) => anywhere(frames, random, FRAME.PUSH_PROMISE, uint32(2), 1),
  (frames, random) => anywhere(frames, random, FRAME.PRIORITY, random.bytes(5), 1),
  (frames, random) =>
    anywhere(
      frames,
      random,
      FRAME.SETTINGS,
      settings([[random.below(8), random.pick([0, 1, 100, 0x7fff_ffff, 0xffff_ffff])]]),
      0,
    ),
  (frames) => {
    const head = frames.find(({ type }) => type === FRAME.HEADERS)
    if (head)
      head.payload = Buffer.concat([head.payload, encodeHeaders([['x', 'y'.repeat(60_000)]])])
  },
  (frames, random) => {
    // The head in pieces, maybe with something between them.
    const at = frames.findIndex(({ type }) => type === FRAME.HEADERS)
    const head = frames[at]
    if (!head) return
    const cut = random.below(head.payload.length + 1)
    const rest = { ...head, type: FRAME.CONTINUATION, payload: head.payload.subarray(cut) }
    const between = Array.from({ length: random.pick([0, 1, 50]) }, () => ({
      ...rest,
      flags: 0,
      payload: Buffer.alloc(0),
    }))
    frames.splice(
      at,
      1,
      { ...head, flags: head.flags & ~FLAG.END_HEADERS, payload: head.payload.subarray(0, cut) },
      ...between,
      ...(random.chance(0.2)
        ? [{ type: FRAME.PING, flags: 0, id: 0, payload: Buffer.alloc(8) }]
        : []),
      rest,
    )
  },
  (frames, random) => {
    const fields: Field[] = [
      random.pick<Field>([
        [':path', '/'],
        [':status', '200'],
        ['Upper', 'x'],
        ['connection', 'close'],
        ['te', 'gzip'],
        ['content-length', '3'],
        ['host', 'other'],
        ['', 'x'],
        ['a b', 'x'],
        ['x', 'a\r\nb'],
        ['x', ' padded '],
        ['x', '\0'],
        [':protocol', 'websocket'],
      ]),
    ]
    const head = frames.find(({ type }) => type === FRAME.HEADERS)
    if (head) head.payload = Buffer.concat([head.payload, encodeHeaders(fields)])
  },
  (frames, random) => {
    const data = frames.find(({ type }) => type === FRAME.DATA)
    if (!data) return
    data.flags &= ~FLAG.END_STREAM
    if (random.chance(0.5))
      frames.push({
        type: FRAME.HEADERS,
        flags: FLAG.END_HEADERS | FLAG.END_STREAM,
        id: 1,
        payload: encodeHeaders([['x-trailer', 'y']]),
      })
  },
  (frames, random) => {
    const data = frames.find(({ type }) => type === FRAME.DATA)
    const padding = random.pick([0, 3, 255])
    if (!data) return
    data.flags |= FLAG.PADDED
    data.payload = Buffer.concat([Buffer.from([padding]), data.payload, Buffer.alloc(padding)])
  },
]

function anywhere(
  frames: RawFrame[],
  random: Dice,
  type: number,
  payload: Buffer,
  id: number,
): void {
  const times = random.pick([1, 1, 1, 20])
  const added = Array.from({ length: times }, () => ({ type, flags: 0, id, payload }))
  frames.splice(random.below(frames.length + 1), 0, ...added)
}

/** Bytes that are nearly a connection of HTTP/2 with one request. */
export function brokenHttp2(message: Message, random: Dice): Buffer {
  const frames = framesOf(message)
  for (let i = random.between(1, 3); i > 0 && frames.length > 0; i--)
    random.pick(HTTP2_CHANGES)(frames, random)
  const bytes = frames.map(({ type, flags, id, payload }) =>
    frame(type, flags, id, payload.subarray(0, 0xff_ffff)),
  )
  const whole = Buffer.concat([random.chance(0.97) ? PREFACE : PREFACE.subarray(0, 10), ...bytes])
  return random.chance(0.15) ? mutateBytes(whole, random) : whole
}
