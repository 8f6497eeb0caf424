/** Proxies a request to another server, byte by byte in both directions. */
import type { Agent, IncomingMessage, RequestOptions } from 'node:http'
import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Dial } from '../base/dial.ts'
import { SERVER_TRUST } from '../base/server-trust.ts'
import { plainAgentThrough, secureAgentThrough } from '../outgoing/dial-agent.ts'
import {
  StaleConnection,
  beginExchange,
  beginStream,
  beginUpgrade,
} from '../outgoing/http-exchange.ts'
import { transportProblem } from '../outgoing/transport-problem.ts'
import type { ConnectionOptions } from 'node:tls'
import {
  checkProxyable,
  extensionReach,
  proxyableLookup,
  type AgentTls,
  type ServerTls,
  type Target,
} from '../registry/connect/target.ts'
import { badRequest, StatusError, unavailable } from '../meta/errors.ts'
import { HIJACKED, type ApiResponse, type Context } from './context.ts'
import type { Exchange, ExchangeObserver, HeaderList, Out } from './exchange.ts'
import { identityHeaders } from './identity-headers.ts'
import { plainTextResponse, PlainTextError } from './plain-text.ts'

// Hop-by-hop headers (RFC 9110, section 7.6.1), and credentials: the target must not receive them.
const OF_CONNECTION = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]
const OF_IDENTITY = ['authorization']
const IDENTITY_PREFIXES = ['x-remote-', 'impersonate-']

/** Responds with the response of the target. Throws 400 and 503. */
export async function proxy(context: Context, target: Target): Promise<ApiResponse> {
  const { exchange } = context
  if (target.upgradeRequired === true && !exchange.upgrade)
    throw badRequest('Upgrade request required')
  if (target.path === '' && target.prefix !== undefined) {
    const { method } = exchange
    if ((method === 'GET' || method === 'HEAD') && !exchange.upgrade) {
      return {
        status: 301,
        headers: ['location', `${target.prefix}/${target.query}`],
        body: '',
      }
    }
  }
  return exchange.upgrade ? upgraded(context, target, exchange.upgrade) : plain(context, target)
}

async function plain(context: Context, target: Target): Promise<ApiResponse> {
  const { exchange } = context
  const incoming = await reached(target, begun(context, target))
  // The body of a response to HEAD is not forwarded, and an unread one keeps the connection open.
  if (exchange.method === 'HEAD') incoming.resume()
  return fromResponse(context, incoming, target)
}

/** Sends the request. One that can be repeated uses an open connection, which may be closed at this moment. */
async function begun(context: Context, target: Target): Promise<IncomingMessage> {
  const { exchange } = context
  const { agents } = target
  const protocol = protocolOf(target)
  const options = requestOptions(context, target, null)
  const { method } = exchange
  const isBare = exchange.bodyLength === 0
  if (agents && (method === 'GET' || method === 'HEAD') && isBare) {
    try {
      return await beginExchange(protocol, { ...options, agent: agents.shared }, null)
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error
      return beginExchange(protocol, options, null)
    }
  }
  return isBare
    ? beginExchange(protocol, options, null)
    : beginStream(protocol, options, exchange.source())
}

function fromResponse(context: Context, incoming: IncomingMessage, target: Target): ApiResponse {
  const { statusCode: status = 502, headers } = incoming
  if (status < MIN_STATUS || status > MAX_STATUS) {
    incoming.destroy()
    const why = `error trying to reach service: malformed HTTP status code "${String(status).padStart(3, '0')}"`
    if (target.user) return plainTextResponse(new PlainTextError(503, why))
    throw unavailable(why)
  }
  if (target.refusesRedirects === true && isRedirect(status) && headers.location !== undefined) {
    incoming.destroy()
    return plainTextResponse(new PlainTextError(502, REDIRECTED))
  }
  if (target.user) replaceOwn(context.headers, incoming)
  return {
    status,
    headers: responseHeaders(incoming, target),
    body: (out) => copy(incoming, out, target.user ? cutOffLater(context, incoming) : null),
  }
}

/** What the status of a response may be; others before it were no responses. */
const MIN_STATUS = 200
const MAX_STATUS = 999

const isRedirect = (status: number): boolean => status >= 300 && status <= 399

const REDIRECTED = 'the backend attempted to redirect this request, which is not permitted'

/** Another API server says itself how its responses are cached. */
function replaceOwn(own: HeaderList, { headers }: IncomingMessage): void {
  const at = headers['cache-control'] === undefined ? -1 : own.indexOf('cache-control')
  if (at !== -1) own.splice(at, 2)
}

