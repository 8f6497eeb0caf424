/**
 * What of gRPC a store in etcd needs: calls with a deadline, and streams. By hand, since the library took more than half
 * of the CPU of a write (docs/decisions/0018).
 */
import { Readable } from 'node:stream'
import { systemClock, type Clock } from '../../../base/clock.ts'
import { encodeHeaders } from '../../../http2/hpack.ts'
import { DueTimes } from '../due-times.ts'
import type { Stream } from '../http2/stream.ts'
import type {
  CallListener,
  Identity,
  MessageStream,
  OpenTransport,
  Transport,
  UnaryCall,
} from '../transport.ts'
import { frameOf } from './frames.ts'
import { Response } from './response.ts'
import { Session } from './session.ts'
import { GrpcError, status } from './status.ts'
import { Unary } from './unary.ts'

type HeaderList = readonly (readonly [name: string, value: string])[]

const HEADERS: HeaderList = [
  ['content-type', 'application/grpc'],
  ['te', 'trailers'],
  ['user-agent', 'grpc-node-http2'],
]

/**
 * A connection to one server, opened when it is needed and again when it broke. Nothing is sent before the server has
 * accepted the connection, so that a call which got no further surely did not happen.
 */
export class GrpcClient implements Transport {
  readonly #url: URL
  readonly #identity: Identity
  readonly #clock: Clock
  /** Header blocks of calls, by method and timeout. */
  readonly #blocks = new Map<string, Buffer>()
  readonly #dueTimes = new DueTimes({ keepsAlive: true })
  #session: Session | null = null
  #closed = false

  constructor(url: string, identity: Identity = {}, clock: Clock = systemClock) {
    this.#url = new URL(url)
    this.#identity = identity
    this.#clock = clock
  }

  begin<T>(call: UnaryCall<T>, timeoutMs: number, listener: CallListener<T>): void {
    let unary: Unary<T>
    try {
      const session = this.#usable()
      const block = this.#blockOf(call, timeoutMs)
      unary = new Unary({ session, dueTimes: this.#dueTimes, call, block, listener })
    } catch (error) {
      listener.failed(error as GrpcError)
      return
    }
    unary.begin(timeoutMs)
  }

  /** The same, as a promise. */
  call<T>(call: UnaryCall<T>, timeoutMs: number): Promise<T> {
    return new Promise((answered, failed) => this.begin(call, timeoutMs, { answered, failed }))
  }

  stream<T>(
    method: string,
    decode: (message: Buffer) => T,
    headers: Readonly<Record<string, string>> = {},
  ): MessageStream<T> {
    const session = this.#usable()
    let stream: Stream | null = null
    /** Calls made before there was a connection. */
    const early: ((stream: Stream) => void)[] = []
    const say = (what: (stream: Stream) => void): void => {
      if (stream) what(stream)
      else early.push(what)
    }
    const messages = new Readable({
      objectMode: true,
      read: () => stream?.resume(),
      destroy(error, done) {
        session.forget(waiter)
        stream?.cancel()
        done(error)
      },
    })
    const take = (message: Buffer): void => {
      if (!messages.destroyed && !messages.push(decode(message))) stream?.pause()
    }
    const end = (error: GrpcError | null): void => {
      if (error) messages.destroy(error)
      else messages.push(null)
    }
    const begin = (): void => {
      const answers = new StreamResponse({ take, end, stop: () => stream?.cancel() })
      try {
        stream = session.request(this.#encode(method, Object.entries(headers)), answers, null)
        for (const what of early) what(stream)
      } catch (error) {
        messages.destroy(error as GrpcError)
      }
    }
    const waiter = {
      ready: begin,
      failed: (error: GrpcError) => void messages.destroy(error),
    }
    session.whenReady(waiter)
    const ways = {
      send: (message: Buffer) => say((opened) => opened.write(frameOf(message))),
      done: () => say((opened) => opened.finish()),
      cancel: () => void messages.destroy(),
    }
    return Object.assign(messages, ways)
  }

  probe(): void {
    this.#session?.probe()
  }

  close(): void {
    this.#closed = true
    this.#session?.destroy()
  }

  #blockOf({ method, traceparent }: UnaryCall<unknown>, timeoutMs: number): Buffer {
    // In seconds, which are few: a call that the server ends too late does no harm.
    const timeout = `${Math.max(1, Math.ceil(timeoutMs / 1000))}S`
    // A trace is of one call: its block is not kept.
    if (traceparent)
      return this.#encode(method, [
        ['grpc-timeout', timeout],
        ['traceparent', traceparent],
      ])
    const known = `${method} ${timeout}`
    let block = this.#blocks.get(known)
    if (!block) {
      block = this.#encode(method, [['grpc-timeout', timeout]])
      this.#blocks.set(known, block)
    }
    return block
  }

  #encode(method: string, more: HeaderList): Buffer {
    const { protocol, host } = this.#url
    return encodeHeaders([
      [':method', 'POST'],
      [':scheme', protocol.slice(0, -1)],
      [':path', method],
      [':authority', host],
      ...HEADERS,
      ...more,
    ])
  }

  #usable(): Session {
    if (this.#closed)
      throw new GrpcError(status.UNAVAILABLE, 'it was closed here', { isUnsent: true })
    if (this.#session?.isOver) this.#session = null
    return (this.#session ??= new Session(this.#url, this.#identity, this.#clock))
  }
}

/** The transport by hand. */
export const openBuiltin: OpenTransport = (origin, identity) => new GrpcClient(origin, identity)

/** The messages of a stream, for whom they are passed on. */
class StreamResponse extends Response {
  readonly #ways: StreamWays

  constructor(ways: StreamWays) {
    super()
    this.#ways = ways
  }

  protected take(message: Buffer): void {
    this.#ways.take(message)
  }
  protected ended(error: GrpcError | null): void {
    this.#ways.end(error)
  }
  protected stop(): void {
    this.#ways.stop()
  }
}

interface StreamWays {
  readonly take: (message: Buffer) => void
  readonly end: (error: GrpcError | null) => void
  readonly stop: () => void
}
