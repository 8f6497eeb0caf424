/** Requests of commands: any path and media type, with the errors and warnings that people see. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { ClientConfig } from '../../client/client-config.ts'
import { directTrust } from '../../client/direct-trust.ts'
import { bareHost, portOf, serverUrl } from '../../client/server-address.ts'
import { standingCredentials, type ShownCredentials } from '../../client/standing-credentials.ts'
import { statusErrorOf } from '../../client/status-error.ts'
import { tlsOptions } from '../../client/tls-options.ts'
import { formatJson, parseJson } from '../../codec/json-text.ts'
import { StatusError, type Status } from '../../meta/errors.ts'
import { PlainConnection } from '../../outgoing/plain-connection.ts'
import { transportProblem } from '../../outgoing/transport-problem.ts'
import { Fault, Unreachable } from '../base/faults.ts'
import type { FullWay } from './full-way.ts'
import type { Trace } from './trace.ts'

/** One request. */
export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Without the query. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly accept?: string
  /** A JSON value. */
  readonly body?: unknown
  /** Of the body. */
  readonly type?: string
  readonly signal?: AbortSignal
}

/** A successful response. */
export interface ApiAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Readable
}

/** See {@link Api}. */
export interface ApiOptions {
  readonly config: ClientConfig
  readonly userAgent: string
  /** 0: as long as it takes. */
  readonly timeoutMs: number
  /** Whether a plugin can ask the user. */
  readonly isInteractive: () => boolean
  /** Called with the text of each warning of the server. */
  readonly warn: (text: string) => void
  readonly trace: Trace | null
}

const JSON_TYPE = 'application/json'
const MAX_TEXT = 2048
const PLAIN_PATH = /^[!-~]+$/

/** A connection for the first request, and what it sends. */
interface PlainWay {
  readonly connection: PlainConnection
  readonly shown: ShownCredentials
}

/** A server, as one user. */
export class Api {
  readonly config: ClientConfig
  readonly server: URL
  readonly #options: ApiOptions
  /** Null where it will not do. */
  #plain: PlainWay | null
  #full: Promise<FullWay> | null = null
  readonly #ending = new AbortController()

  /** Prepares a connection; nothing is sent yet. Throws an Error when the configuration cannot be used. */
  constructor(options: ApiOptions) {
    this.config = options.config
    this.server = serverUrl(options.config)
    this.#options = options
    this.#plain = plainWay(options.config, this.server)
  }

  /** Headers and certificates of the moment, for connections of other kinds. */
  async credentials(): Promise<ShownCredentials> {
    const { credentials } = await this.#fullWay()
    try {
      return await credentials.current()
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      throw new Unreachable(`getting credentials: ${message}`, '')
    }
  }

