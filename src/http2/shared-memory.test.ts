/** Connections that are read into memory which is used again say the same as others. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { FLAG, FRAME, frame, FrameParser, PREFACE, settings } from './frames.ts'
import { encodeHeaders } from './hpack.ts'
import { ServerConnection, type SharedMemory } from './server-connection.ts'

const LIMITS = {
  maxStreams: 100,
  maxHeaderBytes: 64 << 10,
  settingsMs: 10_000,
  headersMs: 32_000,
  idleMs: 90_000,
}
const REQUESTS = 40

/** The same numbers each time, from 0 to 1. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => (state = (state * 48_271) % 0x7fff_ffff) / 0x7fff_ffff
}

/** Nothing stays in it after the call. */
const scrubbed: SharedMemory = {
  serve(socket, take) {
    const memory = Buffer.alloc(64 << 10)
    socket.on('data', (piece: Buffer) => {
      piece.copy(memory)
      take(memory.subarray(0, piece.length))
      memory.fill(0xff)
    })
    return true
  },
}

/** Requests with and without bodies, in frames of all sorts and lengths, some of them padded. */
function conversation(random: () => number): Buffer {
  const parts = [PREFACE, frame(FRAME.SETTINGS, 0, 0, settings([]))]
  for (let i = 0; i < REQUESTS; i++) {
    const id = 2 * i + 1
    const block = encodeHeaders([
      [':method', 'POST'],
      [':path', `/${i}`],
      [':scheme', 'https'],
      [':authority', 'a'],
      ['x-long', 'x'.repeat(Math.floor(random() * 300))],
    ])
    const [first, second] = [random(), random()].sort().map((at) => Math.floor(at * block.length))
    const hasBody = random() < 0.7
    const ends = hasBody ? 0 : FLAG.END_STREAM
    parts.push(frame(FRAME.HEADERS, ends, id, block.subarray(0, first)))
    parts.push(frame(FRAME.CONTINUATION, 0, id, block.subarray(first, second)))
    parts.push(frame(FRAME.CONTINUATION, FLAG.END_HEADERS, id, block.subarray(second)))
    for (let left = hasBody ? Math.floor(random() * 5) : -1; left >= 0; left--) {
      const data = Buffer.alloc(Math.floor(random() ** 4 * 12_000), 97 + (i % 26))
      const padding = Math.floor(random() * 20)
      const padded = Buffer.concat([Buffer.from([padding]), data, Buffer.alloc(padding)])
      const last = left === 0 ? FLAG.END_STREAM : 0
      parts.push(
        random() < 0.5
          ? frame(FRAME.DATA, last, id, data)
          : frame(FRAME.DATA, last | FLAG.PADDED, id, padded),
      )
      if (random() < 0.3) parts.push(frame(FRAME.PING, 0, 0, Buffer.alloc(8, i)))
    }
  }
  return Buffer.concat(parts)
}

/** What a server sees, and which pings come back, when a client says this in pieces. */
async function heard(bytes: Buffer, random: () => number, memory: SharedMemory | null) {
  const bodies = new Map<string, string[]>()
  let over = 0
  let done = () => {}
  const whole = new Promise<void>((resolve) => (done = resolve))
  const connections: ServerConnection[] = []
  const server = createServer((socket: Socket) => {
    const listener = {
      request: (...[stream, head]: Parameters<ServerListenerRequest>) => {
        const name = `${head.headers[':path']} ${head.headers['x-long']?.toString() ?? ''}`
        const body: Buffer[] = []
        const end = (how: string) => {
          bodies.set(name, [Buffer.concat(body).toString('latin1'), how])
          if (++over === REQUESTS) done()
        }
        // A body may be taken later than it comes.
        setImmediate(() =>
          stream.receive({
            data: (chunk) => void body.push(chunk),
            end: () => setImmediate(() => end('END')),
            cut: () => end('CUT'),
          }),
        )
      },
      refused: () => done(),
      failed: () => done(),
      closed: () => done(),
    }
    connections.push(new ServerConnection(socket, listener, LIMITS, memory))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const pings: string[] = []
  const parser = new FrameParser((type, _flags, _id, payload) => {
    if (type === FRAME.PING) pings.push(payload.toString('hex'))
  })
  client.setNoDelay(true).on('data', (piece: Buffer) => parser.push(piece))
  await once(client, 'connect')
  for (let at = 0; at < bytes.length;) {
    const length = Math.ceil(random() ** 3 * 20_000)
    client.write(bytes.subarray(at, at + length))
    at += length
    if (random() < 0.5) await new Promise((resolve) => setImmediate(resolve))
  }
  await whole
  await expect.poll(() => pings.length).toBe(pingsIn(bytes))
  client.destroy()
  server.close()
  return { bodies, pings }
}

function pingsIn(bytes: Buffer): number {
  let count = 0
  const parser = new FrameParser((type) => void (count += type === FRAME.PING ? 1 : 0))
  parser.push(bytes.subarray(PREFACE.length))
  return count
}

type ServerListenerRequest = ConstructorParameters<typeof ServerConnection>[1]['request']

test.each([1, 2, 3, 4, 5])('heads, bodies and pings of conversation %i', async (seed) => {
  const bytes = conversation(randomOf(seed))
  const plain = await heard(bytes, randomOf(seed), null)
  expect(plain.bodies.size).toBe(REQUESTS)
  expect([...plain.bodies.values()].every(([, how]) => how === 'END')).toBe(true)
  expect(await heard(bytes, randomOf(seed + 100), scrubbed)).toEqual(plain)
})
