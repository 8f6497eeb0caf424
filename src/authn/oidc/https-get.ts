import { SERVER_TRUST } from '../../base/server-trust.ts'
import type { IncomingHttpHeaders, RequestOptions } from 'node:http'
import { Agent } from 'node:https'
import { urlToHttpOptions } from 'node:url'
import { transportProblem } from '../../outgoing/transport-problem.ts'
import { beginExchange, readAnswer } from '../../outgoing/http-exchange.ts'
import type { Clock } from '../../base/clock.ts'

/** A provider's response with status 200. */
export interface HttpResponse {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Sends a GET to a provider; throws an Error that names the address and the cause. */
export type HttpsGet = (
  url: string,
  options?: { readonly accept?: string; readonly bearer?: string },
) => Promise<HttpResponse>

export interface HttpsGetOptions {
  /** Authorities that servers must be certified by, PEM. */
  readonly ca: string | readonly string[]
  readonly clock: Clock
  /** Aborts requests under way. */
  readonly signal: AbortSignal
}

const TIMEOUT_MS = 30_000
const MAX_BYTES = 1024 * 1024

/** Makes GET requests over TLS, bounded in time and size; a status other than 200 is an error. */
export function httpsGet({ ca, clock, signal }: HttpsGetOptions): HttpsGet {
  // Connections are not kept: calls are minutes apart, and each must see the provider's present certificate.
  const agent = new Agent({
    ca: typeof ca === 'string' ? ca : [...ca],
    keepAlive: false,
    ...SERVER_TRUST,
    rejectUnauthorized: true,
  })
  return async (url, { accept = 'application/json', bearer } = {}) => {
    if (!isHttps(url)) throw new Error(`${namedUrl(url)} is no https URL`)
    const target = new URL(url)
    const named = `Get ${namedUrl(url)}`
    const ending = new AbortController()
    const cancel = clock.after(TIMEOUT_MS, () =>
      ending.abort(new Error(`no complete answer within ${TIMEOUT_MS / 1000} s`)),
    )
    const stop = () => ending.abort(new Error('closed'))
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    const headers = {
      accept,
      'accept-encoding': 'identity',
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    }
    try {
      return await exchange(target, { agent, headers, signal: ending.signal })
    } catch (error) {
      const why: unknown = ending.signal.aborted ? ending.signal.reason : error
      throw new Error(`${named}: ${messageOf(why)}`, { cause: error })
    } finally {
      cancel()
      signal.removeEventListener('abort', stop)
    }
  }
}

async function exchange(url: URL, options: RequestOptions): Promise<HttpResponse> {
  const to: RequestOptions = { ...urlToHttpOptions(url), ...options }
  const answer = await beginExchange('https:', to, null)
  const { statusCode = 0, headers } = answer
  if (statusCode !== 200) {
    answer.destroy()
    const more = statusCode >= 300 && statusCode < 400 ? '; redirects are not followed' : ''
    throw new Error(`answered with status ${statusCode}${more}`)
  }
  const tooLarge = () => new Error(`answer is larger than ${MAX_BYTES} bytes`)
  const body = await readAnswer(answer, MAX_BYTES, tooLarge)
  return { headers, body: body.toString('utf8') }
}

/** Whether an address can be requested at all. */
export const isHttps = (url: string): boolean =>
  URL.canParse(url) && new URL(url).protocol === 'https:'

/** An address for messages: the parts before the host and behind the path may be secret. */
export function namedUrl(url: string): string {
  if (!URL.canParse(url)) return 'an address that is no URL'
  const { protocol, host, pathname } = new URL(url)
  return JSON.stringify(`${protocol}//${host}${pathname}`)
}

/** Reads a response; throws an Error that does not repeat it. */
export function jsonOf({ body }: HttpResponse): unknown {
  try {
    return JSON.parse(body)
  } catch (error) {
    throw new Error('the answer is no JSON', { cause: error })
  }
}

/** The text of an error. Of a server's certificate in the reference's words: those of Node differ between releases. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const problem = transportProblem(error, '')
  if (problem.startsWith('x509: ')) return problem
  // Some errors of node:net only have a code.
  return error.message || ('code' in error ? String(error.code) : error.name)
}
