import type { Clock } from '../../../base/clock.ts'
import { Http2Connection } from '../http2/connection.ts'
import type { Identity } from '../transport.ts'
import { StreamError, textOf, type Stream, type StreamListener } from '../http2/stream.ts'
import { Liveness } from './liveness.ts'
import { GrpcError, status } from './status.ts'

/** The kernel accepts connections for a suspended process: only its SETTINGS frame shows that it runs. */
const CONNECT_MS = 2_000

/** Waits for a connection; one of its callbacks is called, once. */
export interface SessionWaiter {
  /** Streams can be begun. */
  ready(): void
  failed(error: GrpcError): void
}

/** One connection, from the attempt to make it until it ends, watched over for silence. */
export class Session {
  readonly #http2: Http2Connection
  readonly #liveness: Liveness
  readonly #waiting = new Set<SessionWaiter>()
  #isReady = false

  constructor(url: URL, identity: Identity, clock: Clock) {
    const cancelConnect = clock.after(CONNECT_MS, () =>
      // This process may have been suspended itself: data that arrived meanwhile is read first.
      setImmediate(() => {
        if (!this.#isReady) http2.destroy(new Error(`no HTTP/2 within ${CONNECT_MS} ms`))
      }),
    )
    const http2 = new Http2Connection(url, identity, {
      ready: () => {
        cancelConnect()
        this.#isReady = true
        for (const waiter of this.#take()) waiter.ready()
      },
      heard: () => this.#liveness.heard(),
      ended: () => this.#liveness.end(),
      closed: (error) => {
        cancelConnect()
        this.#liveness.close()
        const why = unsent(textOf(error) || 'no connection')
        for (const waiter of this.#take()) waiter.failed(why)
      },
    })
    this.#http2 = http2
    this.#liveness = new Liveness({
      clock,
      ping: (answered) => http2.ping(answered),
      dead: () => http2.destroy(new Error('pings are not answered')),
    })
  }

  /** No new stream may be begun on it. */
  get isOver(): boolean {
    return this.#http2.isOver
  }

  /** Calls back when streams can be begun, at once if they can be now. */
  whenReady(waiter: SessionWaiter): void {
    if (this.#isReady) waiter.ready()
    else this.#waiting.add(waiter)
  }

  /** Ends the waiting. */
  forget(waiter: SessionWaiter): void {
    this.#waiting.delete(waiter)
  }

  /** Begins a stream; with a body, in pieces, that is all there is to send. Throws GrpcError when nothing can be sent. */
  request(block: Buffer, listener: StreamListener, body: readonly Buffer[] | null): Stream {
    try {
      const stream = this.#http2.request(block, listener, body)
      this.#liveness.begin()
      return stream
    } catch (error) {
      throw error instanceof StreamError ? unsent(error.message) : error
    }
  }

  /** Adds to, or subtracts from, the calls that wait for a response. */
  expect(calls: number): void {
    this.#liveness.expect(calls)
  }

  /** Pings the server; without an acknowledgement the connection ends. */
  probe(): void {
    this.#liveness.probe()
  }

  /** Ends it and every stream on it. */
  destroy(): void {
    this.#http2.destroy()
  }

  #take(): readonly SessionWaiter[] {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    return waiting
  }
}

const unsent = (details: string): GrpcError =>
  new GrpcError(status.UNAVAILABLE, details, { isUnsent: true })
