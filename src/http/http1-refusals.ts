/** Answers to what is not HTTP/1.1 as this server speaks it, given before there is a request for the pipeline. */
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

/** What a parsed head is refused for; null when nothing is wrong with it. */
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
    // A server between that does not know it would take the body for the next request.
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
 * Whether every field has a name that ends where it should. Releases of Node.js before 20.20 take a name with blanks behind
 * it, or none, for another one (RFC 9112, section 5.1), so that nobody would see what it decides.
 */
function haveNames(rawHeaders: readonly string[]): boolean {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name === '' || name.charCodeAt(name.length - 1) <= BLANK) return false
  }
  return true
}

const BLANK = 0x20

/** Without a user, for whom there is no place in a request (RFC 9110, section 4.2.4). */
const ABSOLUTE = /^https?:\/\/[^/?#@]*(?![^/?#])/i

/** Path and query of a target: an absolute one names this server besides (RFC 9112, section 3.2.2). */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target
  const rest = target.replace(ABSOLUTE, '')
  return rest.startsWith('?') || rest === '' ? `/${rest}` : rest
}

/** A refusal that was given. */
export interface Refusal {
  readonly error: StatusError
  /** Of the answer's body. */
  readonly bytes: number
}

/** Refuses a request whose head was read; the connection ends. */
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

/** Refuses what the parser of HTTP cannot read, and ends the connection; null: nobody could be told. */
export function refuseUnparsed(error: NodeJS.ErrnoException, socket: Duplex): Refusal | null {
  const { code = '' } = error
  // Further bytes of what was refused already.
  if (socket.writableEnded) return null
  if (!code.startsWith('HPE_') || !socket.writable || isAnswering(socket)) {
    socket.destroy()
    return null
  }
  return refuseConnection(socket, code === 'HPE_HEADER_OVERFLOW' ? headersTooLarge() : unreadable())
}

/** Refuses a request to become a tunnel. */
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

/** The answer that a connection has been given last. */
interface WithAnswer {
  lastAnswer?: ServerResponse
  lastExchange?: Exchange
}

/** Remembers the answer that is being made on a connection. */
export function rememberAnswer(response: ServerResponse): void {
  ;(response.req.socket as WithAnswer).lastAnswer = response
}

/** Remembers for whose request the answer is made. */
export function rememberExchange(exchange: Exchange): void {
  ;(exchange.socket as WithAnswer).lastExchange = exchange
}

/** The exchange whose body could not be read, when it is no head that could not be. */
export function unreadExchange(socket: Duplex): Exchange | null {
  const { lastAnswer, lastExchange } = socket as WithAnswer
  return lastAnswer && !lastAnswer.req.complete ? (lastExchange ?? null) : null
}

/** Whether an answer to another request than the one that cannot be read would be mixed up with a refusal. */
function isAnswering(socket: Duplex): boolean {
  const { lastAnswer } = socket as WithAnswer
  if (!lastAnswer || lastAnswer.writableFinished) return false
  return lastAnswer.headersSent || lastAnswer.req.complete
}
