/** Tunnels through HTTP proxies (RFC 9110, section 9.3.6). */
import { connect as connectTcp, type NetConnectOpts } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'
import type { Clock } from '../base/clock.ts'
import { transportProblem } from './transport-problem.ts'

/** A tunnel to be opened. */
export interface TunnelOptions {
  /** Connects to the proxy. Rejects with an error of the platform; an aborted signal ends it. */
  readonly connect: (signal: AbortSignal) => Promise<Duplex>
  /** Host of the proxy, for errors. */
  readonly proxyHost: string
  /** Host and port that the proxy is to connect to. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly clock: Clock
  readonly timeoutMs: number
}

/** Why there is no tunnel, without any header of the request. */
export class TunnelFailure extends Error {
  /** Whether the proxy could not be reached, or did not connect. */
  readonly stage: 'connect' | 'proxy'
  /** Status of the response; 0 without one. */
  readonly status: number

  constructor(stage: 'connect' | 'proxy', why: string, status = 0) {
    super(why)
    this.stage = stage
    this.status = status
  }
}

/** Most bytes of the head of a response. */
const MAX_HEAD = 16 << 10
/** Most characters of its reason that are shown. */
const MAX_REASON = 200

/** The connection to the target. Rejects with a TunnelFailure. */
export async function openTunnel(options: TunnelOptions): Promise<Duplex> {
  const { connect, target, headers, clock, timeoutMs, proxyHost } = options
  const late = new AbortController()
  const cancel = clock.after(timeoutMs, () => late.abort(new Error('no answer came in time')))
  let stage: 'connect' | 'proxy' = 'connect'
  try {
    const socket = await connect(late.signal)
    stage = 'proxy'
    await ask(socket, headOf(target, headers), late.signal)
    return socket
  } catch (error) {
    if (error instanceof TunnelFailure) throw error
    const isLate = late.signal.aborted && error === late.signal.reason
    const why = isLate ? (error as Error).message : transportProblem(error, proxyHost)
    throw new TunnelFailure(stage, why)
  } finally {
    cancel()
  }
}

/** The header with the credentials of a URL; nothing when it has none. */
export function proxyCredentials({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '' && password === '') return {}
  const pair = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)
  return { 'proxy-authorization': `Basic ${pair.toString('base64')}` }
}

/** A connection that is there, over TLS where it has options. Rejects with an error of the platform. */
export function openConnection(
  to: NetConnectOpts | Duplex,
  tls: ConnectionOptions | null,
  signal: AbortSignal,
): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const plain = 'write' in to ? to : connectTcp(to)
    const socket = tls ? connectTls({ ...tls, socket: plain }) : plain
    const abort = () => plain.destroy(signal.reason as Error)
    const fail = (error: Error) => {
      over()
      plain.destroy()
      reject(error)
    }
    const closed = () => fail(reset())
    const over = () => {
      signal.removeEventListener('abort', abort)
      for (const one of [plain, socket]) one.off('error', fail).off('close', closed)
    }
    const ready = () => {
      over()
      // What is around it closes with it.
      if (tls) plain.on('error', () => {})
      resolve(socket)
    }
    signal.addEventListener('abort', abort, { once: true })
    for (const one of new Set([plain, socket])) one.on('error', fail).on('close', closed)
    if (tls) socket.once('secureConnect', ready)
    else if (plain === to) ready()
    else socket.once('connect', ready)
  })
}

const reset = () => Object.assign(new Error('closed'), { code: 'ECONNRESET' })

function headOf(target: string, headers: Readonly<Record<string, string>>): string {
  const lines = [`CONNECT ${target} HTTP/1.1`, `host: ${target}`]
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  // A name with a line break would be another header.
  if (lines.some((line) => /[^\x21-\x7e ]/.test(line)) || target.includes(' '))
    throw new TunnelFailure('proxy', 'invalid characters in the address')
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Sends the head of a request, and waits for a response that says that the tunnel is open. */
function ask(socket: Duplex, head: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let rest: Buffer = Buffer.alloc(0)
    const over = () => {
      signal.removeEventListener('abort', abort)
      socket.off('readable', read).off('error', fail).off('close', closed).off('end', closed)
    }
    const fail = (error: Error) => {
      over()
      // It may still fail.
      socket.on('error', () => {})
      socket.destroy()
      reject(error)
    }
    const closed = () => fail(reset())
    const abort = () => fail(signal.reason as Error)
    const read = () => {
      for (;;) {
        const piece = socket.read() as Buffer | null
        if (piece === null) return
        rest = rest.length === 0 ? piece : Buffer.concat([rest, piece])
        try {
          const end = headEnd(rest)
          if (end === -1) continue
          over()
          // What is behind the head is of the target.
          if (end < rest.length) socket.unshift(rest.subarray(end))
          return resolve()
        } catch (error) {
          return fail(error as Error)
        }
      }
    }
    signal.addEventListener('abort', abort, { once: true })
    socket.on('readable', read).on('error', fail).on('close', closed).on('end', closed)
    if (signal.aborted) return abort()
    if (socket.destroyed) return closed()
    socket.write(head, 'latin1')
  })
}

/** Where a response that opens the tunnel ends; -1 when more bytes are needed. Throws TunnelFailure for any other. */
function headEnd(bytes: Buffer): number {
  for (let from = 0; ;) {
    const at = bytes.indexOf('\r\n\r\n', from)
    if (at > MAX_HEAD || (at === -1 && bytes.length > MAX_HEAD))
      throw new TunnelFailure('proxy', 'the head of the answer is too long')
    const begin = bytes.toString('latin1', from, from + 5)
    if (!'HTTP/'.startsWith(begin)) throw new TunnelFailure('proxy', 'malformed HTTP response')
    if (at === -1) return -1
    const line = bytes.toString('latin1', from, bytes.indexOf('\r\n', from))
    const [, code, reason = ''] = /^HTTP\/1\.[01] (\d{3})(?: (.*))?$/.exec(line) ?? []
    if (code === undefined) throw new TunnelFailure('proxy', 'malformed HTTP response')
    const status = Number(code)
    if (status === 200) return at + 4
    if (status >= 200 || status === 101) {
      const shown = reason.slice(0, MAX_REASON).replace(/[^ -~]/g, '?')
      throw new TunnelFailure('proxy', `${code} ${shown}`.trimEnd(), status)
    }
    // Others follow on these.
    from = at + 4
  }
}
