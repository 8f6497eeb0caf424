/**
 * What of gRPC a store in etcd needs, over Node's HTTP/2: calls with a deadline, and streams. By hand, since the library
 * took more than half of the CPU of a write (docs/decisions/0018).
 */
import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
} from 'node:http2'
import { Readable } from 'node:stream'
import { frameOf, FrameReader } from './frames.ts'
import { GrpcError, status } from './status.ts'

/** Whom to trust, and who to be; PEM. */
export interface Identity {
  /** Certificates that vouch for the server; absent: those of the system. */
  readonly ca?: Buffer | undefined
  readonly cert?: Buffer | undefined
  readonly key?: Buffer | undefined
}

// Nothing waits for the reader of another call.
const WINDOW_BYTES = 16 << 20
const STREAM_WINDOW_BYTES = 4 << 20
/** A dead peer that closes nothing is found by pings; etcd takes offence at more than one in 5 s. */
const PING_MS = 10_000
const PING_PATIENCE_MS = 5_000

const HEADERS: OutgoingHttpHeaders = {
  [constants.HTTP2_HEADER_METHOD]: 'POST',
  [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
  [constants.HTTP2_HEADER_TE]: 'trailers',
  [constants.HTTP2_HEADER_USER_AGENT]: 'grpc-node-http2',
}

/** Messages of a server, and the way to send it some. Ends with GrpcError. */
export interface MessageStream<T> {
  on(event: 'data', listener: (message: T) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'end', listener: () => void): unknown
  send(message: Buffer): void
  /** Sends nothing more. */
  done(): void
  cancel(): void
  [Symbol.asyncIterator](): AsyncIterator<T>
}

interface Session {
  readonly http2: ClientHttp2Session
  isConnected: boolean
  /** Why it ended. */
  error: Error | null
  streams: number
}

/** A connection to one server, opened when it is needed and again when it broke. */
export class GrpcClient {
  readonly #url: string
  readonly #identity: Identity
  #session: Session | null = null
  #closed = false

  constructor(url: string, identity: Identity = {}) {
    this.#url = url
    this.#identity = identity
  }

  /** Asks once; `answer` is the whole message. Rejects with GrpcError, also for what `decode` throws. */
  call<T>(
    method: string,
    message: Buffer,
    decode: (answer: Buffer) => T,
    timeoutMs: number,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const { stream, session } = this.#open(method, {
        'grpc-timeout': `${Math.max(1, Math.ceil(timeoutMs))}m`,
      })
      const reader = new FrameReader()
      let answer: Buffer | null = null
      const end = endOf(stream, session, (error) => {
        clearTimeout(deadline)
        if (error) return reject(error)
        if (answer === null || reader.halfway)
          return reject(new GrpcError(status.INTERNAL, 'an answer without its message'))
        try {
          resolve(decode(answer))
        } catch (cause) {
          reject(new GrpcError(status.INTERNAL, textOf(cause as Error)))
        }
      })
      // Timers of one length are one list, so this costs little.
      const deadline = setTimeout(() => {
        const isUnsent = !session.isConnected
        end(new GrpcError(status.DEADLINE_EXCEEDED, 'Deadline exceeded', { isUnsent }))
        // Whoever comes next should not wait for the same attempt.
        if (isUnsent) session.http2.destroy()
      }, timeoutMs)
      stream.on('data', (piece: Buffer) => {
        try {
          for (const whole of reader.push(piece)) {
            if (answer !== null) throw new Error('more than one message')
            answer = whole
          }
        } catch (cause) {
          end(new GrpcError(status.INTERNAL, (cause as Error).message))
        }
      })
      stream.end(frameOf(message))
    })
  }

  /** Opens a stream, which is read as fast as its reader takes messages. */
  stream<T>(
    method: string,
    decode: (message: Buffer) => T,
    headers: OutgoingHttpHeaders = {},
  ): MessageStream<T> {
    const { stream, session } = this.#open(method, headers)
    const reader = new FrameReader()
    const messages = new Readable({
      objectMode: true,
      read: () => stream.resume(),
      destroy(error, done) {
        if (!stream.closed) stream.close(constants.NGHTTP2_CANCEL)
        done(error)
      },
    })
    const end = endOf(stream, session, (error) => {
      if (error) messages.destroy(error)
      else messages.push(null)
    })
    stream.on('data', (piece: Buffer) => {
      if (messages.destroyed) return
      try {
        for (const whole of reader.push(piece)) if (!messages.push(decode(whole))) stream.pause()
      } catch (cause) {
        end(new GrpcError(status.INTERNAL, (cause as Error).message))
      }
    })
    const ways = {
      send: (message: Buffer) => void stream.write(frameOf(message)),
      done: () => void stream.end(),
      cancel: () => void messages.destroy(),
    }
    return Object.assign(messages, ways) as unknown as MessageStream<T>
  }

  /** Ends the connection and every call on it. */
  close(): void {
    this.#closed = true
    this.#session?.http2.destroy()
  }

  #open(
    method: string,
    more: OutgoingHttpHeaders,
  ): { readonly stream: ClientHttp2Stream; readonly session: Session } {
    const headers = { ...HEADERS, ...more, [constants.HTTP2_HEADER_PATH]: method }
    if (this.#session?.http2.closed || this.#session?.http2.destroyed) this.#session = null
    try {
      if (this.#closed) throw new Error('it was closed here')
      const session = (this.#session ??= this.#connect())
      const stream = session.http2.request(headers)
      session.streams++
      stream.once('close', () => session.streams--)
      return { stream, session }
    } catch (error) {
      // The next call gets a connection of its own.
      this.#session = null
      throw new GrpcError(status.UNAVAILABLE, textOf(error as Error), { isUnsent: true })
    }
  }

  #connect(): Session {
    const { ca, cert, key } = this.#identity
    const options: SecureClientSessionOptions = {
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
      ...(ca ? { ca } : {}),
      ...(cert ? { cert } : {}),
      ...(key ? { key } : {}),
    }
    const http2 = connect(this.#url, options)
    const session: Session = { http2, isConnected: false, error: null, streams: 0 }
    http2.once('connect', () => {
      session.isConnected = true
      // It may have been closed while this was on its way.
      if (!http2.destroyed) http2.setLocalWindowSize(WINDOW_BYTES)
    })
    const ping = setInterval(() => {
      // Pings without a call are taken for an attack.
      if (!session.isConnected || session.streams === 0 || http2.destroyed) return
      const patience = setTimeout(
        () => http2.destroy(new Error('pings are not answered')),
        PING_PATIENCE_MS,
      )
      if (!http2.ping(() => clearTimeout(patience))) clearTimeout(patience)
    }, PING_MS).unref()
    const forget = () => {
      if (this.#session === session) this.#session = null
    }
    // What is under way hears of it from its own stream.
    http2.on('error', (error) => {
      session.error ??= error
      forget()
    })
    http2.on('goaway', forget)
    http2.on('close', () => {
      clearInterval(ping)
      forget()
    })
    return session
  }
}

/**
 * Tells once how a stream ended: null when its trailers, or headers alone, say that all is well. Gives what ends it
 * from this side.
 */
function endOf(
  stream: ClientHttp2Stream,
  session: Session,
  told: (error: GrpcError | null) => void,
): (error: GrpcError) => void {
  let isOver = false
  let result: GrpcError | null | undefined
  const tell = (error: GrpcError | null) => {
    if (isOver) return
    isOver = true
    if (error !== null && !stream.closed) stream.close(constants.NGHTTP2_CANCEL)
    told(error)
  }
  const broken = (error: Error | null) =>
    session.isConnected
      ? new GrpcError(status.UNAVAILABLE, textOf(error) || 'the connection ended')
      : new GrpcError(status.UNAVAILABLE, textOf(session.error ?? error) || 'no connection', {
          isUnsent: true,
        })
  const read = (headers: IncomingHttpHeaders) => {
    const code = headers['grpc-status']
    if (code === undefined) return
    result = code === '0' ? null : new GrpcError(Number(code), detailsOf(headers))
  }
  stream.on('response', (headers) => {
    const answered = Number(headers[constants.HTTP2_HEADER_STATUS])
    const type = String(headers[constants.HTTP2_HEADER_CONTENT_TYPE])
    if (answered === 200 && type.startsWith('application/grpc')) read(headers)
    else tell(new GrpcError(status.UNKNOWN, `an answer ${answered} of type ${type}`))
  })
  stream.on('trailers', read)
  stream.on('error', (error) => tell(broken(error)))
  stream.on('end', () => {
    if (result !== undefined) tell(result)
  })
  stream.on('close', () => tell(result === undefined ? broken(null) : result))
  return tell
}

/** The text of a status, percent-encoded as gRPC has it. */
function detailsOf(headers: IncomingHttpHeaders): string {
  const text = String(headers['grpc-message'] ?? '')
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** What an error says; of several addresses that were tried, what the last attempt met. */
function textOf(failure: Error | null): string {
  // A stream that waited for a connection says only behind itself why there is none.
  const error = failure?.cause instanceof Error ? failure.cause : failure
  if (error instanceof AggregateError) {
    const last: unknown = error.errors.at(-1)
    if (last instanceof Error) return last.message
  }
  return error?.message ?? ''
}
