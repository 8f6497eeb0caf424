import type { Socket } from 'node:net'
import { systemClock, type Clock } from '../base/clock.ts'
import type {
  ServerConnection,
  ServerLimits,
  ServerListener,
  SharedMemory,
} from '../http2/server-connection.ts'
import type { ServerStream } from '../http2/server-stream.ts'
import type { RequestHead } from '../http2/request-head.ts'
import { badRequest, headersTooLarge, methodNotAllowed, type StatusError } from '../meta/errors.ts'
import type { Exchange } from './exchange.ts'
import type { RecordHead } from './request-record.ts'
import type { Stages } from './stages.ts'

const MAX_STREAMS = 250
const SETTINGS_MS = 10_000
const HEADERS_MS = 32_000
const IDLE_MS = 90_000
const LOOK_EVERY_MS = 1000

export interface Http2Options {
  readonly onExchange: (exchange: Exchange) => void
  /** Reports requests that are rejected here; null without subscribers. */
  readonly stages?: Stages | null
  /** Maximum size of the headers of one request. */
  readonly maxHeaderBytes: number
  /** Maximum concurrent streams of one connection. */
  readonly maxStreams?: number
  /** Milliseconds after which a connection without requests ends. */
  readonly idleMs?: number
  /** Memory that the connections are read into; each has its own when absent. */
  readonly memory?: SharedMemory | null
  /** Called for unexpected errors. */
  readonly onFault: (error: unknown) => void
  readonly clock?: Clock
}

/**
 * The HTTP/2 connections. The implementation is loaded when the first of them is accepted. One timer serves all of
 * them.
 */
export class Http2Sessions {
  readonly #options: Http2Options
  readonly #clock: Clock
  readonly #limits: ServerLimits
  readonly #connections = new Set<ServerConnection>()
  #serve: ((socket: Socket) => void) | null = null
  #isClosed = false
  #cancel: (() => void) | null = null

  constructor(options: Http2Options) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#limits = {
      maxStreams: options.maxStreams ?? MAX_STREAMS,
      maxHeaderBytes: options.maxHeaderBytes,
      settingsMs: SETTINGS_MS,
      headersMs: HEADERS_MS,
      idleMs: options.idleMs ?? IDLE_MS,
    }
  }

  /** Serves a connection that negotiated HTTP/2, from its first byte. */
  take(socket: Socket): void {
    if (this.#serve) return this.#serve(socket)
    // The connection is not read meanwhile.
    void this.#load().then(
      (serve) => serve(socket),
      (error: unknown) => {
        socket.destroy()
        this.#options.onFault(error)
      },
    )
  }

  async #load(): Promise<(socket: Socket) => void> {
    const [{ ServerConnection: Connection }, { Http2Exchange }] = await Promise.all([
      import('../http2/server-connection.ts'),
      import('./http2-exchange.ts'),
    ])
    const { onExchange, onFault, stages = null } = this.#options
    const refuse = (stream: ServerStream, head: RequestHead, error: StatusError) => {
      const hasEnded = !stream.isOver
      const bytes = sendRefusal(stream, head, error)
      if (hasEnded) stages?.refused(headOf(stream, head), error, bytes)
    }
    const listener: ServerListener = {
      request: (stream, head) => {
        if (head.headers[':method'] === 'CONNECT') refuse(stream, head, methodNotAllowed())
        else onExchange(new Http2Exchange(stream, head))
      },
      refused: (stream, head) => refuse(stream, head, whyRefused(head)),
      failed: onFault,
      closed: (connection) => {
        this.#connections.delete(connection)
        if (this.#connections.size > 0) return
        this.#cancel?.()
        this.#cancel = null
      },
    }
    this.#serve ??= (socket) => {
      if (socket.destroyed) return
      const connection = new Connection(socket, listener, this.#limits, this.#options.memory)
      this.#connections.add(connection)
      if (this.#isClosed) connection.end()
      if (this.#cancel === null) this.#lookLater()
    }
    return this.#serve
  }

  #lookLater(): void {
    this.#cancel = this.#clock.after(LOOK_EVERY_MS, () => {
      this.#lookLater()
      for (const connection of this.#connections) connection.look(LOOK_EVERY_MS)
    })
  }

  /** Each ends with its last stream; no new ones begin. */
  close(): void {
    this.#isClosed = true
    for (const connection of this.#connections) connection.end()
  }
}

const whyRefused = ({ isTooLarge, fault }: RequestHead): StatusError =>
  isTooLarge ? headersTooLarge() : badRequest(fault ?? '')

const headOf = ({ connection }: ServerStream, { headers }: RequestHead): RecordHead => ({
  method: headers[':method'] ?? '',
  target: headers[':path'] ?? '',
  headers,
  protocol: 'HTTP/2',
  remoteAddress: connection.socket.remoteAddress ?? '',
})

/** Rejects a request that does not reach the filters; returns the size of the response body. */
function sendRefusal(stream: ServerStream, head: RequestHead, error: StatusError): number {
  const body = Buffer.from(`${JSON.stringify(error.toStatus())}\n`)
  const headers = [
    'content-type',
    'application/json',
    'cache-control',
    'no-cache, private',
    'content-length',
    String(body.length),
  ]
  const isHead = head.headers[':method'] === 'HEAD'
  stream.answer(error.code, headers, isHead ? null : body)
  return isHead ? 0 : body.length
}