  /** Sends a request. Rejects with StatusError for a refusal and with Unreachable without an answer. */
  async send(request: ApiRequest): Promise<ApiAnswer> {
    const { trace, warn, timeoutMs } = this.#options
    const showing = trace && (await import('./trace.ts'))
    const method = request.method ?? 'GET'
    const path = this.server.pathname.replace(/\/+$/, '') + request.path + queryOf(request)
    const signals = [this.#ending.signal, ...(request.signal ? [request.signal] : [])]
    if (timeoutMs > 0) signals.push(AbortSignal.timeout(timeoutMs))
    const signal = AbortSignal.any(signals)
    // From here to where it is sent nothing may wait: the connection takes one request.
    const plain = this.#plainFor(method, path)
    const shown = plain ? plain.shown : await this.credentials()
    const body = request.body === undefined ? null : Buffer.from(formatJson(request.body))
    const headers = {
      accept: request.accept ?? JSON_TYPE,
      'user-agent': this.#options.userAgent,
      ...(body ? { 'content-type': request.type ?? JSON_TYPE } : {}),
      ...shown.headers,
    }
    if (trace)
      showing?.traceRequest(trace, { method, url: this.server.origin + path, headers, body })
    let answer: ApiAnswer
    try {
      answer = await (plain
        ? this.#sendPlain(plain, { path, headers, signal })
        : (await this.#fullWay()).wire.open({ method, path, headers, body, signal }, shown))
    } catch (error) {
      throw this.#unreachable(error, request.signal, timeoutMs)
    }
    if (trace) showing?.traceAnswer(trace, answer)
    for (const text of warningsOf(answer.headers)) warn(text)
    if (answer.status === 401 && !plain) (await this.#fullWay()).credentials.rejected(shown)
    if (answer.status < 200 || answer.status > 299) {
      const text = (await bytesOf(answer.body)).toString('utf8')
      trace?.(8, `Response Body: ${text}`)
      const failure = failureOf(answer, text)
      throw answer.status === 401 ? await explained(failure, shown) : failure
    }
    return answer
  }

  /** The plain connection, where it can take the request now. */
  #plainFor(method: string, path: string): PlainWay | null {
    const plain = this.#plain
    const fits = method === 'GET' && PLAIN_PATH.test(path) && plain?.connection.isBusy === false
    return fits ? plain : null
  }

  async #sendPlain(
    { connection, shown }: PlainWay,
    request: Parameters<PlainConnection['open']>[0],
  ): Promise<ApiAnswer> {
    try {
      return await connection.open(request)
    } catch (error) {
      if (request.signal.aborted) throw error
      // Says what is wrong with the configuration, where that is why.
      const { wire } = await this.#fullWay()
      if (!speaksOtherwise(error)) throw error
      this.#plain = null
      return wire.open({ method: 'GET', body: null, ...request }, shown)
    }
  }

  #fullWay(): Promise<FullWay> {
    const { config, isInteractive } = this.#options
    return (this.#full ??= import('./full-way.ts').then(({ openFullWay }) =>
      openFullWay(config, isInteractive()),
    ))
  }

