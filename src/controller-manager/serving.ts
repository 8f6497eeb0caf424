/** The port of this program: health for everybody, other pages for those whom the server allows. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '../base/clock.ts'
import { forbidden, StatusError, unauthorized } from '../meta/errors.ts'
import { issue } from '../pki/issue.ts'
import { anonymousUser, certifiedUser, type DelegatedAccess, type PageUser } from './access.ts'

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

/** What is served, and where. */
export interface ServingOptions {
  readonly host: string
  readonly port: number
  /** PEM; a certificate that signs itself is made when empty. */
  readonly cert: string
  readonly key: string
  /** Authorities of client certificates, PEM; none are accepted when empty. */
  readonly clientCa: string
  /** Paths that need no authorization; one that ends in `*` matches by prefix. */
  readonly alwaysAllow: readonly string[]
  readonly access: DelegatedAccess
  readonly conditions: () => readonly HealthCondition[]
  /** The page of a path, if there is one. */
  readonly pageAt: (path: string) => ManagerPage | undefined
  readonly clock: Clock
}

/** A port that is served. */
export interface Serving {
  readonly url: string
  close(): Promise<void>
}

const HEALTH = ['healthz', 'livez', 'readyz']
const YEAR_MS = 365 * 86_400_000
const MOST_CONNECTIONS = 256
const REQUEST_MS = 30_000

/** Begins to serve. */
export async function serveManager(options: ServingOptions): Promise<Serving> {
  const { host, port, clientCa } = options
  const pair = options.cert === '' ? selfSigned(options) : options
  const server = createServer(
    {
      cert: pair.cert,
      key: pair.key,
      minVersion: 'TLSv1.2',
      requestTimeout: REQUEST_MS,
      headersTimeout: REQUEST_MS,
      ...(clientCa === '' ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: false }),
    },
    (request, response) => void respond(options, request, response),
  )
  server.maxConnections = MOST_CONNECTIONS
  server.listen(port, host)
  await once(server, 'listening')
  const { port: taken } = server.address() as AddressInfo
  return {
    url: `https://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function selfSigned({ host, clock }: ServingOptions) {
  const now = clock.now()
  return issue({
    subject: { commonName: `${host}@${Math.floor(now / 1000)}` },
    notBeforeMs: now - 3_600_000,
    notAfterMs: now + YEAR_MS,
    use: 'server',
    hosts: [host, 'localhost', '127.0.0.1'],
  })
}

/** Answers one request. Never rejects. */
async function respond(
  options: ServingOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const write = (code: number, type: string, text: string) => {
    response.writeHead(code, {
      'content-type': type,
      'content-length': Buffer.byteLength(text),
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache, private',
    })
    response.end(request.method === 'HEAD' ? undefined : text)
  }
  try {
    const { code = 200, type, text } = await answerOf(options, request)
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

async function answerOf(options: ServingOptions, request: IncomingMessage): Promise<Answer> {
  const [path = '', query = ''] = (request.url ?? '').split('?', 2)
  const verb = (request.method ?? '').toLowerCase()
  const user = await userOf(options, request)
  if (!isAlwaysAllowed(options.alwaysAllow, path)) {
    if (!(await options.access.allows(user, verb, path)))
      throw forbidden(
        null,
        '',
        `User ${JSON.stringify(user.username)} cannot ${verb} path ${JSON.stringify(path)}`,
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
  { access, clientCa }: ServingOptions,
  { headers, socket }: IncomingMessage,
): Promise<PageUser> {
  const tls = socket as TLSSocket
  if (clientCa !== '' && tls.authorized) {
    const { CN, O } = tls.getPeerCertificate().subject as { CN?: string; O?: string | string[] }
    if (CN !== undefined && CN !== '') return certifiedUser(CN, O === undefined ? [] : [O].flat())
  }
  const [, token] = /^bearer +([^ ]+) *$/i.exec(headers.authorization ?? '') ?? []
  if (token === undefined) return anonymousUser
  const user = await access.userOf(token)
  if (!user) throw unauthorized()
  return user
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
