/** The port of this program: health for everybody, other pages for those whom the server allows. */
import { forbidden, StatusError, unauthorized } from '../meta/errors.ts'
import { CredentialError } from '../authn/authenticator.ts'
import { ANONYMOUS } from '../authn/anonymous.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { Connections } from '../http/connections.ts'
import type { Exchange } from '../http/exchange.ts'
import { listen } from '../http/listen.ts'
import type { CertificatePair, NamedPair } from '../http/server-names.ts'
import { tlsParameters, type TlsVersionName } from '../http/tls-parameters.ts'
import type { DelegatedAccess } from './access.ts'
import type { PortAuthentication } from './authentication.ts'

/** A condition of the program's health. */
export interface HealthCondition {
  readonly name: string
  /** Why it does not hold; null when it does. */
  readonly fault: string | null
}

/** A page that needs permission. */
export interface ManagerPage {
  readonly type: string
  readonly text: (query: URLSearchParams) => string | Promise<string>
}

/** The certificates of the port; they may change. */
export interface PortCertificates {
  readonly current: CertificatePair & { readonly named?: readonly NamedPair[] }
  onChange(call: () => void): void
  close(): void
}

/** What is served, and where. */
export interface ServingOptions {
  readonly host: string
  readonly port: number
  readonly certificates: PortCertificates
  /** TLS 1.2 by default. */
  readonly minTlsVersion?: TlsVersionName
  /** Of TLS 1.2 and older; those that Node.js prefers by default. */
  readonly cipherSuites?: readonly string[]
  /** Concurrent requests of an HTTP/2 connection; a default of ours when absent. */
  readonly maxStreams?: number
  readonly sharesPort?: boolean
  readonly authentication: PortAuthentication
  /** Paths that need no authorization; one that ends in `*` matches by prefix. */
  readonly alwaysAllow: readonly string[]
  readonly access: Pick<DelegatedAccess, 'allows'>
  readonly conditions: () => readonly HealthCondition[]
  /** The page of a path, if there is one. */
  readonly pageAt: (path: string) => ManagerPage | undefined
  readonly clock: Clock
  readonly log: Log
}

/** A port that is served. */
export interface Serving {
  readonly url: string
  close(): Promise<void>
}

const HEALTH = ['healthz', 'livez', 'readyz']
const MOST_CONNECTIONS = 256
const CLOSE_MS = 1_000

/** Begins to serve. */
export async function serveManager(options: ServingOptions): Promise<Serving> {
  const { host, authentication, certificates, clock, log, maxStreams } = options
  const connections = new Connections({ clock, log, most: MOST_CONNECTIONS })
  const listener = await listen({
    ...certificates.current,
    bindAddress: host,
    port: options.port,
    parameters: tlsParameters(options.minTlsVersion, options.cipherSuites),
    ...(maxStreams === undefined ? {} : { maxStreams }),
    sharesPort: options.sharesPort === true,
    clientCa: authentication.clientCa(),
    connections,
    certificates: authentication.certificates,
    onExchange: (exchange) => void respond(options, exchange, connections),
    onFault: (error) => log.error('a connection has failed', { error: String(error) }),
  })
  certificates.onChange(() => listener.setTls(certificates.current))
  authentication.onClientCaChange(() => listener.setTls({ clientCa: authentication.clientCa() }))
  return {
    url: `https://${host.includes(':') ? `[${host}]` : host}:${listener.port}`,
    async close() {
      await listener.close(CLOSE_MS)
      certificates.close()
      await authentication.close()
    },
  }
}

/** Answers one request. Never rejects. */
async function respond(
  options: ServingOptions,
  exchange: Exchange,
  connections: Connections,
): Promise<void> {
  const write = (code: number, type: string, text: string) => {
    if (exchange.signal.aborted || exchange.begun) return
    exchange.send(
      code,
      [
        ...['content-type', type, 'x-content-type-options', 'nosniff'],
        ...['cache-control', 'no-cache, private'],
      ],
      text,
    )
  }
  try {
    const { code = 200, type, text } = await answerOf(options, exchange, connections)
    write(code, type, text)
  } catch (error) {
    const status =
      error instanceof StatusError
        ? error
        : new StatusError(500, 'InternalError', 'the server could not be asked')
    write(status.code, 'application/json', JSON.stringify(status.toStatus()))
  }
}

interface Answer {
  readonly code?: number
  readonly type: string
  readonly text: string
}

const PLAIN = 'text/plain; charset=utf-8'

async function answerOf(
  options: ServingOptions,
  exchange: Exchange,
  connections: Connections,
): Promise<Answer> {
  const [path = '', query = ''] = exchange.target.split('?', 2)
  const verb = exchange.method.toLowerCase()
  const user = await userOf(options, exchange, connections)
  if (!isAlwaysAllowed(options.alwaysAllow, path)) {
    if (!(await options.access.allows(user, verb, path)))
      throw forbidden(
        null,
        '',
        `User ${JSON.stringify(user.name)} cannot ${verb} path ${JSON.stringify(path)}`,
      )
  }
  if (verb !== 'get' && verb !== 'head')
    throw new StatusError(405, 'MethodNotAllowed', 'this page can only be read')
  const [, first = '', name, ...more] = path.split('/')
  if (HEALTH.includes(first) && more.length === 0)
    return health(first, name, options.conditions(), new URLSearchParams(query))
  const page = options.pageAt(path)
  if (!page) return { code: 404, type: PLAIN, text: '404 page not found\n' }
  return { type: page.type, text: await page.text(new URLSearchParams(query)) }
}

const isAlwaysAllowed = (patterns: readonly string[], path: string): boolean =>
  patterns.some((pattern) =>
    pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern,
  )

async function userOf(
  { authentication, log }: ServingOptions,
  exchange: Exchange,
  connections: Connections,
) {
  // It may be closed and unset by the time of the answer.
  const { socket } = exchange
  try {
    const user = await authentication.userOf(exchange)
    if (user.name !== ANONYMOUS) connections.know(socket)
    return user
  } catch (error) {
    // Why it does not hold is not for those who show it.
    if (!(error instanceof CredentialError)) throw error
    log.debug(2, 'a request could not be authenticated', { error: error.message })
    throw unauthorized()
  }
}

/** The conditions one by one where that is asked for, or where one does not hold; reasons are withheld. */
function health(
  endpoint: string,
  name: string | undefined,
  all: readonly HealthCondition[],
  query: URLSearchParams,
): Answer {
  const excluded = query.getAll('exclude')
  const conditions = all.filter((one) =>
    name === undefined || name === '' ? !excluded.includes(one.name) : one.name === name,
  )
  if (name !== undefined && name !== '' && conditions.length === 0)
    return { code: 404, type: PLAIN, text: '404 page not found\n' }
  const isHealthy = conditions.every(({ fault }) => fault === null)
  const lines = conditions.map(({ name: of, fault }) =>
    fault === null ? `[+]${of} ok\n` : `[-]${of} failed: reason withheld\n`,
  )
  if (!isHealthy)
    return { code: 500, type: PLAIN, text: `${lines.join('')}${endpoint} check failed\n` }
  const isVerbose = query.has('verbose')
  return { type: PLAIN, text: isVerbose ? `${lines.join('')}${endpoint} check passed\n` : 'ok' }
}
