/** Stands between a server and its etcd, and holds back what etcd tells of changes. */
import { once } from 'node:events'
import { connect, constants, createServer, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Transform } from 'node:stream'

/** An address of the etcd at which changes are heard of late. */
export interface LateWatch {
  readonly url: string
  close(): Promise<void>
}

const WATCH = '/etcdserverpb.Watch/Watch'

/**
 * Passes calls on to an etcd without TLS; what comes back of watches comes `lateMs` after everything else. So
 * a server that answers from what it has heard so far is seen to do so.
 */
export async function startLateWatch(etcd: string, lateMs: number): Promise<LateWatch> {
  const far = connect(etcd)
  far.on('error', () => {})
  const sessions = new Set<ServerHttp2Session>()
  const server = createServer()
  server.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
    session.on('error', () => {})
  })
  server.on('stream', (near, headers) => {
    const call = far.request(headers)
    let trailers = {}
    near.on('error', () => {})
    call.on('error', () => near.close(constants.NGHTTP2_INTERNAL_ERROR))
    near.on('close', () => call.close(near.rstCode))
    call.on('trailers', (sent) => (trailers = sent))
    near.on('wantTrailers', () => near.sendTrailers(trailers))
    call.on('response', (answer, flags) => {
      if (near.destroyed) return
      const endStream = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0
      near.respond(answer, { endStream, waitForTrailers: !endStream })
      if (endStream) return
      if (headers[':path'] === WATCH) call.pipe(late(lateMs)).pipe(near)
      else call.pipe(near)
    })
    near.pipe(call)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const session of sessions) session.destroy()
      far.destroy()
      await closed
    },
  }
}

/** Everything comes out in order, `lateMs` after it came in. */
const late = (lateMs: number): Transform =>
  new Transform({
    readableHighWaterMark: 1 << 20,
    transform(chunk, _, done) {
      setTimeout(() => this.push(chunk), lateMs)
      done()
    },
    flush(done) {
      setTimeout(done, lateMs)
    },
  })
