import type { IncomingHttpHeaders } from 'node:http'
import type { User } from '../registry/context.ts'
import type { ListSearch, Result } from '../registry/results.ts'
import type { Decision } from '../authz/authorizer.ts'
import type { InPool } from '../base/indexed-pool.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { Status, StatusError } from '../meta/errors.ts'
import type { AuditAnnotation, Context } from './context.ts'
import type { ObjectMeta } from '../meta/object-meta.ts'
import type { Exchange, ExchangeObserver } from './exchange.ts'
import type { RequestKind } from './in-flight.ts'
import type { MeasuredParts } from './measured-parts.ts'
import { NO_REQUEST, isLongRunning, type RequestInfo } from './request-info.ts'
import { isNobody } from './request-context.ts'
import { resultJson } from './represent.ts'

/** The JSON of an object, in the version that its apiVersion names. */
export interface ObjectBytes {
  /** `group/version`; of the core group the version alone. */
  readonly apiVersion: string
  readonly json: Buffer
}

/** One request as subscribers see it. Unknown values are null, 0 or empty. */
export interface ObservedRequest {
  readonly method: string
  /** Path and query as sent; empty when the head could not be read. */
  readonly target: string
  /** As sent; once the request is authenticated, without its credentials. */
  readonly headers: IncomingHttpHeaders
  readonly protocol: 'HTTP/1.1' | 'HTTP/2'
  readonly remoteAddress: string
  /** Value of the `Audit-Id` header of the response. */
  readonly auditId: string
  /** Parsed path; null until then. */
  readonly info: RequestInfo | null
  /** Whether the response has no time limit: watches, logs, proxies. */
  readonly isLongRunning: boolean
  /** The user after impersonation; null until known. */
  readonly user: User | null
  /** The user that impersonates `user`; null without impersonation. */
  readonly impersonator: User | null
  /** The authorization decision with its reason; null until then. */
  readonly decision: Decision | null
  /** Additional audit annotations, by key. */
  readonly annotations: ReadonlyMap<string, AuditAnnotation>
  /** The whole body as sent; null unless a subscriber wants it (`wantsBody`) and it was read. */
  readonly body: Buffer | null
  /** Media type of the body, without parameters. */
  readonly bodyType: string
  /**
   * The object of the request: its body as JSON in the version it was sent in, for a patch the patch. Computed on first
   * access; null without a readable body that a subscriber wants.
   */
  requestObject(): ObjectBytes | null
  /**
   * The object, list or Status of the response, as JSON in the version of the request, regardless of the requested
   * form. Computed on demand; null for streams, documents and requests without a response.
   */
  responseObject(): ObjectBytes | null
  /** Status of the response; 0 until it has begun. */
  readonly status: number
  /** Bytes of the response body that were handed to the connection, without protocol overhead. */
  readonly bytesWritten: number
  /** Whether the complete response was handed to the connection; false also when the client disconnected before. */
  readonly isWhole: boolean
  /** The error that the request was rejected with. */
  readonly failure: StatusError | null
  /** The unexpected error: the stage is `panic`. */
  readonly fault: unknown
  /** Milliseconds since the epoch; 0 until then. */
  readonly receivedAt: number
  readonly startedAt: number
  readonly endedAt: number
}

/** Identity of the object in the body of a request, as sent; empty where it is not. */
export interface ObjectIdentity {
  readonly name: string
  readonly namespace: string
  readonly uid: string
  readonly resourceVersion: string
}

/** The head of a request, as far as it could be parsed. */
export type RecordHead = Pick<
  ObservedRequest,
  'method' | 'target' | 'headers' | 'protocol' | 'remoteAddress'
>

/** Called when the response of a record begins. */
export type OnBegun = (record: RequestRecord) => void

const NO_ANNOTATIONS: ReadonlyMap<string, AuditAnnotation> = new Map()

/** The record of one request; created only with stage subscribers. */
export class RequestRecord implements ObservedRequest, ExchangeObserver, InPool {
  readonly method: string
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly protocol: 'HTTP/1.1' | 'HTTP/2'
  readonly remoteAddress: string
  readonly receivedAt: number
  startedAt = 0
  endedAt = 0
  status = 0
  bytesWritten = 0
  isWhole = false
  body: Buffer | null = null
  bodyType = ''
  failure: StatusError | null = null
  fault: unknown = null
  hasFault = false
  /** The last stage was reported. */
  isOver = false
  place = -1
  /** State of the audit of this request; null until it begins. */
  audit: object | null = null
  /** The resource that served it; null until then, and for other paths. */
  served: ResourceEntry | null = null
  /** Objects of the list that it got; -1: it got none. */
  listed = -1
  /** How that list was made; null: unknown. */
  search: ListSearch | null = null
  /** As which kind it counts while it is under way; null: it does not. */
  flight: RequestKind | null = null
  /** Why its user is not known: its credential is invalid, or it has none. */
  unknownUser: 'error' | 'failure' | null = null
  /** Filters that it waited in, with the milliseconds; null: in none. */
  waits: (readonly [filter: string, ms: number])[] | null = null
  /** Its parts; null while nobody measures them. */
  parts: MeasuredParts | null = null
  /** Milliseconds that its admission webhooks took. */
  webhookMs = 0
  /** It is for an extension server, which could not be asked. */
  isUnproxied = false
  /** It got its response at the deadline, while its handler ran on. */
  hasTimedOut = false
  /** The handler failed after that. */
  hasFailedLate = false
  identity: ObjectIdentity | null = null
  readonly #context: Context | null
  readonly #onBegun: OnBegun
  #bodyJson: Buffer | null = null
  #result: { readonly served: ResourceEntry; readonly result: Result } | null = null

