/** HTTP transport: HTTP/2 over one connection where the server supports it, else HTTP/1.1. */
import type { IncomingHttpHeaders, RequestOptions } from 'node:http'
import type { Readable } from 'node:stream'
import { connect, type TLSSocket } from 'node:tls'
import type { Clock } from '../base/clock.ts'
import type { Dial } from '../base/dial.ts'
import type { CertificatePair } from './certificate-pair.ts'
import type { ClientConfig } from './client-config.ts'
import { Connections } from './connection.ts'
import { bareHost, portOf, serverUrl } from './server-address.ts'
import { secured } from '../outgoing/dial-agent.ts'
import { StaleConnection, beginAfresh, beginExchange } from '../outgoing/http-exchange.ts'
import { Http2Session, isUnseen } from './http2-session.ts'

/** One request. */
export interface WireRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: Buffer | null
  readonly signal: AbortSignal
}

/** Head of a response whose body is still arriving. */
export interface WireAnswer {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Readable
}

/** A connection to one server. */
export class Wire {
  readonly server: URL
  readonly #clock: Clock
  readonly #connections: Connections
  #opening: Promise<Http2Session | null> | null = null
  /** The opened session. */
  #session: Http2Session | null = null
  #cert: string | undefined
  #isHttp1: boolean

  /** Connections are opened by `dial` where it is given. Throws an Error when the configuration cannot be used. */
  constructor(config: ClientConfig, clock: Clock, dial: Dial | null = null) {
    this.server = serverUrl(config)
    this.#clock = clock
    this.#connections = new Connections(config, this.server, dial)
    this.#isHttp1 = this.server.protocol !== 'https:'
  }

  /** Sends a request; rejects with a platform error when no response begins. */
  async open(request: WireRequest, pair: CertificatePair): Promise<WireAnswer> {
    for (let isAgain = false; ; isAgain = true) {
      const session = await this.#http2(pair)
      if (!session) return this.#http1(request, pair)
      try {
        return await session.open(request)
      } catch (error) {
        // A request that the server has not processed does not count as an attempt.
        if (isAgain || !isUnseen(error) || request.signal.aborted) throw error
        session.isOpen = false
      }
    }
  }

  close(): void {
    this.#connections.close()
    this.#leave((session) => session.destroy())
  }

  /** The shared connection; null where the server does not support HTTP/2. */
  #http2(pair: CertificatePair): Promise<Http2Session | null> {
    if (this.#isHttp1) return NO_SESSION
    const isGood = this.#cert === pair.cert && this.#session?.isOpen !== false
    if (this.#opening && isGood) return this.#opening
    this.#leave((session) => session.retire())
    this.#cert = pair.cert
    const opening = this.#connect(pair)
    this.#opening = opening
    opening.then(
      (session) => {
        if (this.#opening === opening) this.#session = session
      },
      () => {
        if (this.#opening === opening) this.#opening = null
      },
    )
    return opening
  }

  #leave(end: (session: Http2Session) => void): void {
    void this.#opening?.then(
      (session) => session && end(session),
      () => {},
    )
    this.#opening = null
    this.#session = null
  }

  async #connect(pair: CertificatePair): Promise<Http2Session | null> {
    const dialled = await this.#connections.dialled()
    const options = {
      host: bareHost(this.server),
      port: portOf(this.server),
      ...this.#connections.tlsFor(pair),
      ALPNProtocols: ['h2', 'http/1.1'],
    }
    const socket = dialled ? secured(dialled, options) : connect(options)
    socket.setNoDelay(true)
    await connected(socket)
    if (socket.alpnProtocol === 'h2') return new Http2Session(socket, this.server, this.#clock)
    this.#isHttp1 = true
    socket.destroy()
    return null
  }

  async #http1(request: WireRequest, pair: CertificatePair): Promise<WireAnswer> {
    const url = this.server
    const options: RequestOptions = {
      method: request.method,
      host: bareHost(url),
      port: portOf(url),
      path: request.path,
      headers: {
        host: url.host,
        ...request.headers,
        ...(request.body ? { 'content-length': request.body.length } : {}),
      },
      agent: this.#connections.agentFor(pair),
      signal: request.signal,
    }
    const begin = () => beginExchange(url.protocol, options, request.body)
    // The server may have acted on a write before the connection broke: that is not sent twice.
    const answer =
      request.method === 'GET'
        ? await beginAfresh(begin, () => this.#connections.dropIdle())
        : await begin().catch((error: unknown) => {
            throw error instanceof StaleConnection ? error.cause : error
          })
    return {
      status: answer.statusCode ?? 0,
      retryAfter: answer.headers['retry-after'],
      headers: answer.headers,
      body: answer,
    }
  }
}

const NO_SESSION = Promise.resolve(null)

function connected(socket: TLSSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the connection was closed')))
    socket.once('secureConnect', () => {
      socket.off('error', reject)
      resolve()
    })
  })
}