/** Ends a response that is not complete at the deadline of its request. Returns what cancels that; null: no deadline. */
function cutOffLater(
  { deadline, server }: Context,
  incoming: IncomingMessage,
): (() => void) | null {
  if (deadline === Infinity) return null
  const { clock } = server.api
  const late = () => incoming.destroy(new Error('the response took too long'))
  return clock.after(Math.max(0, deadline - clock.now()), late)
}

/** Forwards the body of a response, and calls back when it has ended. */
async function copy(
  incoming: IncomingMessage,
  out: Out,
  ended: (() => void) | null,
): Promise<void> {
  try {
    for await (const chunk of incoming) {
      if (out.closed) break
      if (!out.write(chunk as Buffer)) await out.drained()
    }
  } catch {
    out.destroy()
    return
  } finally {
    ended?.()
  }
  if (out.closed) incoming.destroy()
  else out.end()
}

/** The outcome of a request. Throws 503. */
async function reached<T>(target: Target, begun: Promise<T>): Promise<T> {
  try {
    return await begun
  } catch (error) {
    const failure = unreachable(error as NodeJS.ErrnoException, target)
    throw target.user ? new PlainTextError(503, failure.message) : failure
  }
}

function unreachable(error: NodeJS.ErrnoException, target: Target): StatusError {
  if (error instanceof StatusError) return error
  const why = transportProblem(error, target.host)
  return unavailable(`error trying to reach service: ${why}`)
}

async function upgraded(
  context: Context,
  target: Target,
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
): Promise<ApiResponse> {
  const { exchange } = context
  // Its bytes would be the first ones of the other protocol.
  if (exchange.bodyLength !== 0) throw badRequest('a request with a body cannot be upgraded')
  const options = requestOptions(context, target, exchange.headers.upgrade ?? '')
  const { answer, taken } = await reached(target, beginUpgrade(protocolOf(target), options))
  if (!taken) return fromResponse(context, answer, target)
  const lines = [`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage ?? ''}`]
  for (let i = 0; i < answer.rawHeaders.length; i += 2)
    lines.push(`${answer.rawHeaders[i]}: ${answer.rawHeaders[i + 1]}`)
  exchange.take()
  socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  if (taken.head.length > 0) socket.write(taken.head)
  if (head.length > 0) taken.socket.write(head)
  if (exchange.observer !== null) observe(taken.socket, exchange.observer, taken.head)
  join(socket, taken.socket)
  // When the server ends; when the client does, the rest of what it sent is forwarded.
  const cut = () => {
    if (!socket.closed) socket.destroy()
  }
  exchange.signal.addEventListener('abort', cut, { once: true })
  return HIJACKED
}

/** Reports bytes sent to the client on a connection that was taken over. */
function observe(backend: Duplex, observer: ExchangeObserver, head: Buffer): void {
  observer.wrote(head.length)
  backend.on('data', (chunk: Buffer) => observer.wrote(chunk.length))
  backend.once('end', () => observer.finished())
}

/** Joins two connections; when either ends, both end after the remaining bytes are forwarded. */
function join(a: Duplex, b: Duplex): void {
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    from.on('error', () => to.destroy())
    from.on('close', () => {
      if (from.readableEnded && !to.writableFinished) to.once('finish', () => to.destroy())
      else to.destroy()
    })
    from.pipe(to)
  }
}

const protocolOf = ({ scheme }: Target) => `${scheme}:`

function requestOptions(context: Context, target: Target, protocol: string | null): RequestOptions {
  const { exchange } = context
  const { api } = context.server
  const { addresses } = target
  // Regardless of earlier checks: this is the host to connect to.
  const reach = target.user ? extensionReach(api) : api
  checkProxyable(reach, target.host)
  const path = target.path === '' ? '/' : target.path
  return {
    host: target.host,
    ...(target.port === '' ? {} : { port: Number(target.port) }),
    method: exchange.method,
    path: `${path}${target.query}`,
    headers: requestHeaders(context, target, protocol),
    agent: target.agents?.single ?? (api.dial ? agentThrough(api.dial, target.scheme) : false),
    signal: exchange.signal,
    lookup: addresses ? fixedLookup(addresses) : proxyableLookup(reach),
    ...(target.scheme === 'https' ? tlsOptions(target.tls ?? {}) : {}),
  }
}

