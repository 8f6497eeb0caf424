/** Requests to servers other than the API server: for files and to identity providers. One way for all, proxies included. */
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { proxyDial } from '../../client/proxy.ts'
import { environmentProxy, proxyUrl } from '../../client/proxy-choice.ts'
import { bareHost, portOf } from '../../client/server-address.ts'
import { tlsOptions } from '../../client/tls-options.ts'
import { secured } from '../../outgoing/dial-agent.ts'
import { transportProblem } from '../../outgoing/transport-problem.ts'

const WAIT_MS = 30_000

/** One request over https. */
export interface OutsideRequest {
  readonly url: string
  /** Names proxies. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** PEM; the usual authorities by default. */
  readonly ca: string | undefined
  /** A form to post; a GET without. */
  readonly form?: string
  readonly maxBytes: number
}

/** A response with its body, which is empty unless the status is 200. */
export interface OutsideAnswer {
  readonly status: number
  readonly statusText: string
  readonly location: string | undefined
  readonly body: Buffer
}

/** Sends a request; rejects with an Error that says why there is no answer. */
export async function askOutside(sent: OutsideRequest): Promise<OutsideAnswer> {
  const url = new URL(sent.url)
  const { ca, form } = sent
  const proxy = environmentProxy(url, sent.env)
  const host = bareHost(url)
  const socket =
    proxy === undefined
      ? null
      : await proxyDial(proxyUrl(proxy, 'the proxy'), null)({ host, port: portOf(url) })
  const trust = tlsOptions({ server: url.href, ...(ca === undefined ? {} : { ca }) }, url, {})
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        method: form === undefined ? 'GET' : 'POST',
        timeout: WAIT_MS,
        ...trust,
        ...(socket === null
          ? { agent: false }
          : { createConnection: () => secured(socket, { host, ...trust }) }),
        headers: form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' },
      },
      (response) => {
        const { statusCode: status = 0, statusMessage: statusText = '' } = response
        const { location } = response.headers
        if (status !== 200) {
          response.resume()
          outgoing.destroy()
          return resolve({ status, statusText, location, body: Buffer.alloc(0) })
        }
        bodyOf(response, sent.maxBytes).then(
          (body) => resolve({ status, statusText, location, body }),
          (error: Error) => {
            outgoing.destroy()
            reject(error)
          },
        )
      },
    )
    outgoing.on('timeout', () =>
      outgoing.destroy(Object.assign(new Error(), { code: 'no answer came in time' })),
    )
    outgoing.on('error', (error) => reject(new Error(transportProblem(error, host))))
    outgoing.end(form)
  })
}

function bodyOf(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) reject(new Error('it is too long'))
      else chunks.push(chunk)
    })
    response.on('end', () => resolve(Buffer.concat(chunks)))
    response.on('error', reject)
  })
}
