import { createServer, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { ConnectionCertificates } from '../authn/connection-certificate.ts'
import { sendBeforeClose } from './close-idle.ts'
import type { Connections } from './connections.ts'
import type { Exchange } from './exchange.ts'
import { takeHttp1 } from './http1-requests.ts'
import { Lane, type LaneOptions } from './http1-lane/lane.ts'
import { ReadMemory } from './http1-lane/read-memory.ts'
import { Http2Sessions } from './http2-sessions.ts'
import { atOnce, ResponseBatch } from './response-batch.ts'
import type { Stages } from './stages.ts'
import { TlsContexts, type ServedTls } from './tls-contexts.ts'
import { DEFAULT_PARAMETERS, type TlsParameters } from './tls-parameters.ts'

export interface ListenOptions extends ServedTls {
  readonly bindAddress: string
  /** 0: any free port. */
  readonly port: number
  /** TLS 1.2 and newer by default. */
  readonly parameters?: TlsParameters
  /** Maximum concurrent streams of an HTTP/2 connection; a default of ours when absent. */
  readonly maxStreams?: number
  /** Lets other processes listen on the same port. */
  readonly sharesPort?: boolean
  readonly connections: Connections
  /** Parses client certificates. */
  readonly certificates: Pick<ConnectionCertificates, 'read'>
  readonly onExchange: (exchange: Exchange) => void
  /** Reports requests that are rejected here; null without subscribers. */
  readonly stages?: Stages | null
  /** Called when a handshake fails; optional. */
  readonly onHandshakeError?: () => void
  /** Called for unexpected errors; the connection has been closed. */
  readonly onFault: (error: unknown) => void
  readonly timeouts?: Partial<Timeouts>
  /** Whether responses over HTTP/1.1 are sent together at the end of an iteration of the event loop; true when absent. */
  readonly joinsResponses?: boolean
  /** Whether plain requests over HTTP/1.1 are read by the server itself, not by Node.js; true when absent. */
  readonly directHttp1?: boolean
  /** Whether connections with such requests, and those of HTTP/2, are read into memory that they share; true when absent. */
  readonly sharesReadMemory?: boolean
}

/** How long connections may be silent, milliseconds. */
export interface Timeouts {
  /** From the start of a request, or of a connection that has none, to the end of the head. */
  readonly headersMs: number
  /** Between requests. */
  readonly idleMs: number
}

export interface Listener {
  readonly port: number
  /** Changes certificates, or the authorities that clients are told of, for new connections. */
  setTls(change: Partial<ServedTls>): void
  /** Adds the names of authorities, which the first connection would wait for. */
  prepare(): void
  /** Stops accepting and ends idle connections; those in use end with their responses. */
  stopAccepting(): void
  /** The same; resolves when all connections are closed, after `graceMs` by force. */
  close(graceMs: number): Promise<void>
  /** Ends HTTP/1.1 connections between requests. */
  endIdle(): void
  /** Ends the connections that have nothing to send. */
  endSilent(): void
}

// Large enough for long selectors and tokens, small enough that headers cannot exhaust memory.
const MAX_HEADER_BYTES = 64 << 10
const HEADERS_MS = 32_000
const IDLE_MS = 90_000
/** Maximum interval of the checks for timeouts. */
const CHECK_MS = 5_000
/** Idle time before TCP keep-alive probes, milliseconds. */
const PROBE_AFTER_MS = 180_000

/** Serves HTTP/1.1 and HTTP/2 over TLS on one port. Rejects when the address is not available. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { connections, stages = null, onExchange, onFault } = options
  const { headersMs = HEADERS_MS, idleMs = IDLE_MS } = options.timeouts ?? {}
  const contexts = new TlsContexts(options, options.parameters ?? DEFAULT_PARAMETERS)
  const server = tlsServer(contexts, { headersMs, idleMs })
  const sessions = new Http2Sessions({
    onExchange,
    onFault,
    maxHeaderBytes: MAX_HEADER_BYTES,
    idleMs,
    stages,
    memory: sharesMemory(options) ? new ReadMemory() : null,
    ...(options.maxStreams === undefined ? {} : { maxStreams: options.maxStreams }),
  })
  const responses = options.joinsResponses === false ? atOnce : new ResponseBatch()
  takeHttp1(server, { onExchange, stages, responses })
  const current = new CurrentContext(server, contexts)
  admitFirst(server, connections, (socket) => current.prepare(socket))
  const otherwise = nodeTaker(server)
  const lane = laneOf(options, { onExchange, responses, otherwise, headersMs, idleMs })
  const sockets = takeSecured(server, options, {
    h2: (socket) => sessions.take(socket),
    http1: lane === null ? otherwise : (socket) => lane.take(socket),
  })
  sendBeforeClose(server, sockets, () => {
    responses.flush()
    lane?.closeIdle()
  })
  const { onHandshakeError } = options
  if (onHandshakeError) server.on('tlsClientError', onHandshakeError)
  await bound(server, options)
  const { port } = server.address() as AddressInfo
  const closing = once(() => {
    connections.close()
    return closeServer(server, sessions)
  })
  const end = (which: (socket: Socket) => boolean) => {
    for (const socket of sockets) if (which(socket)) socket.destroy()
  }
  return {
    port,
    setTls(change) {
      contexts.change(change)
      current.changed()
    },
    prepare: () => current.complete(),
    stopAccepting: () => void closing(),
    async close(graceMs) {
      const timer = setTimeout(() => end(() => true), graceMs)
      await closing()
      clearTimeout(timer)
    },
    endIdle: () => server.closeIdleConnections(),
    endSilent: () => end((socket) => socket.writableLength === 0),
  }
}

function once<T>(call: () => T): () => T {
  let result: { readonly value: T } | null = null
  return () => (result ??= { value: call() }).value
}

/** Who reads plain requests; null: Node.js. */
function laneOf(
  listenOptions: ListenOptions,
  options: Omit<LaneOptions, 'checkMs' | 'sharesMemory'>,
): Lane | null {
  if (listenOptions.directHttp1 === false) return null
  return new Lane({ ...options, checkMs: CHECK_MS, sharesMemory: sharesMemory(listenOptions) })
}

/** Nothing that Node.js does not document is used where it is to read all requests of HTTP/1.1. */
const sharesMemory = ({ directHttp1, sharesReadMemory }: ListenOptions): boolean =>
  directHttp1 !== false && sharesReadMemory !== false

/** A server without connections or handlers. */
function tlsServer(contexts: TlsContexts, { headersMs, idleMs }: Timeouts): Server {
  const server = createServer({
    ...contexts.nameless,
    ...(contexts.hasNames ? { SNICallback: contexts.select } : {}),
    // Requested, not required: authorization happens later.
    requestCert: true,
    rejectUnauthorized: false,
    ALPNProtocols: ['h2', 'http/1.1'],
    maxHeaderSize: MAX_HEADER_BYTES,
    // Rejected later, in the form that clients can read.
    requireHostHeader: false,
    headersTimeout: headersMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: Math.min(CHECK_MS, headersMs),
    keepAlive: true,
    keepAliveInitialDelay: PROBE_AFTER_MS,
    // The deadline of the request also bounds its body.
    requestTimeout: 0,
  })
  // Dropped headers would be ignored: their number is bounded by their size alone.
  server.maxHeadersCount = 0
  return server
}

/** Who takes connections after the handshake. */
type Takers = Readonly<Record<'h2' | 'http1', (socket: TLSSocket) => void>>

/** Removes the handler of Node.js, which would treat every connection as HTTP/1.1, and returns it. */
function nodeTaker(server: Server): (socket: TLSSocket) => void {
  const takers = server.listeners('secureConnection') as ((socket: TLSSocket) => void)[]
  server.removeAllListeners('secureConnection')
  return (socket) => {
    for (const take of takers) take.call(server, socket)
  }
}

/** Dispatches connections after the handshake to the negotiated protocol; returns the set of open ones. */
function takeSecured(
  server: Server,
  { certificates, connections }: ListenOptions,
  takers: Takers,
): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.on('secureConnection', (socket) => {
    socket.setNoDelay(true)
    certificates.read(socket)
    shareProtocols(server, socket)
    connections.secured(socket)
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    takers[socket.alpnProtocol === 'h2' ? 'h2' : 'http1'](socket)
  })
  return sockets
}

