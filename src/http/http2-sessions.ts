import type { ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import { Http2Exchange, type Exchange } from './exchange.ts'

const MAX_STREAMS = 250
/** Of one connection, megabytes. */
const MAX_MEMORY_MB = 64

/**
 * The connections whose clients speak HTTP/2. What Node has for it is loaded when the first of them comes: that takes as
 * long as the fiftieth part of a start.
 */
export class Http2Sessions {
  readonly #onExchange: (exchange: Exchange) => void
  readonly #maxHeaderBytes: number
  readonly #sessions = new Set<ServerHttp2Session>()

  constructor(onExchange: (exchange: Exchange) => void, maxHeaderBytes: number) {
    this.#onExchange = onExchange
    this.#maxHeaderBytes = maxHeaderBytes
  }

  /** Serves a connection on which HTTP/2 was agreed, from its first byte. */
  take(socket: Socket): void {
    const { performServerHandshake } = process.getBuiltinModule('node:http2')
    const session = performServerHandshake(socket, {
      settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: this.#maxHeaderBytes },
      maxSessionMemory: MAX_MEMORY_MB,
    })
    this.#sessions.add(session)
    session.once('close', () => this.#sessions.delete(session))
    session.on('error', () => {})
    // The streams are taken as they are: the form that looks like HTTP/1.1 is costly.
    session.on('stream', (stream, headers, ...rest: unknown[]) => {
      stream.on('error', () => {})
      this.#onExchange(new Http2Exchange(stream, headers, rest[1] as string[]))
    })
  }

  /** Each ends when its streams have; no new ones begin. */
  close(): void {
    for (const session of this.#sessions) session.close()
  }
}
