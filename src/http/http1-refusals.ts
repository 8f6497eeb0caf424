/** Rejects input that is not valid HTTP/1.1 for this server, before a request enters the pipeline. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Exchange } from './exchange.ts'
import { endReading, lingerAfter } from './http1-linger.ts'
import {
  badRequest,
  headersTooLarge,
  methodNotAllowed,
  plainError,
  type StatusError,
} from '../meta/errors.ts'

const PHRASES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  431: 'Request Header Fields Too Large',
}

/** Why a parsed head is rejected; null when it is valid. */
export function wrongHead({
  httpVersion,
  headers,
  rawHeaders,
  url = '',
}: IncomingMessage): StatusError | null {
  if (!haveNames(rawHeaders)) return unreadable()
  const coding = headers['transfer-encoding']
  if (httpVersion !== '1.1') {
    if (httpVersion !== '1.0') return badRequest('unsupported HTTP version')
    // A proxy that does not know it would take the body for the next request.
    if (coding !== undefined) return badRequest('HTTP/1.0 has no Transfer-Encoding')
  } else if (headers.host === undefined) return badRequest('missing required Host header')
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return plainError('unsupported transfer encoding', 501)
  if (!url.startsWith('/') && url !== '*' && !ABSOLUTE.test(url))
    return badRequest('the request target is not valid')
  return null
}

const unreadable = () => badRequest('the request is not valid HTTP/1.1')

/**
 * Whether every header has a well-formed name. Releases of Node.js before 20.20 accept a name with trailing whitespace,
 * or an empty one, as a different header (RFC 9112, section 5.1), so that its effect would go unnoticed.
 */
function haveNames(rawHeaders: readonly string[]): boolean {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name === '' || name.charCodeAt(name.length - 1) <= SPACE) return false
  }
  return true
}

const SPACE = 0x20

/** Without userinfo, which a request must not contain (RFC 9110, section 4.2.4). */
const ABSOLUTE = /^https?:\/\/[^/?#@]*(?![^/?#])/i

/** Path and query of a target; the absolute form also names this server (RFC 9112, section 3.2.2). */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target
  const rest = target.replace(ABSOLUTE, '')
  return rest.startsWith('?') || rest === '' ? `/${rest}` : rest
}

/** A refusal that was sent. */
export interface Refusal {
  readonly error: StatusError
  /** Bytes of the response body. */
  readonly bytes: number
}

/** Rejects a request whose head was parsed; the connection closes. */
export function refuse(response: ServerResponse, error: StatusError): Refusal {
  const body = response.req.method === 'HEAD' ? '' : bodyOf(error)
  lingerAfter(response)
  response.writeHead(error.code, headersOf(bodyOf(error)))
  response.end(body)
  return { error, bytes: Buffer.byteLength(body) }
}

const bodyOf = (error: StatusError) => `${JSON.stringify(error.toStatus())}\n`

const headersOf = (body: string) => [
  'content-type',
  'application/json',
  'cache-control',
  'no-cache, private',
  'content-length',
  String(Buffer.byteLength(body)),
  'connection',
  'close',
]

/** Rejects input that the HTTP parser cannot read, and closes the connection; null: no response could be sent. */
export function refuseUnparsed(error: NodeJS.ErrnoException, socket: Duplex): Refusal | null {
  const { code = '' } = error
  // Further bytes of rejected input.
  if (socket.writableEnded) return null
  if (!code.startsWith('HPE_') || !socket.writable || isResponding(socket)) {
    socket.destroy()
    return null
  }
  return refuseConnection(socket, code === 'HPE_HEADER_OVERFLOW' ? headersTooLarge() : unreadable())
}

/** Rejects CONNECT requests. */
export const refuseTunnel = (socket: Duplex): Refusal =>
  refuseConnection(socket, methodNotAllowed())

function refuseConnection(socket: Duplex, error: StatusError): Refusal {
  const body = bodyOf(error)
  const lines = [`HTTP/1.1 ${error.code} ${PHRASES[error.code] ?? 'Refused'}`]
  const headers = headersOf(body)
  for (let i = 0; i < headers.length; i += 2) lines.push(`${headers[i]}: ${headers[i + 1]}`)
  socket.on('error', () => {})
  endReading(socket, `${lines.join('\r\n')}\r\n\r\n${body}`)
  return { error, bytes: Buffer.byteLength(body) }
}

/** The last response on a connection. */
interface WithResponse {
  lastAnswer?: ServerResponse | null
  lastExchange?: Exchange | null
}

/** Remembers the response that is in progress on a connection. */
export function rememberResponse(response: ServerResponse): void {
  ;(response.req.socket as WithResponse).lastAnswer = response
}

/** Remembers the exchange of the response. */
export function rememberExchange(exchange: Exchange): void {
  ;(exchange.socket as WithResponse).lastExchange = exchange
}

/**
 * Forgets a response that was handed to the connection completely: what is written there comes after it. The idle
 * connection would keep all objects of its last request alive.
 */
export function forgetResponse({ req }: ServerResponse): void {
  const connection = req.socket as WithResponse
  if (connection.lastAnswer?.req !== req) return
  connection.lastAnswer = null
  connection.lastExchange = null
}

/** The exchange whose body is malformed; null when a head is. */
export function unreadExchange(socket: Duplex): Exchange | null {
  const { lastAnswer, lastExchange } = socket as WithResponse
  return lastAnswer && !lastAnswer.req.complete ? (lastExchange ?? null) : null
}

/** Whether a refusal would be mixed with the response to an earlier request. */
function isResponding(socket: Duplex): boolean {
  const { lastAnswer } = socket as WithResponse
  if (!lastAnswer || lastAnswer.writableFinished) return false
  return lastAnswer.headersSent || lastAnswer.req.complete
}