/** Resolves when the server listens. */
function bound(
  server: Server,
  { port, bindAddress, connections, sharesPort }: ListenOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    // Newer than the types of the oldest supported Node.js.
    const place = { port, host: bindAddress, ...(sharesPort === true ? { reusePort: true } : {}) }
    server.listen(place, () => {
      server.off('error', reject)
      // An error of accept: the next may succeed.
      server.on('error', (error: NodeJS.ErrnoException) => {
        connections.refusing(error.code ?? error.message)
      })
      resolve()
    })
  })
}

/**
 * The context that new connections get. It presents the certificate of the address that a client connects to, for clients
 * that ask for no name, and names the authorities of client certificates from the first connection on.
 */
class CurrentContext {
  readonly #server: Server
  readonly #contexts: TlsContexts
  /** Address whose context the server has; empty: none was needed. Null: the names of authorities are missing. */
  #address: string | null = null

  constructor(server: Server, contexts: TlsContexts) {
    this.#server = server
    this.#contexts = contexts
  }

  prepare({ localAddress = '' }: Socket): void {
    this.complete()
    if (!this.#contexts.hasAddresses) return
    const address = localAddress.replace(/^::ffff:(?=\d+\.)/, '')
    if (address === this.#address) return
    this.#address = address
    this.#server.setSecureContext(this.#contexts.standardAt(address))
  }

  /** Adds the names of authorities, if they are missing. */
  complete(): void {
    if (this.#address === null) this.changed()
  }

  /** What the contexts are made of has changed. */
  changed(): void {
    this.#server.setSecureContext(this.#contexts.standard)
    this.#address = ''
  }
}

/** Closes connections beyond the limits, before they cost more. */
function admitFirst(
  server: Server,
  connections: Connections,
  prepare: (socket: Socket) => void,
): void {
  const takers = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    if (!connections.admit(socket)) return void socket.destroy()
    prepare(socket)
    for (const take of takers) take.call(server, socket)
  })
}

/**
 * Node.js keeps a copy of the ALPN protocol names for each connection, a few bytes that retain the whole buffer that
 * they are a slice of: kilobytes for each idle watch. The list of the server has the same content.
 */
function shareProtocols(server: Server, socket: Socket): void {
  const { ALPNProtocols: shared } = server as Server & WithProtocols
  const { _tlsOptions: own } = socket as Socket & { readonly _tlsOptions?: WithProtocols }
  if (shared !== undefined && own?.ALPNProtocols !== undefined) own.ALPNProtocols = shared
}

interface WithProtocols {
  ALPNProtocols?: unknown
}

function closeServer(server: Server, sessions: Http2Sessions): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    sessions.close()
    // Idle HTTP/1.1 connections close now; busy ones after their response.
    server.closeIdleConnections()
  })
}