  /** Passes a request of another program on; the answer is whatever the server says. */
  async pass(request: {
    readonly method: string
    readonly path: string
    readonly query: Readonly<Record<string, readonly string[]>>
    readonly headers: IncomingHttpHeaders
    readonly body: Buffer
    readonly signal: AbortSignal
  }): Promise<ApiAnswer> {
    const shown = await this.credentials()
    const { wire } = await this.#fullWay()
    const { accept = '*/*', 'content-type': type } = request.headers
    try {
      return await wire.open(
        {
          method: request.method,
          path: this.server.pathname.replace(/\/+$/, '') + request.path + queryOf(request),
          headers: {
            accept,
            'user-agent': this.#options.userAgent,
            ...(type === undefined ? {} : { 'content-type': type }),
            ...shown.headers,
          },
          body: request.body.length > 0 ? request.body : null,
          signal: AbortSignal.any([this.#ending.signal, request.signal]),
        },
        shown,
      )
    } catch (error) {
      throw this.#unreachable(error, request.signal, 0)
    }
  }

  /** The JSON value of a response. */
  async json<T = unknown>(request: ApiRequest): Promise<T> {
    const { body } = await this.send(request)
    let bytes: Buffer
    try {
      bytes = await bytesOf(body)
    } catch (error) {
      throw this.#unreachable(error, request.signal, this.#options.timeoutMs)
    }
    this.#options.trace?.(8, `Response Body: ${bytes.toString('utf8')}`)
    try {
      return parseJson(bytes) as T
    } catch {
      throw new Fault(
        `error: the server did not answer with JSON: check that ${this.server.origin} is an API server`,
      )
    }
  }

  /** The text of a response. */
  async text(request: ApiRequest): Promise<string> {
    const { body } = await this.send({ accept: '*/*', ...request })
    return (await bytesOf(body)).toString('utf8')
  }

  /** Ends everything. */
  close(): void {
    this.#plain?.connection.close()
    if (!this.#full) return
    this.#ending.abort()
    this.#full.then(
      ({ wire }) => wire.close(),
      () => {},
    )
  }

  #unreachable(error: unknown, signal: AbortSignal | undefined, timeoutMs: number): unknown {
    if (signal?.aborted) return signal.reason as unknown
    if (error instanceof Fault) return error
    const { server } = this
    const host = `${server.hostname}:${portOf(server)}`
    if (timeoutMs > 0 && error instanceof Error && /Abort|Timeout/.test(error.name)) {
      return new Unreachable(
        'net/http: request canceled (Client.Timeout exceeded while awaiting headers)',
        host,
      )
    }
    return new Unreachable(transportProblem(error, bareHost(server)), host)
  }
}

function queryOf({ query = {} }: Pick<ApiRequest, 'query'>): string {
  const parts = Object.entries(query).flatMap(([name, value]) =>
    (value === undefined ? [] : typeof value === 'string' ? [value] : value).map(
      (one) => `${encodeURIComponent(name)}=${encodeURIComponent(one)}`,
    ),
  )
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

function plainWay(config: ClientConfig, server: URL): PlainWay | null {
  const shown = standingCredentials(config)
  if (shown === null || server.protocol !== 'https:' || config.proxyUrl !== undefined) return null
  const tls = {
    host: bareHost(server),
    port: portOf(server),
    ...tlsOptions(config, server, shown),
  }
  return { connection: new PlainConnection(tls, server.host, directTrust(tls, Date.now)), shown }
}

/** Whether the server speaks no HTTP/1.1. */
const speaksOtherwise = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'

/** All bytes of a body. */
export function bytesOf(body: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    body.on('data', (chunk: Buffer) => chunks.push(chunk))
    body.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    body.once('error', reject)
    const cut = () => reject(body.errored ?? CUT())
    // It may have been cut off before anybody looked.
    if (body.readableEnded) resolve(Buffer.alloc(0))
    else if (body.destroyed) cut()
    else body.once('close', cut)
  })
}

const CUT = () => Object.assign(new Error('aborted'), { code: 'ECONNRESET' })

function failureOf({ status }: ApiAnswer, text: string): StatusError {
  let said: Partial<Status> = {}
  try {
    const value = parseJson(text)
    if ((value as { kind?: unknown } | null)?.kind === 'Status') said = value as Partial<Status>
  } catch {
    // A proxy between server and client may respond with another format.
  }
  // A Status without a reason has none; other responses are known by their code.
  if (said.code === undefined) said = { message: withoutStatus(status, text) }
  else said = { ...said, reason: said.reason ?? '' }
  return statusErrorOf({ code: status, ...said }, { text })
}

/** A refusal of credentials that says why, where they are out of date. */
async function explained(failure: StatusError, shown: ShownCredentials): Promise<StatusError> {
  const { outOfDate } = await import('./out-of-date.ts')
  const { code, reason, message, details } = failure
  const why = outOfDate(shown, Date.now())
  return why === null ? failure : new StatusError(code, reason, `${message}: ${why}`, details)
}

const TEXTS: Readonly<Record<number, string>> = {
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
}

/** The message of a response that is no Status, such as that of a proxy. */
function withoutStatus(status: number, text: string): string {
  const known = TEXTS[status]
  if (known !== undefined) return known
  const shown = JSON.stringify(text.slice(0, MAX_TEXT).trim())
  return status >= 500
    ? `an error on the server (${shown}) has prevented the request from succeeding`
    : `the server responded with the status code ${status} but did not return more information (${shown})`
}

/** Texts of `Warning` headers. */
function warningsOf(headers: IncomingHttpHeaders): string[] {
  const all = headers['warning']
  if (all === undefined) return []
  return [
    ...[all]
      .flat()
      .join(', ')
      .matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g),
  ].map(([, text]) => text!.replaceAll(/\\(.)/g, '$1'))
}
