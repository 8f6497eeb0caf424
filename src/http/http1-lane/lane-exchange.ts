import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { RequestMemory } from '../../authn/authenticator.ts'
import type { ReadTurns } from '../../flowcontrol/read-turns.ts'
import { Abortable } from '../abortable.ts'
import type { Exchange, ExchangeObserver, HeaderList, Out } from '../exchange.ts'
import { ObservedOut } from '../observed-out.ts'
import { collectBody, wholeBody, type BodyBudget } from '../request-body.ts'
import { atOnce, type MadeResponse } from '../response-batch.ts'
import type { RequestTarget } from '../request-target.ts'
import { SocketReader } from '../socket-reader.ts'
import { LaneBody, LaneSource } from './lane-body.ts'
import type { LaneConnection } from './lane-connection.ts'
import { LaneOut } from './lane-out.ts'
import type { PlainHead } from './request-head.ts'
import type { ResponseHead } from './response-head.ts'

const EMPTY = Buffer.alloc(0)

/** How a response ends. */
export type Ending =
  /** The connection takes further requests. */
  | 'open'
  /** It ends with this response. */
  | 'last'
  /** The same while the client still sends. */
  | 'lingering'

/** A plain request over HTTP/1.1, and its response. */
export class LaneExchange extends Abortable implements Exchange, MadeResponse {
  readonly request: RequestTarget
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly memory: RequestMemory
  observer: ExchangeObserver | null = null
  readonly #connection: LaneConnection
  readonly #body: LaneBody | null
  #reader: SocketReader | null
  #source: LaneSource | null = null
  #head: ResponseHead | null = null
  #ending: Ending = 'open'
  #endsConnection = false
  #isOver = false
  #onClosed: (() => void) | null = null

  constructor(connection: LaneConnection, { request, sent }: PlainHead) {
    super()
    this.#connection = connection
    this.request = request
    this.headers = sent.headers
    this.rawHeaders = sent.rawHeaders
    this.memory = sent.memory
    this.#body = sent.length === 0 ? null : new LaneBody(sent.length, connection)
    this.#reader = SocketReader.of(connection.socket)
    this.#reader?.begun()
  }

  get method(): string {
    return this.request.method
  }
  get target(): string {
    return this.request.text
  }
  get socket(): TLSSocket {
    return this.#connection.socket
  }
  get remoteAddress(): string {
    return this.#connection.remoteAddress
  }
  get begun(): boolean {
    return this.#head !== null
  }
  get upgrade(): null {
    return null
  }
  /** For the connection; null: the request has none. */
  get body(): LaneBody | null {
    return this.#body
  }
  /** For the connection: it has closed. */
  gone(): void {
    this.#body?.cut()
    this.#over()
  }
  cut(): void {
    this.#connection.socket.destroy()
  }
  take(): void {
    throw new Error('a connection without an upgrade cannot be taken over')
  }
  endConnection(): void {
    this.#endsConnection = true
  }
  readInTurn(turns: ReadTurns, user: string): void {
    this.#reader ??= new SocketReader(turns, this.#connection.socket)
    this.#reader.belongsTo(user)
  }
  readAlways(): void {
    this.#reader?.leave()
  }
  takeBody(limit: number, budget: BodyBudget | null): Buffer | null {
    const body = this.#body
    if (body === null) return EMPTY
    return body.isWhole && body.length <= limit && budget?.take(body.length) !== false
      ? body.takeWhole()
      : null
  }
  readBody(limit: number, budget: BodyBudget | null): Promise<Buffer> {
    const body = this.#body
    if (body === null) return Promise.resolve(EMPTY)
    const whole = body.takeWhole()
    if (whole !== null) return wholeBody(whole, { limit, budget })
    const declared = Number(this.headers['content-length'])
    const collected = collectBody({ declared, limit, budget })
    body.receive(collected.sink)
    return collected.body
  }
  get bodyLength(): number {
    return this.#body?.length ?? 0
  }
  source(): Readable {
    return (this.#source ??= new LaneSource(this.#body, this.#connection))
  }
  send(status: number, headers: HeaderList, body: Buffer | string): void {
    if (this.#head !== null) return
    const observer = this.#isGone ? null : this.observer
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
    headers.push('content-length', String(length))
    const ending = this.#endingOf(headers)
    const head = this.#connection.heads.make(status, headers, this.method)
    this.#head = head
    this.#ending = head.isLast && ending === 'open' ? 'last' : ending
    ;(this.#ending === 'open' ? this.#connection.responses : atOnce).send(this, body)
    if (observer === null) return
    observer.begun(status)
    observer.wrote(this.method === 'HEAD' ? 0 : length)
    observer.finished()
  }
  #endingOf(headers: HeaderList): Ending {
    if (this.#body?.isComplete === false) {
      // The rest of the body is not wanted.
      headers.push('connection', 'close')
      this.#body.cut()
      return 'lingering'
    }
    if (!this.#endsConnection) return 'open'
    headers.push('connection', 'close')
    return 'last'
  }
  sendNow(body: Buffer | string): void {
    const head = this.#head!
    this.#connection.write(head, head.hasBody ? body : EMPTY)
    this.#end()
  }
  open(status: number, headers: HeaderList): Out {
    if (this.#head !== null) throw new Error('the response has begun already')
    const observer = this.#isGone ? null : this.observer
    if (this.#endsConnection) headers.push('connection', 'close')
    const head = this.#connection.heads.make(status, headers, this.method)
    this.#head = head
    if (head.isLast) this.#ending = 'last'
    this.#connection.write(head, EMPTY)
    this.#connection.streams()
    const out = new LaneOut(this.#connection.socket, head, () => this.#end())
    if (this.method === 'HEAD') out.end()
    if (observer === null) return out
    observer.begun(status)
    if (this.method === 'HEAD') observer.finished()
    return new ObservedOut(out, observer)
  }
  /** The response was handed over completely. */
  #end(): void {
    if (this.#isOver) return
    if (this.#ending === 'open') this.#reader?.answered()
    this.#connection.answered(this.#ending)
    this.#over()
  }
  #over(): void {
    if (this.#isOver) return
    this.#isOver = true
    const call = this.#onClosed
    this.#onClosed = null
    call?.()
  }
  protected onClosed(call: () => void): void {
    if (this.#isOver) call()
    else this.#onClosed = call
  }
  /** Whether the client has disconnected. */
  get #isGone(): boolean {
    return !this.#connection.socket.writable
  }
}
