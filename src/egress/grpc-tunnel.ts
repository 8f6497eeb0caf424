/** Connections through a proxy that speaks konnectivity's protocol over gRPC: one call, and one connection, for each. */
import { Duplex } from 'node:stream'
import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import { FrameReader, frameOf } from '../engine/etcd/grpc/frames.ts'
import { detailsOf } from '../engine/etcd/grpc/status.ts'
import { Http2Connection } from '../engine/etcd/http2/connection.ts'
import type { Stream, StreamError } from '../engine/etcd/http2/stream.ts'
import { encodeHeaders, type Headers } from '../http2/hpack.ts'
import { transportProblem } from '../outgoing/transport-problem.ts'
import { TunnelFailure } from '../outgoing/tunnel.ts'
import { decodePacket, encodePacket, type Answer, type Question } from './packets.ts'
import type { Proxy } from './proxy-place.ts'

/** What tunnels need. */
export interface GrpcTunnelParts {
  readonly clock: Clock
  readonly ids: Pick<Ids, 'fraction'>
  /** Until the connection to the target must be there. */
  readonly timeoutMs: number
}

const CALL = encodeHeaders([
  [':method', 'POST'],
  [':scheme', 'http'],
  [':path', '/ProxyService/Proxy'],
  [':authority', 'localhost'],
  ['content-type', 'application/grpc'],
  ['te', 'trailers'],
])
/** The URL is not connected to: the proxy is. */
const NOWHERE = new URL('http://localhost')
/** Most bytes of a message; what gRPC takes by default, and its prefix. */
const MAX_MESSAGE = (4 << 20) + 5
/** Most bytes of one packet of data. */
const MAX_DATA = 32 << 10
/** Most characters of an error of the proxy that are shown. */
const MAX_ERROR = 300
/** How long the proxy may take to confirm the end. */
const CLOSE_MS = 10_000
/** Random numbers of dials are below this: the proxy tells them apart by these. */
const RANDOM = 2 ** 48

/** Opens connections to `host:port` through a proxy. They fail with a TunnelFailure. */
export const grpcTunnel =
  (proxy: Proxy, parts: GrpcTunnelParts) =>
  (target: string): Promise<Duplex> =>
    new Promise((resolve, reject) => {
      const tunnel: GrpcTunnel = new GrpcTunnel(proxy, target, parts, (failure) => {
        if (failure) reject(failure)
        else resolve(tunnel)
      })
    })

/** One connection. It has no half-closed state: the end of either side is that of both. */
class GrpcTunnel extends Duplex {
  readonly #parts: GrpcTunnelParts
  readonly #random: number
  readonly #limit = new AbortController()
  readonly #http2: Http2Connection
  readonly #reader = new FrameReader(MAX_MESSAGE)
  #stream: Stream | null = null
  /** Told once whether there is a connection. */
  #settled: ((failure: TunnelFailure | null) => void) | null
  #cancelLimit: () => void
  #connection: number | null = null
  #isClosed = false
  /** Calls for the next piece to send. */
  #sent: (() => void) | null = null
  /** Why the call ended, as its trailers say. */
  #status = ''

