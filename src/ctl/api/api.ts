/** Requests of commands: any path and media type, with the errors and warnings that people see. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { systemClock } from '../../base/clock.ts'
import { openCredentials } from '../../client/connect.ts'
import { InvalidAuthorities } from '../../client/connection.ts'
import type { ClientConfig } from '../../client/client-config.ts'
import { bareHost, portOf } from '../../client/server-address.ts'
import type { CredentialSource, ShownCredentials } from '../../client/credentials.ts'
import { statusErrorOf } from '../../client/status-error.ts'
import { Wire } from '../../client/wire.ts'
import { formatJson, parseJson } from '../../codec/json-text.ts'
import type { Status } from '../../meta/errors.ts'
import { transportProblem } from '../../outgoing/transport-problem.ts'
import { Fault, Unreachable } from '../base/faults.ts'

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
  readonly isInteractive: boolean
  /** Called with the text of each warning of the server. */
  readonly warn: (text: string) => void
  /** Writes about requests, in the detail of its level; null for none. */
  readonly trace: ((level: number, text: string) => void) | null
}

const JSON_TYPE = 'application/json'
const MAX_TEXT = 2048

/** A server, as one user. */
export class Api {
  readonly config: ClientConfig
  readonly #options: ApiOptions
  readonly #wire: Wire
  readonly #credentials: CredentialSource
  readonly #ending = new AbortController()

  private constructor(options: ApiOptions, wire: Wire, credentials: CredentialSource) {
    this.config = options.config
    this.#options = options
    this.#wire = wire
    this.#credentials = credentials
  }

  /** Prepares a connection; nothing is sent yet. */
  static async open(options: ApiOptions): Promise<Api> {
    const { config, isInteractive } = options
    try {
      const wire = new Wire(config, systemClock)
      const credentials = await openCredentials(config, {
        clock: systemClock,
        interactive: isInteractive,
      })
      return new Api(options, wire, credentials)
    } catch (error) {
      if (error instanceof InvalidAuthorities) {
        throw new Fault(`error: unable to load root certificates: ${error.message}`)
      }
      throw error
    }
  }

  get server(): URL {
    return this.#wire.server
  }

  /** Headers and certificates of the moment, for connections of other kinds. */
  credentials(): Promise<ShownCredentials> {
    return this.#shown()
  }

  /** Sends a request. Rejects with StatusError for a refusal and with Unreachable without an answer. */
  async send(request: ApiRequest): Promise<ApiAnswer> {
    const { trace, warn, timeoutMs } = this.#options
    const method = request.method ?? 'GET'
    const path = this.#wire.server.pathname.replace(/\/+$/, '') + request.path + queryOf(request)
    const signals = [this.#ending.signal, ...(request.signal ? [request.signal] : [])]
    if (timeoutMs > 0) signals.push(AbortSignal.timeout(timeoutMs))
    const shown = await this.#shown()
    const body = request.body === undefined ? null : Buffer.from(formatJson(request.body))
    const headers = {
      accept: request.accept ?? JSON_TYPE,
      'user-agent': this.#options.userAgent,
      ...(body ? { 'content-type': request.type ?? JSON_TYPE } : {}),
      ...shown.headers,
    }
    if (trace) traceRequest(trace, { method, url: this.#wire.server.origin + path, headers, body })
    let answer: ApiAnswer
    try {
      answer = await this.#wire.open(
        { method, path, headers, body, signal: AbortSignal.any(signals) },
        shown,
      )
    } catch (error) {
      throw this.#unreachable(error, request.signal, timeoutMs)
    }
    if (trace) traceAnswer(trace, answer)
    for (const text of warningsOf(answer.headers)) warn(text)
    if (answer.status === 401) this.#credentials.rejected(shown)
    if (answer.status < 200 || answer.status > 299) {
      const text = (await bytesOf(answer.body)).toString('utf8')
      trace?.(8, `Response Body: ${text}`)
      throw failureOf(answer, text)
    }
    return answer
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
    const shown = await this.#shown()
    const { accept = '*/*', 'content-type': type } = request.headers
    try {
      return await this.#wire.open(
        {
          method: request.method,
          path: this.#wire.server.pathname.replace(/\/+$/, '') + request.path + queryOf(request),
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
        `error: the server did not answer with JSON: check that ${this.#wire.server.origin} is an API server`,
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
    this.#ending.abort()
    this.#wire.close()
  }

  async #shown(): Promise<ShownCredentials> {
    try {
      return await this.#credentials.current()
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      throw new Unreachable(`getting credentials: ${message}`, '')
    }
  }

  #unreachable(error: unknown, signal: AbortSignal | undefined, timeoutMs: number): unknown {
    if (signal?.aborted) return signal.reason as unknown
    const { server } = this.#wire
    const host = `${server.hostname}:${portOf(server)}`
    if (timeoutMs > 0 && error instanceof Error && error.name.includes('Abort')) {
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

/** All bytes of a body. */
export async function bytesOf(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk as Buffer)
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

function failureOf({ status }: ApiAnswer, text: string): Error {
  let said: Partial<Status> = {}
  try {
    const value = parseJson(text)
    if ((value as { kind?: unknown } | null)?.kind === 'Status') said = value as Partial<Status>
  } catch {
    // A proxy between server and client may respond with another format.
  }
  if (said.code === undefined) said = { message: withoutStatus(status, text) }
  return statusErrorOf({ code: status, ...said }, { text })
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

interface Traced {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: Buffer | null
}

const SECRET_HEADERS = /^(authorization|cookie|proxy-authorization)$/i

function traceRequest(trace: (level: number, text: string) => void, sent: Traced): void {
  if (sent.body) trace(8, `Request Body: ${sent.body.toString('utf8')}`)
  trace(6, `${sent.method} ${sent.url}`)
  trace(7, 'Request Headers:')
  for (const [name, value] of Object.entries(sent.headers)) {
    const text = [value].flat().join(', ')
    const shown = SECRET_HEADERS.test(name) ? text.replace(/(\S+)?( |^).*/s, '$1$2<masked>') : text
    trace(7, `    ${name}: ${shown}`)
  }
}

function traceAnswer(trace: (level: number, text: string) => void, answer: ApiAnswer): void {
  trace(6, `Response Status: ${answer.status}`)
  trace(8, 'Response Headers:')
  for (const [name, value] of Object.entries(answer.headers)) {
    trace(8, `    ${name}: ${SECRET_HEADERS.test(name) ? '<masked>' : [value].flat().join(', ')}`)
  }
}
