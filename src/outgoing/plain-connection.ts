/**
 * One connection of HTTP/1.1 over TLS for GET requests, one after the other. It needs neither Node's HTTP client nor its
 * HTTP/2, which take longer to load than such a request takes: short-lived programs use it
 * (docs/decisions/0071-a-connection-for-one-request.md).
 */
import { Readable } from 'node:stream'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { AnswerReader, type AnswerHead } from './answer-reader.ts'

/** One GET request. */
export interface PlainRequest {
  /** With the query. */
  readonly path: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly signal: AbortSignal
}

/** Head of a response whose body is still arriving. */
export interface PlainAnswer extends AnswerHead {
  readonly body: Readable
}

/** Whether a connection whose handshake is over leads to the right server, where that can be said in a simple way. */
export type Trust = (socket: TLSSocket) => boolean

/** See above. */
export class PlainConnection {
  readonly #tls: ConnectionOptions
  readonly #authority: string
  /** Null: the platform decides. */
  #trust: Trust | null
  #socket: TLSSocket | null = null
  #isTrusted = false
  /** Sends the request that waits for the server's certificate. */
  #whenTrusted: (() => void) | null = null
  /** Ends the request under way. */
  #fail: ((error: Error) => void) | null = null

  /** Where `trust` says no, another connection is made, whose certificates the platform checks. */
  constructor(tls: ConnectionOptions, authority: string, trust: Trust | null = null) {
    this.#tls = tls
    this.#authority = authority
    this.#trust = trust
  }

  /** Whether a request is under way: another one needs another connection. */
  get isBusy(): boolean {
    return this.#fail !== null
  }

  /** Sends a request; rejects with an error of the platform when no response begins. */
  async open(request: PlainRequest): Promise<PlainAnswer> {
    request.signal.throwIfAborted()
    const isReused = this.#socket !== null
    try {
      return await this.#send(request)
    } catch (error) {
      if (error instanceof Undecided) {
        this.#trust = null
        return this.#send(request)
      }
      // Closed while idle: sending again is no second attempt.
      if (!isReused || !(error instanceof ClosedEarly) || request.signal.aborted) throw error
      return this.#send(request)
    }
  }

  close(): void {
    this.#drop(new ClosedEarly())
  }

  #send(request: PlainRequest): Promise<PlainAnswer> {
    const head = headOf(request, this.#authority)
    return new Promise((resolve, reject) => {
      const socket = (this.#socket ??= this.#connect())
      const exchange = new Exchange(socket, (isReusable) => {
        this.#fail = null
        request.signal.removeEventListener('abort', abort)
        if (!isReusable) this.#drop(new ClosedEarly())
      })
      const abort = () => this.#drop(request.signal.reason as Error)
      request.signal.addEventListener('abort', abort, { once: true })
      this.#fail = (error) => {
        this.#fail = null
        request.signal.removeEventListener('abort', abort)
        exchange.fail(error)
      }
      exchange.begin(resolve, reject)
      // Nothing is sent to a server that may be another one.
      if (this.#isTrusted) exchange.send(head)
      else this.#whenTrusted = () => exchange.send(head)
    })
  }

  #connect(): TLSSocket {
    const trust = this.#trust
    // The platform itself sends nothing before.
    this.#isTrusted = trust === null
    const socket = connect({
      ...this.#tls,
      ...(trust === null ? {} : { ca: [], rejectUnauthorized: false }),
      ALPNProtocols: ['http/1.1'],
    })
    socket.setNoDelay(true)
    if (trust !== null)
      socket.once('secureConnect', () => {
        if (!trust(socket)) return this.#drop(new Undecided())
        this.#isTrusted = true
        this.#whenTrusted?.()
      })
    const gone = (error: Error) => {
      if (this.#socket === socket) this.#drop(error)
    }
    socket.on('error', gone)
    socket.once('close', () => gone(new ClosedEarly()))
    return socket
  }

  #drop(error: Error): void {
    this.#socket?.destroy()
    this.#socket = null
    this.#whenTrusted = null
    this.#fail?.(error)
  }
}

/** The other side closed the connection, with what it owed. */
class ClosedEarly extends Error {
  readonly code = 'ECONNRESET'
}

/** The platform has to check the certificates. */
class Undecided extends Error {}

function headOf({ path, headers }: PlainRequest, authority: string): string {
  const lines = [`GET ${path} HTTP/1.1`, `host: ${authority}`]
  for (const [name, value] of Object.entries(headers))
    for (const one of [value].flat()) lines.push(`${name}: ${one}`)
  const text = `${lines.join('\r\n')}\r\n\r\n`
  // A value with a line break would be another header.
  if (lines.some((line) => /[^\t\x20-\x7e\x80-\xff]/.test(line)))
    throw Object.assign(new TypeError('Invalid character in header content'), {
      code: 'ERR_INVALID_CHAR',
    })
  return text
}

/** One request and its response. */
class Exchange {
  readonly #socket: TLSSocket
  readonly #done: (isReusable: boolean) => void
  readonly #reader: AnswerReader
  readonly #body: Readable
  #hasHead = false
  #isOver = false
  #resolve: (answer: PlainAnswer) => void = () => {}
  #reject: (error: Error) => void = () => {}

  constructor(socket: TLSSocket, done: (isReusable: boolean) => void) {
    this.#socket = socket
    this.#done = done
    this.#body = new Readable({
      read: () => void socket.resume(),
      destroy: (error, ready) => {
        // Nobody reads the rest.
        this.#finish(false)
        ready(error)
      },
    })
    this.#reader = new AnswerReader({
      head: (head) => {
        this.#hasHead = true
        this.#resolve({ ...head, body: this.#body })
      },
      data: (bytes) => {
        if (!this.#body.push(bytes)) socket.pause()
      },
      end: (isReusable) => {
        this.#finish(isReusable)
        this.#body.push(null)
      },
    })
  }

  begin(resolve: (answer: PlainAnswer) => void, reject: (error: Error) => void): void {
    this.#resolve = resolve
    this.#reject = reject
    this.#socket.on('data', this.#read)
    this.#socket.once('end', this.#ended)
    this.#socket.resume()
  }

  send(head: string): void {
    if (!this.#isOver) this.#socket.write(head, 'latin1')
  }

  fail(error: Error): void {
    if (this.#isOver) return
    if (this.#hasHead) this.#body.destroy(error)
    else {
      this.#finish(false)
      this.#reject(error)
    }
  }

  readonly #read = (bytes: Buffer) => {
    try {
      this.#reader.feed(bytes)
    } catch (error) {
      this.fail(error as Error)
    }
  }

  readonly #ended = () => {
    if (!this.#reader.finish()) this.fail(new ClosedEarly())
  }

  #finish(isReusable: boolean): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#socket.off('data', this.#read).off('end', this.#ended)
    this.#done(isReusable)
  }
}
