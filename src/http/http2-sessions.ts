import type { Socket } from 'node:net'
import { systemClock, type Clock } from '../base/clock.ts'
import type { ServerConnection, ServerLimits, ServerListener } from '../http2/server-connection.ts'
import type { ServerStream } from '../http2/server-stream.ts'
import type { RequestHead } from '../http2/request-head.ts'
import {
  badRequest,
  headersTooLarge,
  methodNotAllowed,
  type StatusError,
} from '../schema/errors.ts'
import type { Exchange } from './exchange.ts'

const MAX_STREAMS = 250
const SETTINGS_MS = 10_000
const HEADERS_MS = 32_000
const IDLE_MS = 90_000
const LOOK_EVERY_MS = 1000

export interface Http2Options {
  readonly onExchange: (exchange: Exchange) => void
  /** Of the headers of one request. */
  readonly maxHeaderBytes: number
  /** Milliseconds after which a connection without requests ends. */
  readonly idleMs?: number
  /** Told of what nobody should have thrown. */
  readonly onFault: (error: unknown) => void
  readonly clock?: Clock
}

/**
 * The connections whose clients speak HTTP/2. What that needs is loaded when the first of them comes. One timer looks
 * after all of them.
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
      maxStreams: MAX_STREAMS,
      maxHeaderBytes: options.maxHeaderBytes,
      settingsMs: SETTINGS_MS,
      headersMs: HEADERS_MS,
      idleMs: options.idleMs ?? IDLE_MS,
    }
  }

  /** Serves a connection on which HTTP/2 was agreed, from its first byte. */
  take(socket: Socket): void {
    if (this.#serve) return this.#serve(socket)
    // Nothing is read of it meanwhile.
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
    const { onExchange, onFault } = this.#options
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
      const connection = new Connection(socket, listener, this.#limits)
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

  /** Each ends when its streams have; no new ones begin. */
  close(): void {
    this.#isClosed = true
    for (const connection of this.#connections) connection.end()
  }
}

const whyRefused = ({ isTooLarge, fault }: RequestHead): StatusError =>
  isTooLarge ? headersTooLarge() : badRequest(fault ?? '')

/** Answers what no filter sees. */
function refuse(stream: ServerStream, head: RequestHead, error: StatusError): void {
  const body = Buffer.from(`${JSON.stringify(error.toStatus())}\n`)
  const headers = [
    'content-type',
    'application/json',
    'cache-control',
    'no-cache, private',
    'content-length',
    String(body.length),
  ]
  stream.answer(error.code, headers, head.headers[':method'] === 'HEAD' ? null : body)
}