  /** `context`: null for requests that are rejected before the pipeline. */
  constructor(head: RecordHead, context: Context | null, told: { at: number; onBegun: OnBegun }) {
    this.method = head.method
    this.target = head.target
    this.headers = head.headers
    this.protocol = head.protocol
    this.remoteAddress = head.remoteAddress
    this.receivedAt = told.at
    this.#onBegun = told.onBegun
    this.#context = context
  }

  get auditId(): string {
    const headers = this.#context?.headers ?? []
    const at = headers.indexOf('audit-id')
    return at === -1 ? '' : headers[at + 1]!
  }
  get info(): RequestInfo | null {
    const info = this.#context?.info ?? NO_REQUEST
    return info === NO_REQUEST ? null : info
  }
  get isLongRunning(): boolean {
    return this.info !== null && isLongRunning(this.info)
  }
  get user(): User | null {
    return this.#context === null || isNobody(this.#context.user) ? null : this.#context.user
  }
  get impersonator(): User | null {
    return this.#context?.impersonator ?? null
  }
  get decision(): Decision | null {
    return this.#context?.decision ?? null
  }
  get annotations(): ReadonlyMap<string, AuditAnnotation> {
    return this.#context?.auditAnnotations ?? NO_ANNOTATIONS
  }

  requestObject(): ObjectBytes | null {
    if (this.body === null || this.body.length === 0) return null
    const isJson = this.bodyType === '' || /^application\/([\w.-]+\+)?json$/.test(this.bodyType)
    const json = this.#bodyJson ?? (isJson ? this.body : null)
    return json === null ? null : { apiVersion: this.#groupVersion, json }
  }

  responseObject(): ObjectBytes | null {
    if (this.failure !== null) {
      return { apiVersion: 'v1', json: Buffer.from(JSON.stringify(this.failure.toStatus())) }
    }
    if (this.#result === null) return null
    const { served, result } = this.#result
    return resultJson(this.#context!.server.api, served, result)
  }

  get #groupVersion(): string {
    const { group, version } = this.#context?.info ?? NO_REQUEST
    return group === '' ? version : `${group}/${version}`
  }

  /** The Status that the request got without being rejected; null where it got something else. */
  get outcome(): Status | null {
    return this.#result?.result.is === 'status' ? this.#result.result.body : null
  }

  /** The request has this response. */
  answered(served: ResourceEntry, result: Result): void {
    this.#result = { served, result }
    if (result.is !== 'list') return
    this.listed = result.items.length
    this.search = result.search ?? null
  }

  /** The request is rejected. */
  failed(error: StatusError): void {
    if (this.failure === null) this.failure = error
    else if (this.hasTimedOut) this.hasFailedLate = true
  }

  /** An unexpected error was thrown. */
  panicked(fault: unknown): void {
    if (this.hasFault) return
    this.hasFault = true
    this.fault = fault
  }

  /** The body is complete and a subscriber wants it. */
  read(body: Buffer, bodyType: string): void {
    this.body = body
    this.bodyType = bodyType
  }

  /** The object in the body is decoded; it changes later. */
  decoded({ name = '', namespace = '', uid = '', resourceVersion = '' }: ObjectMeta): void {
    this.identity = { name, namespace, uid, resourceVersion }
  }

  /** The decoded form of a body that is not JSON. */
  readAs(json: Buffer): void {
    if (this.body !== null) this.#bodyJson = json
  }

  // Notifications of the exchange.

  begun(status: number): void {
    if (this.isOver || this.status !== 0) return
    this.status = status
    this.#onBegun(this)
  }
  wrote(bytes: number): void {
    this.bytesWritten += bytes
  }
  finished(): void {
    this.isWhole = true
  }
}

/** The head of an exchange. */
export const headOf = (exchange: Exchange): RecordHead => {
  const { method, target, headers } = exchange
  return {
    method,
    target,
    headers,
    protocol: headers[':method'] === undefined ? 'HTTP/1.1' : 'HTTP/2',
    remoteAddress: exchange.remoteAddress ?? exchange.socket.remoteAddress ?? '',
  }
}
