/** Connections as lanes: each takes one request at a time. */
import { connect as connectHttp2, constants, type ClientHttp2Session } from 'node:http2'
import {
  connect as connectTls,
  createSecureContext,
  type SecureContext,
  type TLSSocket,
} from 'node:tls'
import { AnswerParser } from './answer-parser.ts'
import type { Protocol, Target } from './job.ts'
import type { Answer, PlannedRequest } from './requests.ts'

export interface Lane {
  /** Called with each answer. */
  onAnswer: (answer: Answer) => void
  send(request: PlannedRequest): void
}

export interface Lanes {
  readonly lanes: readonly Lane[]
  close(): void
}

export interface LanesOptions {
  readonly target: Target
  readonly protocol: Protocol
  readonly connections: number
  readonly streams: number
  /** Called when a connection breaks. */
  readonly onError: (error: Error) => void
}

// A page's continue token stands at the front.
const HEAD_BYTES = 1024
const H2_WINDOW_BYTES = 1 << 20
// Handshakes at once while opening: more only wait for each other.
const OPENING = 16

/** Opens all connections, handshakes done. Rejects when one cannot be had. */
export async function openLanes(options: LanesOptions): Promise<Lanes> {
  if (options.protocol === 'h1') {
    const sockets = await openSockets(options)
    return {
      lanes: sockets.map((socket) => new Http1Lane(socket, options.onError, options.target.token)),
      close: () => sockets.forEach((socket) => socket.destroy()),
    }
  }
  const sessions = await openSessions(options)
  return {
    lanes: sessions.flatMap((session) =>
      Array.from(
        { length: options.streams },
        () => new Http2Lane(session, options.onError, options.target.token),
      ),
    ),
    close: () => sessions.forEach((session) => session.destroy()),
  }
}

/** TLS connections that speak HTTP/1.1; each is used as soon as it is open, since servers end those that say nothing. */
export async function openSockets(
  options: LanesOptions,
  use: (socket: TLSSocket) => void = () => {},
): Promise<TLSSocket[]> {
  const secureContext = createSecureContext(identity(options.target))
  return inTurns(options.connections, async () => {
    const socket = await openSocket(options, secureContext, 'http/1.1')
    use(socket)
    return socket
  })
}

/** TLS connections that speak HTTP/2. */
export async function openSessions(options: LanesOptions): Promise<ClientHttp2Session[]> {
  const secureContext = createSecureContext(identity(options.target))
  return inTurns(options.connections, async () => {
    const socket = await openSocket(options, secureContext, 'h2')
    const session = connectHttp2('https://localhost', {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: H2_WINDOW_BYTES },
    })
    session.on('error', options.onError)
    session.setLocalWindowSize(H2_WINDOW_BYTES * 16)
    return session
  })
}

const identity = ({ ca, cert, key }: Target) => ({
  ca,
  ...(cert === undefined || key === undefined ? {} : { cert, key }),
})

function openSocket(
  options: LanesOptions,
  secureContext: SecureContext,
  alpn: string,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      host: '127.0.0.1',
      servername: 'localhost',
      port: options.target.port,
      secureContext,
      ALPNProtocols: [alpn],
    })
    socket.setNoDelay(true)
    socket.once('error', reject)
    socket.once('secureConnect', () => {
      socket.off('error', reject)
      socket.on('error', options.onError)
      resolve(socket)
    })
  })
}

async function inTurns<T>(count: number, open: () => Promise<T>): Promise<T[]> {
  const opened: T[] = []
  let begun = 0
  const turn = async () => {
    while (begun < count) {
      begun++
      opened.push(await open())
    }
  }
  await Promise.all(Array.from({ length: OPENING }, turn))
  return opened
}

const nobody = () => {}

class Http1Lane implements Lane {
  onAnswer: (answer: Answer) => void = nobody
  readonly #socket: TLSSocket
  readonly #token: string | undefined
  #head: Buffer | null = null
  #bytes = 0

  constructor(socket: TLSSocket, onError: (error: Error) => void, token?: string) {
    this.#socket = socket
    this.#token = token
    const parser = new AnswerParser({
      onBody: (piece) => {
        if (this.#bytes < HEAD_BYTES) {
          this.#head = this.#head === null ? piece : Buffer.concat([this.#head, piece])
        }
        this.#bytes += piece.length
      },
      onEnd: (status) => {
        const head = this.#head === null ? '' : this.#head.toString('latin1', 0, HEAD_BYTES)
        const answer = { status, bodyBytes: this.#bytes, head }
        this.#head = null
        this.#bytes = 0
        this.onAnswer(answer)
      },
    })
    socket.on('data', (data: Buffer) => {
      try {
        parser.push(data)
      } catch (error) {
        onError(error as Error)
      }
    })
    socket.once('close', () => onError(new Error('the server closed a connection')))
  }

  send(request: PlannedRequest): void {
    this.#socket.write(request.wireFor(this.#token))
  }
}

class Http2Lane implements Lane {
  onAnswer: (answer: Answer) => void = nobody
  readonly #session: ClientHttp2Session
  readonly #onError: (error: Error) => void
  readonly #shown: { readonly authorization?: string }

  constructor(session: ClientHttp2Session, onError: (error: Error) => void, token?: string) {
    this.#session = session
    this.#onError = onError
    this.#shown = token === undefined ? {} : { authorization: `Bearer ${token}` }
  }

  send(request: PlannedRequest): void {
    const { body } = request
    const stream = this.#session.request(
      {
        [constants.HTTP2_HEADER_METHOD]: request.method,
        [constants.HTTP2_HEADER_PATH]: request.path,
        accept: request.accept,
        'user-agent': 'bench',
        ...this.#shown,
        ...(body === null
          ? {}
          : { 'content-type': request.contentType, 'content-length': body.length }),
      },
      { endStream: body === null },
    )
    let status = 0
    let bytes = 0
    let head = ''
    stream.on('response', (headers) => (status = Number(headers[constants.HTTP2_HEADER_STATUS])))
    stream.on('data', (piece: Buffer) => {
      if (bytes < HEAD_BYTES) head += piece.toString('latin1', 0, HEAD_BYTES)
      bytes += piece.length
    })
    stream.on('end', () => this.onAnswer({ status, bodyBytes: bytes, head }))
    stream.on('error', this.#onError)
    if (body !== null) stream.end(body)
  }
}
