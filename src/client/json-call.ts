/** Calls to a server that takes and returns JSON. */
import type { OutgoingHttpHeaders } from 'node:http'
import type { RequestOptions } from 'node:https'
import { isIP } from 'node:net'
import type { Clock } from '../base/clock.ts'
import type { Dial } from '../base/dial.ts'
import { formatDuration } from '../base/duration.ts'
import { randomIds, type Ids } from '../base/ids.ts'
import { formatJson, parseJson } from '../codec/json-text.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { transportProblem } from '../outgoing/transport-problem.ts'
import { answerError, CallError, withoutSecrets } from './call-error.ts'
import { isReset } from '../outgoing/platform-errors.ts'
import type { Registry } from '../metrics/registry.ts'
import type { ClientConfig } from './client-config.ts'
import { RestMeter } from './rest-metrics.ts'
import { mapOf, memberOf, type ConfigMap } from './config-values.ts'
import { Connections } from './connection.ts'
import { bareHost, portOf, serverUrl } from './server-address.ts'
import {
  beginAfresh,
  beginExchange,
  readAnswer,
  StaleConnection,
  type StreamedBody,
} from '../outgoing/http-exchange.ts'
import { credentialSource, type CredentialSource } from './credentials.ts'
import type { ShownCredentials } from './standing-credentials.ts'

const TIMEOUT_MS = 30_000
const MAX_ANSWER_BYTES = 3 << 20
const ATTEMPTS = 5
const FIRST_DELAY_MS = 500
const DELAY_FACTOR = 1.5
const DELAY_JITTER = 0.2
/** Targets that a client keeps. */
const MOST_TARGETS = 16
const MOST_PATH = 1024

/** One attempt at a call, when it has ended. */
export interface ObservedCall {
  readonly method: 'GET' | 'POST'
  /** As errors show it. */
  readonly url: string
  /** JSON text; empty without a body. */
  readonly request: string
  /** Status of the response; 0 without one. */
  readonly status: number
  /** Empty without a response. */
  readonly response: string
  /** Empty for a success. */
  readonly error: string
}

/** Told of calls. Runs in the asynchronous context of the caller. Must not throw. */
export type CallObserver = (call: ObservedCall) => void

/** Dependencies of a client. */
export interface JsonClientOptions {
  readonly config: ClientConfig
  readonly v: Vocabulary
  readonly clock: Clock
  /** For the jitter of delays; random by default. */
  readonly ids?: Pick<Ids, 'fraction'>
  readonly userAgent?: string
  /** Milliseconds that one attempt may take; 30 seconds by default. It is sent to the server. */
  readonly timeoutMs?: number
  readonly maxAnswerBytes?: number
  /** Attempts at one call; 5 by default. */
  readonly attempts?: number
  /** Milliseconds before the second attempt; half a second by default. */
  readonly retryDelayMs?: number
  /** Whether standard input is interactive, for credential plugins; false by default. */
  readonly interactive?: boolean
  /** Where to connect to instead of the host and port of the server's URL. */
  readonly dial?: { readonly host: string; readonly port: number }
  /** Opens connections, where the platform does not. */
  readonly through?: Dial | undefined
  /** Host and port in errors and in the `Host` header, where they are not those of the server's URL. */
  readonly shownHost?: string
  /** Describes a response that is no success; without: in the words of {@link answerError}. */
  readonly describeAnswer?: (code: number, body: Buffer) => string
  /** Observes every attempt, with its bodies. */
  readonly onCall?: CallObserver | undefined
  /** Counts every attempt. */
  readonly metrics?: Registry | undefined
}

/** One call. */
export interface JsonCall {
  /** POST by default. */
  readonly method?: 'GET' | 'POST'
  /** Below the path of the server's URL. */
  readonly path?: string
  readonly body?: unknown
  /** The body as JSON text, instead of `body`. */
  readonly text?: string
  /** The body in pieces, which are JSON text together, instead of `body`. */
  readonly stream?: StreamedBody
  /** Overrides that of the client. */
  readonly maxAnswerBytes?: number
  /** The call resolves with undefined, whatever the body of the response is. */
  readonly ignoresAnswer?: boolean
  /** Overrides that of the client. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** The trace that the server continues; empty or absent: none. */
  readonly traceparent?: string
  /** Secrets in the body that must not appear in an error. */
  readonly secrets?: readonly string[]
}

