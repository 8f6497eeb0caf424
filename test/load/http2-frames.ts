/**
 * Gives connections of HTTP/2 a megabyte of the worst frames of each kind, and prints the CPU that each took until it was
 * read or the connection ended; ends with 1 when one took more than 100 ms: `npx tsx test/load/http2-frames.ts`.
 */
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { FLAG, FRAME, frame, PREFACE, settings, uint32 } from '../../src/http2/frames.ts'
import { encodeHeaders } from '../../src/http2/hpack.ts'
import { ServerConnection } from '../../src/http2/server-connection.ts'
import type { ServerStream } from '../../src/http2/server-stream.ts'

const BOUND_MS = 100
const MEGABYTE = 1 << 20
const STREAMS = 250
const EMPTY = Buffer.alloc(0)
const LIMITS = {
  maxStreams: STREAMS,
  maxHeaderBytes: 1 << 20,
  settingsMs: 10_000,
  headersMs: 32_000,
  idleMs: 90_000,
}

/** As much of a socket as a connection uses; what is written is sent at once. */
class Sink extends EventEmitter {
  readonly readableLength = 0
  readonly writableLength = 0
  destroyed = false
  writableEnded = false
  write(_: Buffer, done?: () => void): boolean {
    done?.()
    return true
  }
  cork(): void {}
  uncork(): void {}
  end(): void {
    this.writableEnded = true
  }
  destroy(): void {
    this.destroyed = true
  }
}

const block = encodeHeaders([
  [':method', 'GET'],
  [':path', '/'],
  [':scheme', 'https'],
  [':authority', 'a'],
])
const open = (id: number) => frame(FRAME.HEADERS, FLAG.END_HEADERS | FLAG.END_STREAM, id, block)
const all = Array.from({ length: STREAMS }, (_, i) => 2 * i + 1)

interface Row {
  readonly name: string
  /** Frames that are repeated until they are a megabyte. */
  readonly frames: (round: number) => Buffer
  /** Of the settings of the client: so small that every response waits. */
  readonly window?: number
}

const changing = (round: number) => frame(FRAME.SETTINGS, 0, 0, settings([[4, 1 + (round % 2)]]))
const ROWS: readonly Row[] = [
  { name: 'SETTINGS, changing windows', frames: changing, window: 1 },
  {
    name: 'SETTINGS, many entries',
    frames: () =>
      frame(FRAME.SETTINGS, 0, 0, settings(all.slice(0, 100).map((id) => [id + 100, 1]))),
  },
  { name: 'SETTINGS, ACK', frames: () => frame(FRAME.SETTINGS, FLAG.ACK, 0, EMPTY) },
  {
    name: 'WINDOW_UPDATE of the connection',
    frames: () => frame(FRAME.WINDOW_UPDATE, 0, 0, uint32(1)),
  },
  {
    name: 'WINDOW_UPDATE of waiting streams',
    frames: (round) => frame(FRAME.WINDOW_UPDATE, 0, all[round % STREAMS]!, uint32(1)),
    window: 0,
  },
  {
    name: 'WINDOW_UPDATE of a closed stream',
    frames: (round) =>
      round === 0
        ? frame(FRAME.RST_STREAM, 0, 1, uint32(8))
        : frame(FRAME.WINDOW_UPDATE, 0, 1, uint32(1)),
  },
  { name: 'PING', frames: () => frame(FRAME.PING, 0, 0, Buffer.alloc(8)) },
  { name: 'PRIORITY', frames: () => frame(FRAME.PRIORITY, 0, 1, Buffer.alloc(5)) },
  { name: 'unknown', frames: () => frame(77, 0, 0, EMPTY) },
  { name: 'GOAWAY', frames: () => frame(FRAME.GOAWAY, 0, 0, Buffer.alloc(8)) },
  {
    name: 'RST_STREAM',
    frames: (round) => frame(FRAME.RST_STREAM, 0, all[round % STREAMS]!, uint32(8)),
  },
  {
    name: 'HEADERS of a closed stream',
    frames: (round) =>
      round === 0
        ? frame(FRAME.WINDOW_UPDATE, 0, 1, uint32(0))
        : frame(FRAME.HEADERS, FLAG.END_HEADERS, 1, Buffer.alloc(16_384, 0x82)),
  },
  {
    name: 'CONTINUATION',
    frames: (round) => frame(round === 0 ? FRAME.HEADERS : FRAME.CONTINUATION, 0, 501, EMPTY),
  },
  {
    name: 'DATA of a closed stream',
    frames: (round) =>
      round === 0
        ? frame(FRAME.WINDOW_UPDATE, 0, 1, uint32(0))
        : frame(FRAME.DATA, FLAG.END_STREAM, 1, EMPTY),
  },
]

/** Milliseconds of CPU, and whether the connection was ended. */
function measured({ frames, window = 65_535 }: Row): readonly [ms: number, isEnded: boolean] {
  const sink = new Sink()
  const body = Buffer.alloc(65_536)
  const connection = new ServerConnection(
    sink as unknown as Socket,
    {
      request: (stream: ServerStream) => stream.answer(200, [], body),
      refused: () => {},
      failed: (error) => {
        throw error
      },
      closed: () => {},
    },
    LIMITS,
  )
  const begin = [PREFACE, frame(FRAME.SETTINGS, 0, 0, settings([[4, window]])), ...all.map(open)]
  sink.emit('data', Buffer.concat(begin))
  const sent: Buffer[] = []
  for (let bytes = 0; bytes < MEGABYTE; bytes += sent.at(-1)!.length) sent.push(frames(sent.length))
  const flood = Buffer.concat(sent)
  const before = process.cpuUsage()
  for (let at = 0; at < flood.length; at += 65_536)
    sink.emit('data', flood.subarray(at, at + 65_536))
  connection.output.flush()
  const { user, system } = process.cpuUsage(before)
  return [(user + system) / 1000, sink.writableEnded || sink.destroyed]
}

let isSlow = false
for (const row of ROWS) {
  // The first round compiles.
  measured(row)
  const [ms, isEnded] = measured(row)
  isSlow ||= ms > BOUND_MS
  console.log(`${ms.toFixed(1).padStart(7)} ms  ${row.name}${isEnded ? ', ended' : ''}`)
}
process.exitCode = isSlow ? 1 : 0