  constructor(
    proxy: Proxy,
    target: string,
    parts: GrpcTunnelParts,
    settled: (failure: TunnelFailure | null) => void,
  ) {
    super({ allowHalfOpen: false })
    this.#parts = parts
    this.#settled = settled
    this.#random = 1 + Math.floor(parts.ids.fraction() * (RANDOM - 1))
    const { clock, timeoutMs } = parts
    this.#cancelLimit = clock.after(timeoutMs, () => this.#late())
    this.#http2 = new Http2Connection(
      NOWHERE,
      { dial: () => proxy.connect(this.#limit.signal) },
      {
        ready: () => this.#begin(target),
        heard: () => {},
        ended: () => {},
        closed: (error) => this.#over(error ? transportProblem(error, proxy.host) : 'EOF'),
      },
    )
  }

  #late(): void {
    if (this.#connection === null && this.#stream)
      this.#send({ is: 'give up', random: this.#random })
    this.#over('no answer came in time')
  }

  #begin(target: string): void {
    this.#stream = this.#http2.request(CALL, {
      headers: (headers) => this.#head(headers),
      data: (piece) => this.#take(piece),
      drained: () => this.#drained(),
      end: (error) => this.#ended(error),
    })
    this.#send({ is: 'dial', address: target, random: this.#random })
  }

  #head(headers: Headers): void {
    const status = headers.get(':status')
    if (status !== undefined && status !== '200') this.#status = `HTTP status ${shown(status)}`
    const code = headers.get('grpc-status')
    if (code === undefined || code === '0') return
    this.#status = `gRPC status ${shown(code)}: ${shown(detailsOf(headers))}`
  }

  #take(piece: Buffer): void {
    try {
      for (const message of this.#reader.push(piece)) this.#packet(decodePacket(message))
    } catch {
      this.#over('malformed message')
    }
  }

  #packet(packet: Answer): void {
    switch (packet.is) {
      case 'dialled':
        return this.#dialled(packet)
      case 'data':
        if (packet.connection !== this.#connection) return
        if (this.destroyed) return
        if (packet.error !== '') this.#over(shown(packet.error))
        else if (packet.data.length > 0 && !this.push(packet.data)) this.#stream?.pause()
        return
      case 'closed':
        if (packet.connection === this.#connection) this.#finished()
        return
      case 'given up':
        return this.#over('the dial was closed')
      case 'other':
    }
  }

  #dialled({ random, connection, error }: Answer & { readonly is: 'dialled' }): void {
    if (random !== this.#random || this.#connection !== null) return
    if (error !== '') return this.#over(shown(error))
    this.#connection = connection
    this.#settle(null)
  }

  #settle(failure: TunnelFailure | null): void {
    this.#cancelLimit()
    this.#settled?.(failure)
    this.#settled = null
  }

  /** The target has closed the connection. */
  #finished(): void {
    if (this.destroyed) return this.#leave()
    this.#isClosed = true
    this.push(null)
    // What is written now goes nowhere.
    this.#drained()
    this.#leave()
  }

  #ended(error: StreamError | null): void {
    this.#over(this.#status || (error?.message ?? 'EOF'))
  }

  /** There is no connection, or no more. */
  #over(why: string): void {
    if (this.#settled) this.#settle(new TunnelFailure(this.#stream ? 'proxy' : 'connect', why))
    if (this.#isClosed) return this.#leave()
    this.#isClosed = true
    this.#leave()
    this.destroy(this.#connection === null ? undefined : broken(why))
  }

  #leave(): void {
    this.#cancelLimit()
    this.#limit.abort(new Error('closed'))
    this.#http2.destroy()
  }

  #send(packet: Question): boolean {
    return this.#stream?.write(frameOf(encodePacket(packet))) ?? true
  }

  #drained(): void {
    const sent = this.#sent
    this.#sent = null
    sent?.()
  }

  override _read(): void {
    this.#stream?.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const connection = this.#connection
    if (connection === null || this.#isClosed) return done()
    let isSent = true
    for (let at = 0; at < chunk.length; at += MAX_DATA)
      isSent = this.#send({ is: 'data', connection, data: chunk.subarray(at, at + MAX_DATA) })
    if (isSent) done()
    else this.#sent = done
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#drained()
    if (!this.#isClosed && this.#connection !== null) {
      this.#isClosed = true
      this.#send({ is: 'close', connection: this.#connection })
      this.#stream?.finish()
      // The connection ends when the proxy has confirmed it.
      this.#cancelLimit = this.#parts.clock.after(CLOSE_MS, () => this.#leave())
    }
    done(error)
  }

  // What HTTP expects of a connection. The proxy is on this machine: nothing is to be set.
  setKeepAlive(): this {
    return this
  }
  setNoDelay(): this {
    return this
  }
  setTimeout(): this {
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
  destroySoon(): void {
    this.end(() => this.destroy())
  }
}

/** A broken connection, as the platform reports one. */
const broken = (why: string): Error =>
  Object.assign(new Error(`the egress proxy closed the connection: ${why}`), { code: 'ECONNRESET' })

const shown = (text: string): string =>
  text.slice(0, MAX_ERROR).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?')
