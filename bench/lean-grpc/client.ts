/** What of gRPC a store in etcd needs, over Node's HTTP/2: calls with a deadline and one kind of stream. */
import { status, type ServiceError } from '@grpc/grpc-js'
import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2'
import { frameOf, FrameReader } from './frames.ts'

const WINDOW_BYTES = 16 << 20
const STREAM_WINDOW_BYTES = 4 << 20
const PING_MS = 10_000
const PING_PATIENCE_MS = 5_000

const HEADERS: OutgoingHttpHeaders = {
  [constants.HTTP2_HEADER_METHOD]: 'POST',
  [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
  [constants.HTTP2_HEADER_TE]: 'trailers',
  [constants.HTTP2_HEADER_USER_AGENT]: 'lean',
}

/** A stream of messages both ways. */
export interface LeanStream<T> {
  on(event: 'data', listener: (message: T) => void): void
  on(event: 'error', listener: (error: ServiceError) => void): void
  on(event: 'end', listener: () => void): void
  write(message: Buffer): void
  cancel(): void
}

/** One connection to one server, opened again when it broke. */
export class LeanClient {
  readonly #url: string
  #session: ClientHttp2Session | null = null

  constructor(url: string) {
    this.#url = url
  }

  /** Asks and gets the decoded answer. Rejects with what a gRPC client says. */
  call<T>(
    method: string,
    message: Buffer,
    decode: (answer: Buffer) => T,
    timeoutMs: number,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const stream = this.#open(method, { 'grpc-timeout': `${Math.ceil(timeoutMs)}m` })
      const reader = new FrameReader()
      let answer: Buffer | null = null
      // Timers of one length are one list, so this costs little.
      const deadline = setTimeout(() => {
        fail(serviceError(status.DEADLINE_EXCEEDED, 'Deadline exceeded'))
      }, timeoutMs)
      const fail = (error: Error) => {
        clearTimeout(deadline)
        if (!stream.closed) stream.close(constants.NGHTTP2_CANCEL)
        reject(error)
      }
      const ending = endOf(stream, (error) => {
        if (error !== null) return fail(error)
        clearTimeout(deadline)
        if (answer === null || reader.halfway)
          return fail(serviceError(status.INTERNAL, 'an answer without its message'))
        try {
          resolve(decode(answer))
        } catch (cause) {
          fail(cause as Error)
        }
      })
      stream.on('data', (piece: Buffer) => {
        try {
          for (const whole of reader.push(piece)) {
            if (answer !== null) throw new Error('more than one message')
            answer = whole
          }
        } catch (cause) {
          ending(serviceError(status.INTERNAL, (cause as Error).message))
        }
      })
      stream.end(frameOf(message))
    })
  }

  /** Opens a stream. */
  stream<T>(
    method: string,
    decode: (message: Buffer) => T,
    headers: OutgoingHttpHeaders,
  ): LeanStream<T> {
    const stream = this.#open(method, headers)
    const reader = new FrameReader()
    let onData: (message: T) => void = () => {}
    let onError: (error: ServiceError) => void = () => {}
    let onEnd: () => void = () => {}
    const ending = endOf(stream, (error) => (error === null ? onEnd() : onError(error)))
    stream.on('data', (piece: Buffer) => {
      let messages: readonly T[]
      try {
        messages = reader.push(piece).map(decode)
      } catch (cause) {
        return ending(serviceError(status.INTERNAL, (cause as Error).message))
      }
      for (const message of messages) onData(message)
    })
    return {
      on(event: string, listener: (...args: never[]) => void) {
        if (event === 'data') onData = listener as typeof onData
        else if (event === 'error') onError = listener as typeof onError
        else onEnd = listener as typeof onEnd
      },
      write: (message) => void stream.write(frameOf(message)),
      cancel: () => stream.close(constants.NGHTTP2_CANCEL),
    }
  }

  /** Ends the connection and every call on it. */
  close(): void {
    this.#session?.destroy()
  }

  #open(method: string, more: OutgoingHttpHeaders): ClientHttp2Stream {
    this.#session ??= this.#connect()
    return this.#session.request({ ...HEADERS, ...more, [constants.HTTP2_HEADER_PATH]: method })
  }

  #connect(): ClientHttp2Session {
    const session = connect(this.#url, {
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
    })
    session.once('connect', () => session.setLocalWindowSize(WINDOW_BYTES))
    const ping = setInterval(() => {
      const patience = setTimeout(() => session.destroy(new Error('no answer')), PING_PATIENCE_MS)
      if (!session.ping(() => clearTimeout(patience))) clearTimeout(patience)
    }, PING_MS).unref()
    const forget = () => {
      clearInterval(ping)
      if (this.#session === session) this.#session = null
    }
    // What is under way hears of it from its own stream.
    session.on('error', forget)
    session.on('goaway', forget)
    session.on('close', forget)
    return session
  }
}

/**
 * Tells once how a stream ended: null when its trailers, or headers alone, say that all is well. Gives what ends it
 * from this side.
 */
function endOf(
  stream: ClientHttp2Stream,
  told: (error: ServiceError | null) => void,
): (error: ServiceError) => void {
  let over = false
  let result: ServiceError | null | undefined
  const tell = (error: ServiceError | null) => {
    if (over) return
    over = true
    if (error !== null && !stream.closed) stream.close(constants.NGHTTP2_CANCEL)
    told(error)
  }
  const read = (headers: IncomingHttpHeaders) => {
    const code = headers['grpc-status']
    if (code === undefined) return
    result =
      code === '0'
        ? null
        : serviceError(Number(code), decodeURIComponent(String(headers['grpc-message'] ?? '')))
  }
  stream.on('response', (headers) => {
    const answered = Number(headers[constants.HTTP2_HEADER_STATUS])
    const type = String(headers[constants.HTTP2_HEADER_CONTENT_TYPE])
    if (answered === 200 && type.startsWith('application/grpc')) read(headers)
    else tell(serviceError(status.UNKNOWN, `an answer ${answered} of type ${type}`))
  })
  stream.on('trailers', read)
  stream.on('error', (error) => tell(serviceError(status.UNAVAILABLE, error.message)))
  stream.on('end', () => {
    if (result !== undefined) tell(result)
  })
  stream.on('close', () => tell(result ?? serviceError(status.UNAVAILABLE, 'the connection ended')))
  return tell
}

function serviceError(code: number, details: string): ServiceError {
  return Object.assign(new Error(`${code} ${details}`), { code, details }) as ServiceError
}
