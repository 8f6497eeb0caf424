import type { IncomingHttpHeaders } from 'node:http'
import type { User } from '../registry/context.ts'
import type { Result } from '../registry/results.ts'
import type { Decision } from '../authz/authorizer.ts'
import type { InPool } from '../base/indexed-pool.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { StatusError } from '../meta/errors.ts'
import type { AuditAnnotation, Context } from './context.ts'
import type { Exchange, ExchangeObserver } from './exchange.ts'
import { NO_REQUEST, isLongRunning, type RequestInfo } from './request-info.ts'
import { isNobody } from './request-context.ts'
import { resultJson } from './represent.ts'

/** The JSON of an object, in the version that it names. */
export interface ObjectBytes {
  /** `group/version`; of the core group the version alone. */
  readonly apiVersion: string
  readonly json: Buffer
}

/** One request as subscribers see it. What is not known yet, or never came to be, is null, 0 or empty. */
export interface ObservedRequest {
  readonly method: string
  /** Path and query as sent; empty when the head could not be read. */
  readonly target: string
  /** As sent; once the request is authenticated, without its credentials. */
  readonly headers: IncomingHttpHeaders
  readonly protocol: 'HTTP/1.1' | 'HTTP/2'
  readonly remoteAddress: string
  /** Value of the `Audit-Id` header of the answer. */
  readonly auditId: string
  /** What the request is about; null until its path is read. */
  readonly info: RequestInfo | null
  /** Whether the answer may take as long as it likes: watches, logs, proxies. */
  readonly isLongRunning: boolean
  /** As whom the request is made; null until that is known. */
  readonly user: User | null
  /** Who acts as `user`; null when that is the same. */
  readonly impersonator: User | null
  /** What was decided about access, and why; null until then. */
  readonly decision: Decision | null
  /** What the parts of the server tell for the audit record, by key. */
  readonly annotations: ReadonlyMap<string, AuditAnnotation>
  /** The whole body as it was sent; null unless a subscriber wants it (`wantsBody`) and it was read. */
  readonly body: Buffer | null
  /** Media type of the body, without parameters. */
  readonly bodyType: string
  /**
   * The object of the request: its body as JSON in the version it was sent in, of a patch the patch. Made when asked
   * for; null without a body that was wanted and could be read.
   */
  requestObject(): ObjectBytes | null
  /**
   * The object, list or Status that is answered with, as JSON in the version of the request, whatever form the client
   * gets it in. Made when asked for; null for streams, documents and what has no answer.
   */
  responseObject(): ObjectBytes | null
  /** Of the answer; 0 until it has begun. */
  readonly status: number
  /** Bytes of the answer's body that were handed to the connection, without the protocol's own. */
  readonly bytesWritten: number
  /** Whether the answer was handed to the connection to its end; false also when the client was gone before. */
  readonly isWhole: boolean
  /** What the request was refused with. */
  readonly failure: StatusError | null
  /** What was thrown and should not have been: the stage is `panic`. */
  readonly fault: unknown
  /** Milliseconds since the epoch; 0 until then. */
  readonly receivedAt: number
  readonly startedAt: number
  readonly endedAt: number
}

/** The head of a request, as far as it could be read. */
export type RecordHead = Pick<
  ObservedRequest,
  'method' | 'target' | 'headers' | 'protocol' | 'remoteAddress'
>

/** Is told by a record when its answer begins. */
export type OnBegun = (record: RequestRecord) => void

const NO_ANNOTATIONS: ReadonlyMap<string, AuditAnnotation> = new Map()

/** The record of one request; made only where somebody subscribes to the stages of requests. */
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
  /** The last stage was told. */
  isOver = false
  place = -1
  readonly #context: Context | null
  readonly #onBegun: OnBegun
  #bodyJson: Buffer | null = null
  #result: { readonly served: ResourceEntry; readonly result: Result } | null = null

  /** `context`: null for what is refused before there is one. */
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

  /** The request gets this answer. */
  answered(served: ResourceEntry, result: Result): void {
    this.#result = { served, result }
  }

  /** The request is refused. */
  failed(error: StatusError): void {
    this.failure ??= error
  }

  /** Something was thrown that should not have been. */
  panicked(fault: unknown): void {
    if (this.hasFault) return
    this.hasFault = true
    this.fault = fault
  }

  /** The body came to its end and is wanted. */
  read(body: Buffer, bodyType: string): void {
    this.body = body
    this.bodyType = bodyType
  }

  /** The body, which is not JSON, was understood so. */
  readAs(json: Buffer): void {
    if (this.body !== null) this.#bodyJson = json
  }

  // What the exchange tells.

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

/** The head of what an exchange asks. */
export const headOf = ({ method, target, headers, socket }: Exchange): RecordHead => ({
  method,
  target,
  headers,
  protocol: headers[':method'] === undefined ? 'HTTP/1.1' : 'HTTP/2',
  remoteAddress: socket.remoteAddress ?? '',
})