/** A call whose response is read in its own way. */
export interface ReadCall<T> extends JsonCall {
  /** Reads the body of a successful response, instead of parsing it as JSON. Throws and rejects with Error. */
  readonly read: (body: Buffer) => T | Promise<T>
}

/** Creates a client. Throws an Error when its configuration is invalid. */
export async function openJsonClient(options: JsonClientOptions): Promise<JsonClient> {
  const { config, v, clock, interactive = false } = options
  const { exec } = config
  if (!exec) return new JsonClient(options, credentialSource(config))
  const { execPlugin } = await import('./exec-plugin.ts')
  const plugin = execPlugin({ config: { ...config, exec }, v, clock, interactive })
  return new JsonClient(options, credentialSource(config, plugin))
}

/** Calls one server; made by {@link openJsonClient}. */
export class JsonClient {
  readonly #options: JsonClientOptions
  readonly #credentials: CredentialSource
  readonly #server: URL
  readonly #connections: Connections
  /** By path; most clients have one, or a few. */
  readonly #targets = new Map<string, Target>()
  /** By method. */
  readonly #meters = new Map<string, RestMeter>()

  constructor(options: JsonClientOptions, credentials: CredentialSource) {
    this.#options = options
    this.#credentials = credentials
    this.#server = serverUrl(options.config)
    this.#connections = new Connections(options.config, this.#server, options.through)
  }

