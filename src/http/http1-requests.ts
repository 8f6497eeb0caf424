import { ServerResponse, type IncomingMessage } from 'node:http'
import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { plainError, type StatusError } from '../meta/errors.ts'
import { Http1Exchange, type Exchange } from './exchange.ts'
import { isLingering } from './http1-linger.ts'
import {
  refuse,
  refuseTunnel,
  refuseUnparsed,
  rememberResponse,
  rememberExchange,
  wrongHead,
} from './http1-refusals.ts'
import { reportRefused, reportUnparsed } from './http1-stages.ts'
import { closeWithConnection, isAnswering } from './queued-responses.ts'
import type { ResponseSink } from './response-batch.ts'
import type { Stages } from './stages.ts'

/** Receivers of HTTP/1.1 requests. */
export interface Http1Options {
  readonly onExchange: (exchange: Exchange) => void
  /** Reports requests that are rejected here; null without subscribers. */
  readonly stages: Stages | null
  readonly responses: ResponseSink
}

/** Creates exchanges from the requests of a server, and rejects invalid ones. */
export function takeHttp1(server: Server, options: Http1Options): void {
  const { stages, responses } = options
  const take = (request: IncomingMessage, response: ServerResponse) => {
    if (isLingering(request.socket)) return void request.resume()
    rememberResponse(response)
    closeWithConnection(response)
    const wrong = wrongHead(request)
    if (wrong) refused(response, wrong, options)
    else begin(new Http1Exchange(request, response, responses), options)
  }
  server.on('request', take)
  server.on('checkContinue', take)
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    if (isLingering(request.socket)) return void request.resume()
    rememberResponse(response)
    const wrong = wrongHead(request) ?? plainError('the expectation cannot be met', 417)
    refused(response, wrong, options)
  })
  server.on('clientError', (error, socket) => {
    // A refusal comes after the responses to the requests before it.
    responses.flush()
    const refusal = refuseUnparsed(error, socket)
    if (refusal !== null && stages !== null) reportUnparsed(stages, socket, refusal)
  })
  server.on('connect', (request, socket) => {
    if (isLingering(socket)) return void socket.resume()
    const refusal = refuseTunnel(socket)
    if (stages !== null) reportRefused(stages, request, refusal)
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (isLingering(socket)) return void socket.resume()
    const response = lastResponse(request, socket)
    if (response === null) return void socket.destroy()
    const wrong = wrongHead(request)
    if (wrong) refused(response, wrong, options)
    else begin(new Http1Exchange(request, response, responses, { socket, head }), options)
  })
}

function begin(exchange: Exchange, { onExchange, stages }: Http1Options): void {
  if (stages !== null) rememberExchange(exchange)
  onExchange(exchange)
}

function refused(response: ServerResponse, error: StatusError, { stages }: Http1Options): void {
  const refusal = refuse(response, error)
  if (stages !== null) reportRefused(stages, response.req, refusal)
}

/**
 * The response to a request for a protocol upgrade: a handler that does not support it responds as usual, and the
 * connection closes. Null while responses to earlier requests are being sent, which no client does that follows the
 * other protocol.
 */
function lastResponse(request: IncomingMessage, socket: Duplex): ServerResponse | null {
  if (isAnswering(socket)) return null
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket as Socket)
  response.once('finish', () => socket.end())
  return response
}