/** An agent for one request whose connection a dialer opens. */
const agentThrough = (dial: Dial, scheme: Target['scheme']): Agent =>
  scheme === 'https' ? secureAgentThrough(dial, {}) : plainAgentThrough(dial, {})

function tlsOptions(tls: AgentTls | ServerTls): ConnectionOptions {
  const { ca, cert, key } = tls
  return {
    ...SERVER_TRUST,
    rejectUnauthorized: 'verified' in tls ? tls.verified : ca !== undefined,
    ...('serverName' in tls ? { servername: tls.serverName } : {}),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  }
}

/** Answers every DNS lookup with addresses resolved earlier. */
const fixedLookup =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_name, { all }, done) => {
    const [first] = addresses
    if (all === true || !first) done(null, [...addresses])
    else done(null, first.address, first.family)
  }

/** Methods whose requests say that they have no body. */
const WITH_BODY = ['POST', 'PUT', 'PATCH']

/**
 * The header that frames the body of a request. It never comes from the client: a body without framing would be read as the
 * next request.
 */
function framingOf({ bodyLength, method }: Exchange): [string, string][] {
  if (bodyLength === null) return [['transfer-encoding', 'chunked']]
  if (bodyLength === 0 && !WITH_BODY.includes(method)) return []
  return [['content-length', String(bodyLength)]]
}

function requestHeaders(
  context: Context,
  target: Target,
  protocol: string | null,
): Record<string, string | string[]> {
  const { headers, socket } = context.exchange
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase())
  const out: [string, string | string[]][] = []
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(':') || name === 'host') continue
    if (OF_CONNECTION.includes(name) || OF_IDENTITY.includes(name) || named.includes(name)) continue
    if (name === 'content-length') continue
    if (IDENTITY_PREFIXES.some((prefix) => name.startsWith(prefix))) continue
    out.push([name, value])
  }
  const from = socket.remoteAddress ?? ''
  const before = headers['x-forwarded-for']
  const host = headers.host ?? headers[':authority'] ?? ''
  const forwarded: [string, string][] = [
    ['x-forwarded-for', before === undefined ? from : `${String(before)}, ${from}`],
    ['x-forwarded-host', String(host)],
    ['x-forwarded-proto', 'https'],
    ...(target.user ? [['audit-id', auditIdOf(context)] as [string, string]] : []),
    ...(target.prefix === undefined
      ? []
      : [['x-forwarded-uri', `${target.prefix}${target.path}`] as [string, string]]),
  ]
  const upgrade: [string, string][] =
    protocol === null
      ? []
      : [
          ['connection', 'Upgrade'],
          ['upgrade', protocol],
        ]
  const framing = protocol === null ? framingOf(context.exchange) : []
  const identity = target.user ? identityHeaders(target.user) : []
  const trace: [string, string][] =
    target.traceparent === undefined ? [] : [['traceparent', target.traceparent]]
  return Object.fromEntries([...out, ...forwarded, ...upgrade, ...framing, ...identity, ...trace])
}

/** The audit ID of a request, which the records of all servers that take part in it have. */
function auditIdOf({ headers }: Context): string {
  const at = headers.indexOf('audit-id')
  return at === -1 ? '' : headers[at + 1]!
}

function responseHeaders(incoming: IncomingMessage, target: Target): HeaderList {
  const named = (incoming.headers.connection ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
  const out: HeaderList = []
  const { rawHeaders } = incoming
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase()
    if (OF_CONNECTION.includes(name) || named.includes(name)) continue
    if (name === 'content-type' && target.contentType !== undefined) continue
    // This server has sent its own.
    if (target.user && (name === 'audit-id' || name === 'date')) continue
    const value = rawHeaders[i + 1]!
    out.push(name, name === 'location' ? moved(value, target) : value)
  }
  if (target.contentType !== undefined) out.push('content-type', target.contentType)
  return out
}

/** Rewrites a redirect inside the target to a path of this server. */
function moved(location: string, { prefix, scheme, host, port, path }: Target): string {
  if (prefix === undefined) return location
  const bracketed = isIP(host) === 6 ? `[${host}]` : host
  const root = `${scheme}://${bracketed}${port === '' ? '' : `:${port}`}`
  try {
    const url = new URL(location, `${root}${path === '' ? '/' : path}`)
    if (url.origin !== new URL(root).origin) return location
    return `${prefix}${url.pathname}${url.search}${url.hash}`
  } catch {
    return location
  }
}
