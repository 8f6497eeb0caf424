/** A service that takes and gives JSON over HTTPS and wants certificates of its clients. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '../src/base/clock.ts'
import type { ClientConfig } from '../src/client/client-config.ts'
import { issue } from '../src/pki/issue.ts'
import type { Issued } from '../src/pki/subject.ts'

const HOUR_MS = 3_600_000

/** What the service does with a request; `hang` never answers. */
export type Reply =
  | 'reset'
  | 'close'
  | 'hang'
  | { readonly code?: number; readonly headers?: Record<string, string>; readonly body?: unknown }

/** A request as it came in. */
export interface Received {
  readonly line: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: unknown
  /** Common name of the client's certificate. */
  readonly client: string | undefined
  /** Counts connections from 1. */
  readonly connection: number
}

/** A running service. */
export interface RemoteService {
  /** With a path. */
  readonly url: string
  readonly ca: string
  /** For a client that the service lets in. */
  readonly config: ClientConfig
  readonly requests: Received[]
  /** What requests get, in turn; the last one stays. A function sees the request. */
  replies: (Reply | ((request: Received) => Reply | Promise<Reply>))[]
  /** A certificate that the service takes. */
  clientCertificate(commonName: string): Issued
  /** Calls back as soon as a request is there whole. */
  onRequest: () => void
  close(): Promise<void>
}

/** Starts a service on a port of its own. */
export async function remoteService(): Promise<RemoteService> {
  const times = { notBeforeMs: Date.now() - HOUR_MS, notAfterMs: Date.now() + HOUR_MS }
  const authority = issue({ ...times, subject: { commonName: 'authority' }, use: 'authority' })
  const own = issue({
    ...times,
    subject: { commonName: 'service' },
    use: 'server',
    hosts: ['127.0.0.1', 'service.example'],
    issuer: authority,
  })
  const clientCertificate = (commonName: string) =>
    issue({ ...times, subject: { commonName }, use: 'client', issuer: authority })

  const connections = new Map<Socket, number>()
  const server = createServer({
    ...own,
    ca: authority.cert,
    requestCert: true,
    rejectUnauthorized: true,
  })
  server.on('secureConnection', (socket) => connections.set(socket, connections.size + 1))
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const socket = request.socket as TLSSocket
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const received: Received = {
      line: `${request.method} ${request.url}`,
      headers: request.headers,
      body: text === '' ? undefined : JSON.parse(text),
      client: socket.getPeerCertificate().subject?.CN as string | undefined,
      connection: connections.get(socket)!,
    }
    service.requests.push(received)
    const [next] = service.replies.length > 1 ? service.replies.splice(0, 1) : service.replies
    const reply = typeof next === 'function' ? await next(received) : (next ?? {})
    service.onRequest()
    if (reply === 'hang') return
    if (reply === 'reset') return void raw(socket).resetAndDestroy()
    if (reply === 'close') return void raw(socket).destroy()
    const { code = 200, headers = {}, body } = reply
    response.writeHead(code, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body ?? {}))
  }
  server.on('request', (request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { cert, key } = clientCertificate('caller')
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/review`
  const service: RemoteService = {
    url,
    ca: authority.cert,
    config: { server: url, ca: authority.cert, cert, key },
    requests: [],
    replies: [],
    clientCertificate,
    onRequest: () => {},
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return service
}

/** The TCP connection below one of TLS, which alone can be reset. */
const raw = (socket: TLSSocket): Socket =>
  (socket as unknown as { _parent?: Socket })._parent ?? socket

/** A clock on which delays pass at once; those of half a minute and more, limits, never do. */
export function hurriedClock(delays: number[], now = { ms: Date.parse('2024-01-02T03:04:05Z') }) {
  const clock: Clock = {
    now: () => now.ms,
    after(ms, call) {
      if (ms >= 30_000) return () => {}
      delays.push(ms)
      const immediate = setImmediate(call)
      return () => clearImmediate(immediate)
    },
  }
  return clock
}
