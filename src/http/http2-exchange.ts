import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { RequestHead } from '../http2/request-head.ts'
import type { ServerStream } from '../http2/server-stream.ts'
import { Abortable } from './abortable.ts'
import { dateText } from './date-text.ts'
import type { Exchange, ExchangeObserver, HeaderList, Out } from './exchange.ts'
import { ObservedOut } from './observed-out.ts'
import { collectBody, type BodyBudget } from './request-body.ts'

const EMPTY = Buffer.alloc(0)

/** One request and its response over HTTP/2. */
export class Http2Exchange extends Abortable implements Exchange, Out {
  readonly method: string
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  observer: ExchangeObserver | null = null
  readonly #stream: ServerStream
  readonly #declared: number
  /** As of the head: the body may have come since. */
  readonly #hasBody: boolean
  #source: BodySource | null = null

  constructor(stream: ServerStream, head: RequestHead) {
    super()
    this.#stream = stream
    this.#declared = head.declared
    this.#hasBody = !stream.isRemoteEnded
    this.headers = head.headers
    this.rawHeaders = head.raw
    this.method = head.headers[':method'] ?? ''
    this.target = head.headers[':path'] ?? ''
  }

  get socket(): TLSSocket {
    // Only TLS connections are accepted.
    return this.#stream.connection.socket as TLSSocket
  }
  get begun(): boolean {
    return this.#stream.isBegun
  }
  get upgrade(): null {
    return null
  }
  protected onClosed(call: () => void): void {
    if (this.#stream.isOver) call()
    else this.#stream.onClosed = call
  }
  cut(): void {
    this.#stream.reset(INTERNAL_ERROR)
  }
  readBody(limit: number, budget: BodyBudget | null): Promise<Buffer> {
    if (!this.#hasBody) return Promise.resolve(EMPTY)
    const declared = this.#declared === -1 ? undefined : this.#declared
    const { sink, body } = collectBody({ declared, limit, budget })
    this.#invite()
    this.#stream.receive(sink)
    return body
  }
  /** Sends `100 Continue` to a client that expects it: only once the body is wanted. */
  #invite(): void {
    const { expect } = this.headers
    if (expect?.toLowerCase() === '100-continue') this.#stream.invite()
  }
  get bodyLength(): number | null {
    if (!this.#hasBody) return 0
    return this.#declared === -1 ? null : this.#declared
  }
  source(): Readable {
    if (this.#source === null) this.#invite()
    return (this.#source ??= new BodySource(this.#stream))
  }
  take(): void {
    throw new Error('a stream of HTTP/2 cannot be taken over')
  }
  endConnection(): void {
    this.#stream.connection.end()
  }
  // Its connection is read in pieces with several requests.
  readInTurn(): void {}
  readAlways(): void {}
  send(status: number, headers: HeaderList, body: Buffer | string): void {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    headers.push('content-length', String(bytes.length), 'date', dateText())
    const observer = this.#isGone ? null : this.observer
    this.#stream.answer(status, headers, this.method === 'HEAD' ? null : bytes)
    if (observer === null) return
    observer.begun(status)
    observer.wrote(this.method === 'HEAD' ? 0 : bytes.length)
    observer.finished()
  }
  open(status: number, headers: HeaderList): Out {
    headers.push('date', dateText())
    const observer = this.#isGone ? null : this.observer
    this.#stream.begin(status, headers, this.method === 'HEAD')
    if (observer === null) return this
    observer.begun(status)
    if (this.method === 'HEAD') observer.finished()
    return new ObservedOut(this, observer)
  }
  /** Whether the client has disconnected, or has received a response. */
  get #isGone(): boolean {
    return this.#stream.isOver || this.#stream.isBegun
  }

  // An open response is the stream itself, which needs no additional object.

  get closed(): boolean {
    return this.#stream.isClosed
  }
  write(chunk: Buffer, flushed?: () => void): boolean {
    return this.#stream.write(chunk, flushed)
  }
  drained(): Promise<void> {
    return this.#stream.drained()
  }
  end(): void {
    this.#stream.finish()
  }
  destroy(): void {
    this.#stream.reset(INTERNAL_ERROR)
  }
}

/** Error code that signals an incomplete response (RFC 9113, section 7). */
const INTERNAL_ERROR = 2

/** The body of a request as a Node.js stream. */
class BodySource extends Readable {
  readonly #stream: ServerStream
  #unread = 0

  constructor(stream: ServerStream) {
    super()
    this.#stream = stream
    const sink = {
      data: (chunk: Buffer) => {
        this.#unread += chunk.length
        if (this.push(chunk)) this.#give()
      },
      end: () => void this.push(null),
      cut: () => void this.destroy(),
    }
    stream.receive(sink, true)
  }

  override _read(): void {
    this.#give()
  }

  /** Lets the client send more. */
  #give(): void {
    const bytes = this.#unread
    this.#unread = 0
    if (bytes > 0) this.#stream.used(bytes)
  }
}
