import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex, Readable } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { RequestMemory } from '../authn/authenticator.ts'
import type { ReadTurns } from '../flowcontrol/read-turns.ts'
import { Abortable } from './abortable.ts'
import { chunkFrame, FRAME_UP_TO } from './http1-chunks.ts'
import { lingerAfter } from './http1-linger.ts'
import { forgetResponse, originForm } from './http1-refusals.ts'
import { ObservedOut } from './observed-out.ts'
import { collectBody, type BodyBudget, type BodySink } from './request-body.ts'
import { atOnce, type MadeResponse, type ResponseSink } from './response-batch.ts'
import type { RequestTarget } from './request-target.ts'
import { SocketReader } from './socket-reader.ts'

/** Header names and values, alternating. Names in lower case. */
export type HeaderList = string[]

/** One request and its response, for any protocol. */
export interface Exchange {
  readonly method: string
  /** Path and query as sent. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
  /** Method and target where the connection has parsed them; absent: it has not. */
  readonly request?: RequestTarget
  /** Header names and values, alternating, as sent. */
  readonly rawHeaders: readonly string[]
  /** What authentication keeps for the same headers on this connection; absent: they are not compared. */
  readonly memory?: RequestMemory
  readonly socket: TLSSocket
  /** Address of the client where the connection keeps it; absent: the socket has it. */
  readonly remoteAddress?: string
  /** Whether the response has begun. */
  readonly begun: boolean
  /** Aborted when the client disconnects, or by `abort`. */
  readonly signal: AbortSignal
  abort(): void
  /** Cheaper than `signal`, for one caller at a time: calls back when that aborts; null: no more. Returns whether it has. */
  whenGone(call: (() => void) | null): boolean
  /** Breaks the connection, or resets the stream: the client gets no response, or an incomplete one. */
  cut(): void
  /**
   * The whole request body, in memory of the budget. Throws 413 beyond `limit` bytes, 429 when the budget is exhausted,
   * and BodyCutOff.
   */
  readBody(limit: number, budget: BodyBudget | null): Promise<Buffer>
  /**
   * The whole request body, without a promise, where it has come already and is within the limits. Null: it is for
   * `readBody`, as it always is where this is absent.
   */
  takeBody?(limit: number, budget: BodyBudget | null): Buffer | null
  /**
   * The length of the request body, as the head of the request says: 0 without one, null where it is not known before the
   * body has come. What has arrived by now does not matter.
   */
  readonly bodyLength: number | null
  /** The request body as a stream; not together with `readBody`. */
  source(): Readable
  /** The connection, when the client requests an upgrade; null otherwise. */
  readonly upgrade: Upgrade | null
  /** Hands the connection in `upgrade` over to the caller. */
  take(): void
  /** Sends a complete response; without a body for HEAD. */
  send(status: number, headers: HeaderList, body: Buffer | string): void
  /** Begins a response of unknown or large length. */
  open(status: number, headers: HeaderList): Out
  /** Ends the connection with this response: `Connection: close`, or GOAWAY in HTTP/2. */
  endConnection(): void
  /** Reads further requests from the connection in turn with the others of this user. */
  readInTurn(turns: ReadTurns, user: string): void
  /** Reads further requests whenever they come, until `readInTurn`. */
  readAlways(): void
  /** Observes the response; null: no observer. */
  observer: ExchangeObserver | null
}

/** Observer of the response of an exchange. */
export interface ExchangeObserver {
  /** Status and headers were handed to an open connection. */
  begun(status: number): void
  /** More bytes of the body were handed to the connection. */
  wrote(bytes: number): void
  /** The whole response was handed to the connection. */
  finished(): void
}

/** A connection that may switch to another protocol than HTTP. */
export interface Upgrade {
  readonly socket: Duplex
  /** Bytes after the request's head. */
  readonly head: Buffer
}