  /** The JSON of a successful response. Rejects with {@link CallError} when all attempts fail. */
  async call<T = unknown>(call: JsonCall | ReadCall<T>): Promise<T> {
    const { attempts = ATTEMPTS } = this.#options
    const target = this.#target(call)
    for (let attempt = 1; ; attempt++) {
      try {
        return (await this.#observed(call, target)) as T
      } catch (error) {
        if (!(error instanceof CallError) || !error.isRetryable || attempt >= attempts) throw error
        await this.#pause(attempt, error, target, call.signal)
      }
    }
  }

  /** Ends all calls. */
  close(): void {
    this.#connections.close()
  }

  /** Closes connections as soon as their calls end; there are no new calls. */
  retire(): void {
    this.#connections.retire()
  }

  #target({ method = 'POST', path = '', timeoutMs = this.#options.timeoutMs }: JsonCall): Target {
    const limitMs = timeoutMs ?? TIMEOUT_MS
    const known = this.#targets.get(path)
    if (known?.method === method && known.limitMs === limitMs) return known
    const made = this.#targetOf(method, path, limitMs)
    if (path.length > MOST_PATH) return made
    if (this.#targets.size >= MOST_TARGETS) this.#targets.clear()
    this.#targets.set(path, made)
    return made
  }

  #targetOf(method: 'GET' | 'POST', path: string, limitMs: number): Target {
    const url = new URL(this.#server)
    url.hash = ''
    url.pathname = `${url.pathname}/${path}`.replace(/\/{2,}/g, '/').replace(/(.)\/$/, '$1')
    url.search = `?timeout=${formatDuration(BigInt(Math.ceil(limitMs / 1000)) * 1_000_000_000n)}`
    const verb = method === 'POST' ? 'Post' : 'Get'
    const { shownHost: host = url.host } = this.#options
    const shown = `${url.protocol}//${host}${url.pathname}${url.search}`
    const { dial } = this.#options
    const bare = bareHost(url)
    return {
      method,
      url,
      host,
      limitMs,
      prefix: `${verb} ${JSON.stringify(shown)}: `,
      to: { host: dial?.host ?? bare, port: dial?.port ?? portOf(url) },
      path: `${url.pathname}${url.search}`,
      // Otherwise the platform looks for a name in the `Host` header of each request: an address is none.
      servername: host === url.host && isIP(bare) !== 0 ? '' : undefined,
    }
  }

  async #pause(attempt: number, error: CallError, target: Target, signal?: AbortSignal) {
    const { clock, ids = randomIds, retryDelayMs = FIRST_DELAY_MS } = this.#options
    const base = retryDelayMs * DELAY_FACTOR ** (attempt - 1)
    const own = Math.round(base * (1 + DELAY_JITTER * ids.fraction()))
    // A server does not keep its callers for longer than an attempt may take.
    const delay = Math.max(own, Math.min(error.retryAfterMs, target.limitMs))
    await new Promise<void>((resolve, reject) => {
      const stop = () => {
        cancel()
        reject(new CallError(`${target.prefix}context canceled`))
      }
      const cancel = clock.after(delay, () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      })
      if (signal?.aborted) stop()
      else signal?.addEventListener('abort', stop, { once: true })
    })
  }

  async #observed(call: JsonCall, target: Target): Promise<unknown> {
    const { onCall } = this.#options
    if (!onCall) return this.#attempt(call, target)
    const seen: { answer: Answer | null } = { answer: null }
    let error = ''
    try {
      return await this.#attempt(call, target, seen)
    } catch (thrown) {
      error = thrown instanceof Error ? thrown.message : String(thrown)
      throw thrown
    } finally {
      const url = `${target.url.protocol}//${target.host}${target.url.pathname}`
      const { code = 0, body: response = '' } = seen.answer ?? {}
      const request = textOf(bodyOf(call))
      const { method } = target
      onCall({ method, url, request, status: code, response: response.toString(), error })
    }
  }

  async #attempt(
    call: JsonCall,
    target: Target,
    seen?: { answer: Answer | null },
  ): Promise<unknown> {
    const { prefix } = target
    const limit = new Limit()
    const stop = () => limit.end(new CallError(`${prefix}context canceled`))
    const cancel = this.#options.clock.after(target.limitMs, () =>
      limit.end(new CallError(`${prefix}context deadline exceeded`)),
    )
    if (call.signal?.aborted) stop()
    else call.signal?.addEventListener('abort', stop, { once: true })
    try {
      if (limit.reason) throw limit.reason
      const shown = await this.#shown(prefix, limit)
      const secrets = [...(call.secrets ?? []), ...shown.secrets]
      const answer = await this.#exchange(call, target, shown, limit)
      if (seen) seen.answer = answer
      this.#mustSucceed(answer, prefix, shown, secrets)
      if (call.ignoresAnswer === true) return undefined
      return await this.#read(answer, call, prefix, secrets)
    } catch (error) {
      if (error instanceof CallError) throw error
      if (limit.reason) throw limit.reason
      const problem = error instanceof StaleConnection ? error.cause : error
      throw new CallError(`${prefix}${transportProblem(problem, bareHost(target.url))}`, {
        isRetryable: isReset(problem),
      })
    } finally {
      cancel()
      call.signal?.removeEventListener('abort', stop)
    }
  }

  async #shown(prefix: string, limit: Limit): Promise<ShownCredentials> {
    try {
      return await limit.unlessEnded(this.#credentials.current())
    } catch (cause) {
      if (cause instanceof CallError) throw cause
      const why = cause instanceof Error ? cause.message : 'for an unknown reason'
      throw new CallError(`${prefix}getting credentials: ${why}`)
    }
  }

  async #exchange(
    call: JsonCall,
    target: Target,
    shown: ShownCredentials,
    limit: Limit,
  ): Promise<Answer> {
    const maxAnswerBytes = call.maxAnswerBytes ?? this.#options.maxAnswerBytes ?? MAX_ANSWER_BYTES
    const { url, method, prefix } = target
    const body = bodyOf(call)
    const options: RequestOptions = {
      method,
      host: target.to.host,
      port: target.to.port,
      path: target.path,
      servername: target.servername,
      headers: this.#headersOf(call, target, body, shown),
      agent: this.#connections.agentFor(shown),
    }
    const ended = this.#meterOf(method, target.host)?.begin(body?.length ?? 0)
    const answer = await beginAfresh(
      () =>
        beginExchange(url.protocol, options, body, (request) =>
          limit.whenEnded((reason) => request.destroy(reason)),
        ),
      () => this.#connections.dropIdle(),
    ).catch((error: unknown) => {
      ended?.(0)
      throw error
    })
    const tooLarge = () =>
      new CallError(`${prefix}the answer is larger than ${maxAnswerBytes} bytes`)
    const code = answer.statusCode ?? 0
    const received = await readAnswer(answer, maxAnswerBytes, tooLarge)
    ended?.(code, received.length)
    return { code, retryAfter: answer.headers['retry-after'], body: received }
  }

  #headersOf(
    { traceparent }: JsonCall,
    { host }: Target,
    body: Buffer | StreamedBody | null,
    shown: ShownCredentials,
  ): OutgoingHttpHeaders {
    const { userAgent } = this.#options
    const headers: OutgoingHttpHeaders = { host, accept: 'application/json' }
    if (userAgent !== undefined) headers['user-agent'] = userAgent
    if (traceparent) headers['traceparent'] = traceparent
    if (body) {
      headers['content-type'] = 'application/json'
      headers['content-length'] = body.length
    }
    return Object.assign(headers, shown.headers)
  }

  #meterOf(method: string, host: string): RestMeter | null {
    const { metrics } = this.#options
    if (!metrics) return null
    let meter = this.#meters.get(method)
    if (!meter) this.#meters.set(method, (meter = new RestMeter(metrics, host, method)))
    return meter
  }

  /** Checks the status of a response. Throws CallError. */
  #mustSucceed(
    answer: Answer,
    prefix: string,
    shown: ShownCredentials,
    secrets: readonly string[],
  ): void {
    const { code, body } = answer
    if (code === 401) this.#credentials.rejected(shown)
    if (code >= 200 && code <= 206) return
    const { describeAnswer } = this.#options
    if (describeAnswer)
      throw new CallError(withoutSecrets(describeAnswer(code, body), secrets), { code })
    throw answerError(prefix, { ...answer, status: statusIn(body) }, secrets)
  }

  async #read(
    { code, body }: Answer,
    call: JsonCall | ReadCall<unknown>,
    prefix: string,
    secrets: readonly string[],
  ): Promise<unknown> {
    try {
      return 'read' in call ? await call.read(body) : parseJson(body)
    } catch (error) {
      const why = error instanceof Error ? withoutSecrets(error.message, secrets) : ''
      throw new CallError(`${prefix}the answer is not JSON: ${why}`, { code })
    }
  }
}

