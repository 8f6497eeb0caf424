/** Servers that do nothing but the transport: what Node gives at best for the same bytes. */
import { constants, createSecureServer } from 'node:http2'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'

export interface Identity {
  /** PEM. */
  readonly cert: string
  readonly key: string
  /** Authority of client certificates, which are asked for as the product does. */
  readonly ca: string
}

export type BareMode =
  /** Answers every request with one body, over HTTP/1.1 and HTTP/2. */
  | {
      readonly is: 'http'
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
    }
  /** Answers every GET with so many bytes of TLS, in one chunk written again and again. */
  | { readonly is: 'bulk'; readonly bytes: number }
  /** Holds every GET; at each POST writes the frame to all that are held. */
  | { readonly is: 'fan-out'; readonly frame: string }

export interface BareServer {
  readonly port: number
  close(): Promise<void>
}

const CHUNK_BYTES = 256 << 10

/** Starts a bare server on a free port of the loopback. */
export async function startBare(identity: Identity, mode: BareMode): Promise<BareServer> {
  const sockets = new Set<TLSSocket>()
  const server =
    mode.is === 'http'
      ? httpServer(identity, mode)
      : mode.is === 'bulk'
        ? bulkServer(identity, mode)
        : fanOutServer(identity, mode)
  server.on('secureConnection', (socket: TLSSocket) => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

const tlsOptions = (identity: Identity) => ({
  ...identity,
  requestCert: true,
  rejectUnauthorized: false,
  minVersion: 'TLSv1.2' as const,
})

function httpServer(identity: Identity, mode: Extract<BareMode, { readonly is: 'http' }>) {
  const body = Buffer.from(mode.body)
  const headers = { ...mode.headers, 'content-length': String(body.length) }
  const flat = Object.entries(headers).flat()
  const answer = { [constants.HTTP2_HEADER_STATUS]: 200, ...headers }
  const server = createSecureServer({
    ...tlsOptions(identity),
    allowHTTP1: true,
    settings: { maxConcurrentStreams: 250 },
  })
  server.on('request', (_request: unknown, response: unknown) => {
    // With the stream listener removed below, only HTTP/1.1 comes here.
    const plain = response as ServerResponse
    plain.writeHead(200, flat)
    plain.end(body)
  })
  // Node's wrapping of streams for `request` costs, and is not needed for a limit.
  server.removeAllListeners('stream')
  server.on('stream', (stream) => {
    stream.on('error', () => {})
    stream.respond(answer)
    stream.end(body)
  })
  return server
}

function bulkServer(identity: Identity, { bytes }: Extract<BareMode, { readonly is: 'bulk' }>) {
  const chunk = Buffer.alloc(CHUNK_BYTES, 'v')
  const head = `HTTP/1.1 200 OK\r\nContent-Length: ${bytes}\r\n\r\n`
  return createServer({ ...tlsOptions(identity), ALPNProtocols: ['http/1.1'] }, (socket) => {
    let left = 0
    const pour = () => {
      while (left > 0) {
        const piece = left < chunk.length ? chunk.subarray(0, left) : chunk
        left -= piece.length
        if (!socket.write(piece)) return
      }
    }
    socket.on('drain', pour)
    // One small request at a time, so one piece of data is one request.
    socket.on('data', () => {
      socket.write(head)
      left = bytes
      pour()
    })
  })
}

const WATCH_HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
const WRITE_ANSWER = 'HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n'
const POST = 'P'.charCodeAt(0)

function fanOutServer(identity: Identity, mode: Extract<BareMode, { readonly is: 'fan-out' }>) {
  const size = Buffer.byteLength(mode.frame)
  const frame = Buffer.from(`${size.toString(16)}\r\n${mode.frame}\r\n`)
  const watchers = new Set<TLSSocket>()
  return createServer({ ...tlsOptions(identity), ALPNProtocols: ['http/1.1'] }, (socket) => {
    socket.once('close', () => watchers.delete(socket))
    socket.on('data', (data) => {
      if (data[0] !== POST) {
        watchers.add(socket)
        socket.write(WATCH_HEAD)
        return
      }
      for (const watcher of watchers) watcher.write(frame)
      socket.write(WRITE_ANSWER)
    })
  })
}