/** The body of a response while it is being sent. */
export interface Out {
  /**
   * False when the buffer is full; see `drained`. `flushed` is called when the chunk is no longer in use, sent or
   * not.
   */
  write(chunk: Buffer, flushed?: () => void): boolean
  drained(): Promise<void>
  end(): void
  /** Aborts the response, so that the client sees it is incomplete. */
  destroy(): void
  readonly closed: boolean
}

/** The length of a body as these headers of a request over HTTP/1.1 say. */
const lengthOf = (headers: IncomingHttpHeaders): number | null =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : null

/** Forwards a body to a sink. */
function pass(source: IncomingMessage, sink: BodySink): void {
  source.on('data', (chunk: Buffer) => sink.data(chunk))
  source.once('end', () => (source.complete ? sink.end() : sink.cut()))
  source.once('error', () => sink.cut())
  source.once('close', () => sink.cut())
  // A body that was cut off earlier is not reported again.
  if (source.destroyed && !source.readableEnded) sink.cut()
}

export class Http1Exchange extends Abortable implements Exchange, MadeResponse {
  readonly method: string
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #responses: ResponseSink

  readonly upgrade: Upgrade | null
  observer: ExchangeObserver | null = null
  #taken = false
  #endsConnection = false
  /** Whether the connection ends with the response. */
  #isLast = false
  #sink: BodySink | null = null
  #reader: SocketReader | null

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    responses: ResponseSink,
    upgrade: Upgrade | null = null,
  ) {
    super()
    this.#responses = responses
    this.upgrade = upgrade
    this.#request = request
    this.#response = response
    this.method = request.method ?? 'GET'
    this.target = originForm(request.url ?? '/')
    this.headers = request.headers
    this.#reader = SocketReader.of(request.socket)
    this.#reader?.begun()
  }

  get socket(): TLSSocket {
    return this.#request.socket as TLSSocket
  }
  get rawHeaders(): readonly string[] {
    return this.#request.rawHeaders
  }
  get begun(): boolean {
    return this.#taken || this.#response.headersSent
  }
  get bodyLength(): number | null {
    return lengthOf(this.headers)
  }
  source(): Readable {
    this.#invite()
    return this.#request
  }
  /** Sends `100 Continue` to a client that expects it: only once the body is wanted. */
  #invite(): void {
    const { headers, httpVersion } = this.#request
    if (headers.expect !== undefined && httpVersion === '1.1') this.#response.writeContinue()
  }
  readInTurn(turns: ReadTurns, user: string): void {
    this.#reader ??= this.#newReader(turns)
    this.#reader.belongsTo(user)
  }
  readAlways(): void {
    this.#reader?.leave()
  }
  #newReader(turns: ReadTurns): SocketReader {
    const { socket } = this.#request
    const reader = SocketReader.of(socket)
    if (reader === null) return new SocketReader(turns, socket)
    // Another request of the connection came before it, and was not classified yet.
    reader.begun()
    return reader
  }
  take(): void {
    this.#taken = true
    this.#reader?.leave()
    this.#response.detachSocket(this.#request.socket)
    this.observer?.begun(101)
  }
  cut(): void {
    this.#request.socket.destroy()
  }
  protected onClosed(call: () => void): void {
    const what = this.upgrade?.socket ?? this.#response
    if (what.closed || what.destroyed) call()
    else what.once('close', call)
  }
  readBody(limit: number, budget: BodyBudget | null): Promise<Buffer> {
    if (lengthOf(this.headers) === 0) return Promise.resolve(EMPTY)
    this.#invite()
    const length = this.headers['content-length']
    const declared = length === undefined ? undefined : Number(length)
    const { sink, body } = collectBody({ declared, limit, budget })
    this.#sink = sink
    pass(this.#request, sink)
    return body
  }
  endConnection(): void {
    this.#endsConnection = true
  }
  send(status: number, headers: HeaderList, body: Buffer | string): void {
    const response = this.#response
    if (response.headersSent) return
    const observer = this.#isGone ? null : this.observer
    headers.push('content-length', String(Buffer.byteLength(body)))
    let isLast = true
    if (!this.#request.complete && lengthOf(this.headers) !== 0) {
      // The rest of the body is not wanted.
      headers.push('connection', 'close')
      lingerAfter(response)
      this.#sink?.cut()
    } else if (this.#endsConnection) headers.push('connection', 'close')
    else isLast = false
    response.writeHead(status, headers)
    this.#isLast = isLast
    ;(isLast ? atOnce : this.#responses).send(this, body)
    if (observer === null) return
    observer.begun(status)
    observer.wrote(this.method === 'HEAD' ? 0 : Buffer.byteLength(body))
    observer.finished()
  }
  sendNow(body: Buffer | string): void {
    const response = this.#response
    if (this.method === 'HEAD') response.end()
    else response.end(body)
    if (this.#isLast) return
    this.#reader?.answered()
    // A response that waits for the one before it is not written yet.
    if (response.socket !== null) forgetResponse(response)
  }
  open(status: number, headers: HeaderList): Out {
    const response = this.#response
    const observer = this.#isGone ? null : this.observer
    if (this.#endsConnection) headers.push('connection', 'close')
    response.writeHead(status, headers)
    if (this.method === 'HEAD') response.end()
    else response.flushHeaders()
    const reader = this.#reader
    response.once('close', () => {
      reader?.answered()
      if (response.req.complete) forgetResponse(response)
    })
    const out = new Http1Out(response)
    if (observer === null) return out
    observer.begun(status)
    if (this.method === 'HEAD') observer.finished()
    return new ObservedOut(out, observer)
  }
  /** Whether the client has disconnected. */
  get #isGone(): boolean {
    return this.#response.destroyed || !this.#request.socket.writable
  }
}

const EMPTY = Buffer.alloc(0)

class StreamOut implements Out {
  readonly #stream: ServerResponse
  #draining: Promise<void> | null = null

  /** A socket that may have to drain besides the stream. */
  protected get under(): Socket | null {
    return null
  }

  constructor(stream: ServerResponse) {
    this.#stream = stream
    // A client that disconnects is not an error of the server; `closed` reports it.
    stream.on('error', () => {})
  }
  get closed(): boolean {
    return this.#stream.destroyed || this.#stream.writableEnded || this.#stream.closed
  }
  write(chunk: Buffer, flushed?: () => void): boolean {
    if (this.closed) {
      flushed?.()
      return true
    }
    return this.#stream.write(chunk, flushed)
  }
  drained(): Promise<void> {
    const under = this.under
    const waiting = this.#stream.writableNeedDrain || under?.writableNeedDrain === true
    if (this.closed || !waiting) return Promise.resolve()
    return (this.#draining ??= new Promise((resolve) => {
      const done = () => {
        this.#draining = null
        this.#stream.off('drain', done)
        this.#stream.off('close', done)
        under?.off('drain', done)
        resolve()
      }
      this.#stream.once('drain', done)
      this.#stream.once('close', done)
      under?.once('drain', done)
    }))
  }
  end(): void {
    if (!this.closed) this.#stream.end()
  }
  destroy(): void {
    this.#stream.destroy()
  }
}

/** A response over HTTP/1.1; each short piece is one write to the connection, framed once for all receivers. */
class Http1Out extends StreamOut {
  readonly #response: ServerResponse

  constructor(response: ServerResponse) {
    super(response)
    this.#response = response
  }
  /** Null while responses to earlier requests are being sent. */
  protected override get under(): Socket | null {
    return this.#response.socket
  }
  override write(chunk: Buffer, flushed?: () => void): boolean {
    const { socket, chunkedEncoding } = this.#response
    if (
      this.closed ||
      !socket ||
      !chunkedEncoding ||
      chunk.length > FRAME_UP_TO ||
      chunk.length === 0
    )
      return super.write(chunk, flushed)
    return socket.write(chunkFrame(chunk), flushed)
  }
}
