/** One request over HTTP/1.1, with TLS or without, and its answer: what every client of other servers needs of it. */
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isReset } from './call-error.ts'

/** A connection that had been used before and was closed before an answer began: sending again is no second attempt. */
export class StaleConnection extends Error {}

/** Sends a request; resolves with the head of the answer. Rejects with an error of the platform, or that it was stale. */
export function beginExchange(
  protocol: string,
  options: RequestOptions,
  body: Buffer | null,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = (protocol === 'https:' ? httpsRequest : httpRequest)(options)
    request.on('error', (error) =>
      reject(
        request.reusedSocket && isReset(error)
          ? new StaleConnection('closed while idle', { cause: error })
          : error,
      ),
    )
    request.on('response', resolve)
    request.end(body)
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

/** The body of an answer; rejects with `tooLarge` and ends the connection when it is longer than `maxBytes`. */
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
    answer.on('end', () => resolve(Buffer.concat(chunks)))
    // It may have been cut off before anybody looked.
    const cut = () =>
      reject(answer.errored ?? Object.assign(new Error('aborted'), { code: 'ECONNRESET' }))
    if (answer.destroyed) cut()
    else answer.once('close', cut)
  })
}
