import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { ServerResponse, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { Http1Exchange, Http2Exchange, type Exchange } from './exchange.ts'

export interface ListenOptions {
  readonly bindAddress: string
  /** 0: any free port. */
  readonly port: number
  /** PEM. */
  readonly cert: string
  readonly key: string
  /** Authorities of client certificates, PEM. */
  readonly clientCa: string
  readonly onExchange: (exchange: Exchange) => void
}

export interface Listener {
  readonly port: number
  /** Changes the authorities that new connections are told of, PEM. */
  setClientCa(pem: string): void
  /** Takes no new connections and ends idle ones; resolves when all are gone or after `graceMs`. */
  close(graceMs: number): Promise<void>
}

// Large enough for long selectors and tokens, small enough that nobody fills memory with headers.
const MAX_HEADER_BYTES = 64 << 10
const HEADERS_TIMEOUT_MS = 32_000
const KEEP_ALIVE_MS = 90_000
const MAX_STREAMS = 250

/** Serves HTTP/1.1 and HTTP/2 over TLS on one port. Rejects when the address cannot be had. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const server = createSecureServer({
    allowHTTP1: true,
    cert: options.cert,
    key: options.key,
    ca: options.clientCa,
    // Asked for, not required: who may do what without one is decided later.
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    maxHeaderSize: MAX_HEADER_BYTES,
    settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: MAX_HEADER_BYTES },
    maxSessionMemory: 64,
  } as Parameters<typeof createSecureServer>[0])
  const sockets = new Set<Socket>()
  const sessions = new Set<ServerHttp2Session>()
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    options.onExchange(new Http1Exchange(request, response))
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Whoever does not know what to do with the connection answers as usual, and the connection ends.
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket as Socket)
    response.once('finish', () => socket.end())
    options.onExchange(new Http1Exchange(request, response, { socket, head }))
  })
  // Listening to `request` made Node wrap every HTTP/2 stream in the costly compatible form; the streams
  // are taken as they are instead.
  server.removeAllListeners('stream')
  server.on('stream', (stream, headers, ...rest: unknown[]) => {
    stream.on('error', () => {})
    options.onExchange(new Http2Exchange(stream, headers, rest[1] as string[]))
  })
  server.on('secureConnection', (socket: Socket) => {
    socket.setNoDelay(true)
    shareProtocols(server, socket)
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => {})
  })
  server.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
    session.on('error', () => {})
  })
  Object.assign(server, {
    headersTimeout: HEADERS_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // HTTP/1.1 takes it from here only.
    maxHeaderSize: MAX_HEADER_BYTES,
    // A body may take its time as long as the request's own deadline allows.
    requestTimeout: 0,
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.bindAddress, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const { port } = server.address() as AddressInfo
  const { cert, key } = options
  return {
    port,
    setClientCa: (ca) => server.setSecureContext({ cert, key, ca, minVersion: 'TLSv1.2' }),
    close: (graceMs) => closeServer(server, sockets, sessions, graceMs),
  }
}

/**
 * Node keeps for each connection a copy of the names of protocols, a few bytes that keep the whole piece of memory that
 * they were cut from: kilobytes for each idle watch. The names that the server has say the same.
 */
function shareProtocols(server: Http2SecureServer, socket: Socket): void {
  const { ALPNProtocols: shared } = server as WithProtocols
  const { _tlsOptions: own } = socket as Socket & { readonly _tlsOptions?: WithProtocols }
  if (shared !== undefined && own?.ALPNProtocols !== undefined) own.ALPNProtocols = shared
}

interface WithProtocols {
  ALPNProtocols?: unknown
}

async function closeServer(
  server: Http2SecureServer,
  sockets: ReadonlySet<Socket>,
  sessions: ReadonlySet<ServerHttp2Session>,
  graceMs: number,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => {
      for (const socket of sockets) socket.destroy()
    }, graceMs)
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
    for (const session of sessions) session.close()
    // Idle HTTP/1.1 connections end now; busy ones after their answer.
    const http1 = server as unknown as { closeIdleConnections?: () => void }
    http1.closeIdleConnections?.()
  })
}
