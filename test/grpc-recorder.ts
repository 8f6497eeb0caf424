/** Stands between a server and its etcd, and remembers the calls. */
import { once } from 'node:events'
import {
  connect,
  createServer,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { AddressInfo } from 'node:net'

/** A call as it came. */
export interface RecordedCall {
  readonly method: string
  readonly traceparent: string | undefined
}

/** Forwards gRPC without TLS to an address. */
export async function recordCalls(url: string) {
  const calls: RecordedCall[] = []
  const upstream = connect(url)
  upstream.on('error', () => {})
  const server = createServer()
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', (session) => sessions.add(session))
  server.on('stream', (stream, headers) => {
    const traceparent = headers.traceparent as string | undefined
    calls.push({ method: headers[':path']!, traceparent })
    forward(stream, upstream.request(headers))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    async close() {
      upstream.destroy()
      for (const session of sessions) session.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function forward(from: ServerHttp2Stream, to: ClientHttp2Stream): void {
  let trailers: IncomingHttpHeaders = {}
  to.on('response', (headers) => from.respond(headers, { waitForTrailers: true }))
  to.on('trailers', (headers: IncomingHttpHeaders) => (trailers = headers))
  from.on('wantTrailers', () => from.sendTrailers(trailers))
  to.on('error', () => from.destroy())
  from.on('error', () => to.destroy())
  from.on('close', () => to.destroy())
  from.pipe(to)
  to.pipe(from)
}
