/** One connection for any number of concurrent requests. */
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2'
import { PassThrough, pipeline } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '../base/clock.ts'
import type { WireAnswer, WireRequest } from './wire.ts'

// Lists and watches are let come faster than the protocol's first allowance.
const STREAM_WINDOW = 1 << 20
const CONNECTION_WINDOW = 8 << 20
/** A connection without traffic for this long is pinged, and closed when no reply arrives. */
const QUIET_MS = 30_000
const PING_MS = 15_000

/** An HTTP/2 connection to one server. Keeps the process alive only while requests are in progress. */
export class Http2Session {
  readonly #session: ClientHttp2Session
  readonly #socket: TLSSocket
  readonly #clock: Clock
  readonly #authority: string
  #streams = 0
  #bytesRead = -1
  #cancel = () => {}
  /** Whether it takes further requests. */
  isOpen = true

  constructor(socket: TLSSocket, origin: URL, clock: Clock) {
    this.#socket = socket
    this.#clock = clock
    this.#authority = origin.host
    const session = connectHttp2(origin.origin, {
      createConnection: () => socket,
      settings: { initialWindowSize: STREAM_WINDOW, enablePush: false },
    })
    this.#session = session
    const shut = () => {
      this.isOpen = false
    }
    session.once('connect', () => session.setLocalWindowSize(CONNECTION_WINDOW))
    session.once('goaway', shut)
    session.once('close', () => {
      shut()
      this.#cancel()
    })
    // Users of the connection learn it from their streams.
    session.on('error', shut)
    session.unref()
    this.#lookLater()
  }

  open(request: WireRequest): Promise<WireAnswer> {
    return new Promise((resolve, reject) => {
      const stream = this.#session.request(
        {
          ':method': request.method,
          ':path': request.path,
          ':scheme': 'https',
          ':authority': this.#authority,
          ...(request.headers as Record<string, string | string[]>),
          ...(request.body ? { 'content-length': request.body.length } : {}),
        },
        { endStream: request.body === null, signal: request.signal },
      )
      // Read from the start on: Node.js drops what has arrived when a stream closes before it is read.
      const body = new PassThrough()
      pipeline(stream, body, () => {})
      if (this.#streams++ === 0) this.#session.ref()
      stream.once('close', () => {
        if (--this.#streams === 0 && !this.#session.destroyed) this.#session.unref()
        reject(new ClosedEarly())
      })
      stream.on('error', reject)
      stream.once('response', (headers) =>
        resolve({
          status: headers[':status'] ?? 0,
          retryAfter: headers['retry-after'],
          headers,
          body,
        }),
      )
      if (request.body) stream.end(request.body)
    })
  }

  /** Accepts no more requests; ends when the last one has. */
  retire(): void {
    this.isOpen = false
    this.#session.close()
  }

  /** Ends everything. */
  destroy(): void {
    this.isOpen = false
    this.#session.destroy()
  }

  #lookLater(): void {
    this.#cancel = this.#clock.after(QUIET_MS, () => this.#look())
  }

  /** Closes the connection when no data arrives any more, even though the peer has not closed it. */
  #look(): void {
    if (this.#session.destroyed) return
    const isQuiet = this.#socket.bytesRead === this.#bytesRead
    this.#bytesRead = this.#socket.bytesRead
    if (!isQuiet) return this.#lookLater()
    const cancel = this.#clock.after(PING_MS, () => this.destroy())
    this.#session.ping((error) => {
      cancel()
      if (!error) this.#lookLater()
    })
  }
}

/** A response that never began. */
class ClosedEarly extends Error {
  readonly code = 'ECONNRESET'
}

/** Whether the failure of a request proves that the server has not acted on it. */
export function isUnseen(error: unknown): boolean {
  const { code, message = '' } = error as { code?: string; message?: string }
  if (code === 'ERR_HTTP2_GOAWAY_SESSION' || code === 'ERR_HTTP2_INVALID_SESSION') return true
  return code === 'ERR_HTTP2_STREAM_ERROR' && message.includes('NGHTTP2_REFUSED_STREAM')
}