function bodyOf({ stream, text, body }: JsonCall): Buffer | StreamedBody | null {
  if (stream) return stream
  if (text !== undefined) return Buffer.from(text)
  return body === undefined ? null : Buffer.from(formatJson(body))
}

function textOf(body: Buffer | StreamedBody | null): string {
  if (!body) return ''
  return (Buffer.isBuffer(body) ? body : Buffer.concat([...body.pieces()])).toString()
}

interface Target {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  /** Host and port as they are shown. */
  readonly host: string
  readonly limitMs: number
  /** Prefix of every error. */
  readonly prefix: string
  /** Where to connect to. */
  readonly to: { readonly host: string; readonly port: number }
  /** With the query. */
  readonly path: string
  /** Of TLS, where it is known not to be that of the server. */
  readonly servername: '' | undefined
}

/** Ends an attempt early: its caller, or its time. Costs less than an AbortController and what listens to it. */
class Limit {
  /** Null: it goes on. */
  reason: CallError | null = null
  #stop: ((reason: CallError) => void) | null = null

  end(reason: CallError): void {
    if (this.reason) return
    this.reason = reason
    this.#stop?.(reason)
  }

  /** Calls back at the end, at once if it is over; instead of the callback before. */
  whenEnded(stop: (reason: CallError) => void): void {
    this.#stop = stop
    if (this.reason) stop(this.reason)
  }

  /** What comes of some work; rejects at the end. */
  unlessEnded<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.whenEnded(reject)
      work.then(resolve, reject)
    })
  }
}

interface Answer {
  readonly code: number
  readonly retryAfter: string | undefined
  readonly body: Buffer
}

/** The Status in a response, if there is one. */
function statusIn(body: Buffer): ConfigMap | null {
  try {
    const map = mapOf(parseJson(body), 'the answer')
    return memberOf(map, 'kind') === 'Status' ? map : null
  } catch {
    return null
  }
}
