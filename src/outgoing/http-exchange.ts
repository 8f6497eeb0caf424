/**
 * One request over HTTP/1.1, with TLS or without, and its response. All requests of this program to other servers over
 * HTTP/1.1 begins here.
 */
import {
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http'
import { request as httpsRequest } from 'node:https'
import { Readable, type Duplex } from 'node:stream'
import { isReset } from './platform-errors.ts'

/** A reused connection was closed before a response began: sending again is no second attempt. */
export class StaleConnection extends Error {}

/** A body that is made in pieces, again for each attempt. */
export interface StreamedBody {
  /** Bytes of all pieces. */
  readonly length: number
  pieces(): Iterable<Uint8Array>
}

/**
 * Sends a request; resolves with the head of the response. Rejects with an error of the platform, or a stale one.
 * `begun` gets the request, to destroy it when it has to end early: that costs less than the signal of `options`.
 */
export function beginExchange(
  protocol: string,
  options: RequestOptions,
  body: Buffer | StreamedBody | null,
  begun?: (request: ClientRequest) => void,
): Promise<IncomingMessage> {
  return begin<IncomingMessage>(protocol, options, (request, resolve) => {
    request.on('response', resolve)
    begun?.(request)
    if (!body || Buffer.isBuffer(body)) return void request.end(body)
    // Waits for the connection between the pieces.
    const source = Readable.from(body.pieces())
    source.on('error', (error) => request.destroy(error))
    request.once('close', () => source.destroy())
    source.pipe(request)
  })
}

/**
 * Sends a request whose body is still coming; the rest is as with {@link beginExchange}. A server that is gone does not end
 * the source, which is read to its end.
 */
export function beginStream(
  protocol: string,
  options: RequestOptions,
  source: Readable,
): Promise<IncomingMessage> {
  return begin<IncomingMessage>(protocol, options, (request, resolve) => {
    request.on('response', resolve)
    source.pipe(request)
    source.on('error', () => request.destroy())
    source.once('close', () => {
      if (!source.readableEnded) request.destroy()
    })
    request.once('close', () => {
      source.unpipe(request)
      source.resume()
    })
  })
}

/** The response to a request for a protocol upgrade. */
export interface UpgradeAnswer {
  readonly answer: IncomingMessage
  /** The connection, with the bytes behind the response; null when the server stays with HTTP. */
  readonly taken: { readonly socket: Duplex; readonly head: Buffer } | null
}

/** Sends a request, without a body, whose headers ask for another protocol. Rejects like {@link beginExchange}. */
export function beginUpgrade(protocol: string, options: RequestOptions): Promise<UpgradeAnswer> {
  return begin<UpgradeAnswer>(protocol, options, (request, resolve) => {
    request.once('upgrade', (answer, socket: Duplex, head) =>
      resolve({ answer, taken: { socket, head } }),
    )
    request.once('response', (answer) => resolve({ answer, taken: null }))
    request.end()
  })
}

function begin<T>(
  protocol: string,
  options: RequestOptions,
  send: (request: ClientRequest, resolve: (answer: T) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = (protocol === 'https:' ? httpsRequest : httpRequest)(options)
    // Also of errors after the response has begun, which its reader sees.
    request.on('error', (error) =>
      reject(
        request.reusedSocket && isReset(error)
          ? new StaleConnection('closed while idle', { cause: error })
          : error,
      ),
    )
    send(request, resolve)
  })
}

/** The same, once more where the connection was stale; `dropIdle` closes those that may be as well. */
export async function beginAfresh(
  begin: () => Promise<IncomingMessage>,
  dropIdle: () => void,
): Promise<IncomingMessage> {
  try {
    return await begin()
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error
    dropIdle()
    return begin()
  }
}

/** The body of a response; rejects with `tooLarge` and ends the connection when it is longer than `maxBytes`. */
export function readAnswer(
  answer: IncomingMessage,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    answer.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size <= maxBytes) return
      reject(tooLarge())
      answer.destroy()
    })
    answer.on('error', reject)
    answer.on('end', () => {
      answer.off('close', cut)
      resolve(Buffer.concat(chunks))
    })
    // It may have been cut off before anybody looked.
    const cut = () =>
      reject(answer.errored ?? Object.assign(new Error('aborted'), { code: 'ECONNRESET' }))
    if (answer.destroyed) cut()
    else answer.once('close', cut)
  })
}
