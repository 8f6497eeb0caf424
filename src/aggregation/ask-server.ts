/** Requests of this server to extension servers: whether they are there, and for their documents. */
import { SERVER_TRUST } from '../base/server-trust.ts'
import type { Clock } from '../base/clock.ts'
import { identityHeaders } from '../http/identity-headers.ts'
import { StatusError } from '../meta/errors.ts'
import { secureAgentThrough } from '../outgoing/dial-agent.ts'
import { beginExchange, readAnswer } from '../outgoing/http-exchange.ts'
import type { DialAddress } from '../client/service-address.ts'
import { transportProblem } from '../outgoing/transport-problem.ts'
import { checkProxyable, proxyableLookup } from '../registry/connect/target.ts'
import type { ExtensionReach } from '../registry/context.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { ProxyCertificate } from './remote-servers.ts'

/** What requests of this server need. */
export interface AskingParts {
  readonly v: Vocabulary
  readonly clock: Clock
  readonly reach: ExtensionReach
  readonly certificate: () => Promise<ProxyCertificate>
}

/** One request. */
export interface Question {
  readonly address: DialAddress
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly tls: { readonly serverName: string; readonly verified: boolean; readonly ca?: string }
  readonly timeoutMs: number
  /** Largest body that is read; 0: none is. */
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/** The response. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

/** The URL of a request, as messages show it. */
export const urlOf = ({ host, port }: DialAddress, path: string): string =>
  `https://${host.includes(':') ? `[${host}]` : host}:${port}${path}`

const NOTHING = Buffer.alloc(0)

/** Asks an extension server as this one. Rejects with an Error that states why there is no response. */
export async function askServer(parts: AskingParts, question: Question): Promise<Reply> {
  const { address, path, timeoutMs, signal } = question
  const limit = new AbortController()
  const stop = () => limit.abort()
  const url = urlOf(address, path)
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  let isLate = false
  const cancel = parts.clock.after(timeoutMs, () => {
    isLate = true
    stop()
  })
  try {
    return await exchange(parts, question, limit.signal)
  } catch (error) {
    const why = isLate ? 'context deadline exceeded' : reasonOf(error, address)
    throw new Error(`Get ${JSON.stringify(url)}: ${why}`, { cause: error })
  } finally {
    cancel()
    signal.removeEventListener('abort', stop)
  }
}

async function exchange(
  { v, reach, certificate }: AskingParts,
  { address: { host, port }, path, headers, tls, maxBytes }: Question,
  signal: AbortSignal,
): Promise<Reply> {
  checkProxyable(reach, host)
  const { serverName: servername, verified, ca } = tls
  const name = v.resolve('system:{system}-aggregator')
  const answer = await beginExchange(
    'https:',
    {
      host,
      port,
      path,
      method: 'GET',
      headers: {
        accept: 'application/json',
        'user-agent': v.resolve('{system}-apiserver'),
        ...headers,
        ...Object.fromEntries(identityHeaders({ name, groups: ['system:masters'], extra: {} })),
      },
      agent: reach.dial ? secureAgentThrough(reach.dial, {}) : false,
      lookup: proxyableLookup(reach),
      signal,
      ...SERVER_TRUST,
      ...{ servername, rejectUnauthorized: verified },
      ...(ca === undefined ? {} : { ca }),
      ...(await certificate()),
    },
    null,
  )
  const status = answer.statusCode ?? 0
  if (maxBytes === 0) {
    answer.destroy()
    return { status, headers: answer.headers, body: NOTHING }
  }
  const tooLarge = () => new Error(`the answer is larger than ${maxBytes} bytes`)
  return { status, headers: answer.headers, body: await readAnswer(answer, maxBytes, tooLarge) }
}

function reasonOf(error: unknown, { host }: DialAddress): string {
  if (error instanceof StatusError) return error.message
  const hasCode = (error as { readonly code?: unknown }).code !== undefined
  return error instanceof Error && !hasCode ? error.message : transportProblem(error, host)
}
