/** HTTP/2 as a client that keeps every byte of an answer. */
import type { TLSSocket } from 'node:tls'
import { CODE, FLAG, FRAME, FrameParser, word } from '../../src/http2/frames.ts'
import { RawHttp2 } from '../http2/raw-client.fixture.ts'
import type { FuzzAnswer } from './answer.ts'
import type { Outcome } from './http1.ts'
import type { Message } from './raw-bytes.ts'

/** More than this needs windows, which the client does not look at. */
export const MOST_BODY = 48_000
/** A connection is left after so many requests. */
const REQUESTS = 300

/** One connection, one request at a time. */
export class Http2Link {
  readonly #client: RawHttp2
  #requests = 0

  constructor(socket: TLSSocket) {
    this.#client = new RawHttp2(socket, { forgets: true })
  }

  get isUsable(): boolean {
    return !this.#client.isClosed && this.#client.goaway === null && this.#requests < REQUESTS
  }

  async ask({ method, target, fields, body }: Message, patienceMs: number): Promise<Outcome> {
    this.#requests++
    const client = this.#client
    const id = client.begin(method, target, fields, body === null)
    if (body !== null) client.data(id, body, true)
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(true), patienceMs)
    })
    try {
      const over = client
        .until('an answer', () => {
          const { ended, reset } = client.received(id)
          return ended || reset !== null
        })
        .then(
          () => false,
          () => false,
        )
      const isLate = await Promise.race([over, late])
      const { headers, body: bytes, ended, reset } = client.received(id)
      const fault = faultOf(client.goaway?.code ?? null) ?? faultOf(reset)
      const answer = headers && answerOf(headers, bytes, ended)
      if (ended) return { answer, fault, ended: 'answered' }
      if (reset === null && isLate) {
        client.reset(id, CODE.CANCEL)
        return { answer, fault, ended: 'waited' }
      }
      return { answer, fault, ended: 'closed' }
    } finally {
      clearTimeout(timer)
      client.forget(id)
    }
  }

  close(): void {
    this.#client.close()
  }
}

const answerOf = (
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  isWhole: boolean,
): FuzzAnswer => ({ status: Number(headers[':status']), headers, body, isWhole })

const faultOf = (code: number | null): string | null =>
  code === CODE.INTERNAL_ERROR ? 'a stream or a connection that ends with INTERNAL_ERROR' : null

/** What is wrong with what a server sent on a connection of HTTP/2; null for nothing. */
export function faultOfFrames(bytes: Buffer): string | null {
  let fault: string | null = null
  try {
    const parser = new FrameParser((type, flags, _id, payload) => {
      if (type === FRAME.GOAWAY) fault ??= faultOf(word(payload, 4))
      if (type === FRAME.RST_STREAM) fault ??= faultOf(word(payload, 0))
      if (type === FRAME.SETTINGS && (flags & FLAG.ACK) === 0 && payload.length % 6 !== 0)
        fault ??= 'settings that are none'
    })
    parser.push(bytes)
  } catch (error) {
    return `frames that cannot be read: ${String(error)}`
  }
  return fault
}
