/** WebSocket connections to the server (RFC 6455), for sessions with containers. */
import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { Connections } from '../../client/connection.ts'
import { bareHost, portOf } from '../../client/server-address.ts'
import { statusErrorOf } from '../../client/status-error.ts'
import { parseJson } from '../../codec/json-text.ts'
import type { Status } from '../../meta/errors.ts'
import { beginUpgrade } from '../../outgoing/http-exchange.ts'
import { transportProblem } from '../../outgoing/transport-problem.ts'
import { bytesOf, type Api } from '../api/api.ts'
import { Fault, Unreachable } from '../base/faults.ts'

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const MAX_FRAME = 64 << 20
/** No more is read while this many bytes wait for their reader. */
const MAX_WAITING = 4 << 20
const [CONTINUED, TEXT, BINARY, CLOSE, PING, PONG] = [0, 1, 2, 8, 9, 10]

/** An open connection. Messages come in order until the end. */
export class Socket {
  /** The one of the offered protocols that the server chose. */
  readonly protocol: string
  readonly #stream: Duplex
  readonly #messages: Buffer[] = []
  #waiting = 0
  #rest: Buffer
  #parts: Buffer[] = []
  #wake: () => void = () => {}
  #isOver = false
  #failure: Error | null = null

  private constructor(stream: Duplex, head: Buffer, protocol: string) {
    this.protocol = protocol
    this.#stream = stream
    this.#rest = head
    stream.on('data', (data: Buffer) => this.#read(data))
    stream.on('error', (error) => this.#end(error))
    stream.on('close', () => this.#end(null))
    if (head.length > 0) this.#read(Buffer.alloc(0))
  }

  /** Opens a connection. Rejects with StatusError where the server refuses it. */
  static async open(api: Api, path: string, protocols: readonly string[]): Promise<Socket> {
    const shown = await api.credentials()
    const connections = new Connections(api.config, api.server)
    const key = randomBytes(16).toString('base64')
    const { protocol } = api.server
    const begun = beginUpgrade(protocol, {
      host: bareHost(api.server),
      port: portOf(api.server),
      path: api.server.pathname.replace(/\/+$/, '') + path,
      agent: connections.agentFor(shown),
      headers: {
        ...(shown.headers as Record<string, string | string[]>),
        host: api.server.host,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': key,
        'sec-websocket-protocol': protocols.join(', '),
      },
    })
    try {
      const { answer, taken } = await begun.catch((error: unknown) => {
        throw new Unreachable(transportProblem(error, api.server.hostname), api.server.host)
      })
      if (!taken) throw await refusal(answer)
      const wanted = createHash('sha1')
        .update(key + GUID)
        .digest('base64')
      if (answer.headers['sec-websocket-accept'] === wanted) {
        return new Socket(
          taken.socket,
          taken.head,
          String(answer.headers['sec-websocket-protocol'] ?? ''),
        )
      }
      taken.socket.destroy()
      throw new Fault(
        'error: unable to upgrade connection: the answer does not belong to the request',
      )
    } finally {
      // The upgraded connection is no longer one of these.
      connections.close()
    }
  }

  /** Sends one message; resolves when there is room for the next. */
  async send(data: Uint8Array): Promise<void> {
    if (this.#isOver || this.#frame(BINARY, data)) return
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#stream.off('drain', done).off('close', done)
        resolve()
      }
      this.#stream.once('drain', done).once('close', done)
    })
  }

  close(): void {
    if (!this.#isOver) this.#frame(CLOSE, Buffer.from([3, 232]))
    this.#stream.end()
  }

  /** The messages as they come. */
  async *messages(): AsyncGenerator<Buffer, void, undefined> {
    for (;;) {
      const message = this.#messages.shift()
      if (message) {
        this.#waiting -= message.length
        if (this.#waiting < MAX_WAITING) this.#stream.resume()
        yield message
      } else if (this.#failure) throw this.#failure
      else if (this.#isOver) return
      else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  #end(failure: Error | null): void {
    if (!this.#isOver) this.#failure = failure
    this.#isOver = true
    this.#wake()
  }

  /** False when what is sent should wait. */
  #frame(opcode: number, data: Uint8Array): boolean {
    const long = data.length > 65_535 ? 8 : data.length > 125 ? 2 : 0
    const head = Buffer.alloc(2 + long)
    head[0] = 0x80 | opcode
    head[1] = 0x80 | (long === 8 ? 127 : long === 2 ? 126 : data.length)
    if (long === 2) head.writeUInt16BE(data.length, 2)
    if (long === 8) head.writeBigUInt64BE(BigInt(data.length), 2)
    const mask = randomBytes(4)
    const masked = Buffer.from(data)
    for (let i = 0; i < masked.length; i++) masked[i]! ^= mask[i & 3]!
    return this.#stream.write(Buffer.concat([head, mask, masked]))
  }

  #read(data: Buffer): void {
    this.#rest = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data])
    while (this.#take());
    this.#wake()
  }

  /** Takes one frame; false when it has not arrived yet. */
  #take(): boolean {
    const bytes = this.#rest
    if (bytes.length < 2) return false
    const short = bytes[1]! & 0x7f
    const from = short === 127 ? 10 : short === 126 ? 4 : 2
    if (bytes.length < from) return false
    const size =
      short === 127
        ? Number(bytes.readBigUInt64BE(2))
        : short === 126
          ? bytes.readUInt16BE(2)
          : short
    if (size > MAX_FRAME) {
      this.#stream.destroy(new Error('the server sent a message that is too long'))
      return false
    }
    if (bytes.length < from + size) return false
    this.#rest = bytes.subarray(from + size)
    this.#handle(bytes[0]!, bytes.subarray(from, from + size))
    return true
  }

  #handle(first: number, payload: Buffer): void {
    const opcode = first & 0x0f
    if (opcode === PING) {
      this.#frame(PONG!, payload)
      return
    }
    if (opcode === CLOSE) {
      this.#end(null)
      this.#stream.end()
      return
    }
    if (opcode !== TEXT && opcode !== BINARY && opcode !== CONTINUED) return
    this.#parts.push(payload)
    if ((first & 0x80) === 0) return
    const message = Buffer.concat(this.#parts)
    this.#parts = []
    this.#messages.push(message)
    this.#waiting += message.length
    if (this.#waiting >= MAX_WAITING) this.#stream.pause()
  }
}

async function refusal(answer: IncomingMessage): Promise<Error> {
  const text = (await bytesOf(answer)).toString('utf8')
  const code = answer.statusCode ?? 0
  try {
    const value = parseJson(text) as Partial<Status>
    if (value.kind === 'Status') return statusErrorOf({ ...value, reason: value.reason ?? '' })
  } catch {
    // A node may answer with plain text.
  }
  return new Fault(
    `error: unable to upgrade connection: ${text.trim() || `the server answered ${code}`}`,
  )
}
