/**
 * What of gRPC a store in etcd needs: calls with a deadline, and streams. By hand, since the library took more than half
 * of the CPU of a write (docs/decisions/0018).
 */
import { Readable } from 'node:stream'
import { systemClock, type Clock } from '../../../base/clock.ts'
import { encodeHeaders, type Headers } from '../../../http2/hpack.ts'
import type { Identity, MessageStream, OpenTransport, Transport, UnaryCall } from '../transport.ts'
import type { Stream, StreamError, StreamListener } from '../http2/stream.ts'
import { frameOf, FrameReader } from './frames.ts'
import { Session } from './session.ts'
import { detailsOf, GrpcError, status } from './status.ts'

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
  #session: Session | null = null
  #closed = false

  constructor(url: string, identity: Identity = {}, clock: Clock = systemClock) {
    this.#url = new URL(url)
    this.#identity = identity
    this.#clock = clock
  }

  call<T>(call: UnaryCall<T>, timeoutMs: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const session = this.#usable()
      let stream: Stream | null = null
      let cancelWait = (): void => {}
      const over = (): void => {
        clearTimeout(deadline)
        cancelWait()
        if (stream) session.expect(-1)
      }
      // Timers of one length are one list, so this costs little.
      const deadline = setTimeout(() => {
        over()
        const isUnsent = stream === null
        stream?.cancel()
        reject(new GrpcError(status.DEADLINE_EXCEEDED, 'Deadline exceeded', { isUnsent }))
      }, timeoutMs)
      const reader = new FrameReader()
      let answer: Buffer | null = null
      const take = (message: Buffer): void => {
        if (answer !== null) throw new Error('more than one message')
        answer = message
      }
      const end = (error: GrpcError | null): void => {
        over()
        if (error) return reject(error)
        if (answer === null || reader.halfway)
          return reject(new GrpcError(status.INTERNAL, 'an answer without its message'))
        try {
          resolve(call.decode(answer))
        } catch (cause) {
          reject(new GrpcError(status.INTERNAL, (cause as Error).message))
        }
      }
      const begin = (): void => {
        const answers = new ResponseStream(reader, take, end, () => stream?.cancel())
        try {
          stream = session.request(this.#blockOf(call, timeoutMs), answers, frameOf(call.request))
          session.expect(1)
        } catch (error) {
          over()
          reject(error as GrpcError)
        }
      }
      cancelWait = session.whenReady(begin, (error) => {
        over()
        reject(error)
      })
    })
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
    let cancelWait = (): void => {}
    const messages = new Readable({
      objectMode: true,
      read: () => stream?.resume(),
      destroy(error, done) {
        cancelWait()
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
      const answers = new ResponseStream(new FrameReader(), take, end, () => stream?.cancel())
      try {
        stream = session.request(this.#encode(method, Object.entries(headers)), answers, null)
        for (const what of early) what(stream)
      } catch (error) {
        messages.destroy(error as GrpcError)
      }
    }
    cancelWait = session.whenReady(begin, (error) => void messages.destroy(error))
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

/** Splits a stream into messages, and reports once how it ended: null when its status is OK. */
class ResponseStream implements StreamListener {
  readonly #reader: FrameReader
  readonly #take: (message: Buffer) => void
  readonly #onEnd: (error: GrpcError | null) => void
  readonly #cancel: () => void
  #isResponse = false
  #isOver = false
  #result: GrpcError | null | undefined

  constructor(
    reader: FrameReader,
    take: (message: Buffer) => void,
    onEnd: (error: GrpcError | null) => void,
    cancel: () => void,
  ) {
    this.#reader = reader
    this.#take = take
    this.#onEnd = onEnd
    this.#cancel = cancel
  }

  headers(headers: Headers): void {
    const code = headers.get(':status')
    if (!this.#isResponse && code?.startsWith('1')) return
    if (!this.#isResponse) {
      const type = headers.get('content-type') ?? ''
      if (code !== '200' || !type.startsWith('application/grpc'))
        return this.#fail(status.UNKNOWN, `an answer ${code} of type ${type}`)
      this.#isResponse = true
    }
    const result = headers.get('grpc-status')
    if (result === undefined) return
    this.#result = result === '0' ? null : new GrpcError(Number(result), detailsOf(headers))
  }

  data(piece: Buffer): void {
    if (this.#isOver) return
    try {
      for (const message of this.#reader.push(piece)) this.#take(message)
    } catch (cause) {
      this.#fail(status.INTERNAL, (cause as Error).message)
    }
  }

  end(error: StreamError | null): void {
    if (error)
      this.#tell(new GrpcError(status.UNAVAILABLE, error.message, { isUnsent: error.isUnsent }))
    else if (this.#result !== undefined) this.#tell(this.#result)
    else this.#tell(new GrpcError(status.UNAVAILABLE, 'the answer has no status'))
  }

  #fail(code: number, details: string): void {
    this.#cancel()
    this.#tell(new GrpcError(code, details))
  }

  #tell(error: GrpcError | null): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#onEnd(error)
  }
}
