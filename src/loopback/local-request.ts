/** Requests of clients in the process, as audit sees them. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Decision } from '../authz/authorizer.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { Followed, FollowTarget } from '../client/transport.ts'
import type { AuditedRequest, RequestAudit } from '../http/audit.ts'
import type { AuditAnnotation } from '../http/context.ts'
import type { MeasuredParts } from '../http/measured-parts.ts'
import { isLongRunning, type RequestInfo } from '../http/request-info.ts'
import type { ObjectBytes, ObjectIdentity } from '../http/request-record.ts'
import { resultJson } from '../http/represent.ts'
import { internalError, StatusError, type Status } from '../meta/errors.ts'
import type { ObjectMeta } from '../meta/object-meta.ts'
import type { ReadDependencies, User } from '../registry/context.ts'
import type { Result } from '../registry/results.ts'

/** What is known of a request when it begins. */
export interface LocalHead {
  readonly api: ReadDependencies
  readonly auditId: string
  readonly method: string
  /** Path and query, as over the network. */
  readonly target: string
  readonly info: RequestInfo
  readonly headers: IncomingHttpHeaders
  readonly user: User
  readonly impersonator: User | null
}

/** One request; made only when requests are recorded. */
export class LocalRequest implements AuditedRequest {
  readonly method: string
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly protocol = 'HTTP/1.1'
  /** As of a client that connects to its own machine. */
  readonly remoteAddress = '127.0.0.1'
  readonly auditId: string
  readonly info: RequestInfo
  readonly user: User
  readonly impersonator: User | null
  readonly annotations = new Map<string, AuditAnnotation>()
  readonly receivedAt: number
  readonly bytesWritten = 0
  readonly isWhole = true
  startedAt = 0
  endedAt = 0
  status = 0
  decision: Decision | null = null
  identity: ObjectIdentity | null = null
  failure: StatusError | null = null
  fault: unknown = null
  hasFault = false
  audit: object | null = null
  parts: MeasuredParts | null = null
  /** For metrics over the network; here it only is. */
  webhookMs = 0
  body: Buffer | null = null
  bodyType = ''
  readonly #api: ReadDependencies
  #result: { readonly served: ResourceEntry; readonly result: Result } | null = null

  constructor({ api, info, ...head }: LocalHead) {
    this.method = head.method
    this.target = head.target
    this.headers = head.headers
    this.auditId = head.auditId
    this.user = head.user
    this.impersonator = head.impersonator
    this.info = info
    this.receivedAt = api.clock.now()
    this.#api = api
  }

  get isLongRunning(): boolean {
    return isLongRunning(this.info)
  }
  get outcome(): Status | null {
    return this.#result?.result.is === 'status' ? this.#result.result.body : null
  }
  /** Status of the result; 200 for a watch. */
  get resultStatus(): number {
    return this.#result?.result.status ?? 200
  }

  requestObject(): ObjectBytes | null {
    const { group, version } = this.info
    if (this.body === null || this.body.length === 0) return null
    return { apiVersion: group === '' ? version : `${group}/${version}`, json: this.body }
  }

  responseObject(): ObjectBytes | null {
    if (this.failure !== null)
      return { apiVersion: 'v1', json: Buffer.from(JSON.stringify(this.failure.toStatus())) }
    return this.#result && resultJson(this.#api, this.#result.served, this.#result.result)
  }

  annotate(key: string, value: string, level: AuditAnnotation['level'] = 'Metadata'): void {
    if (!this.annotations.has(key)) this.annotations.set(key, { value, level })
  }

  /** The object in the body is decoded. */
  decoded({ name = '', namespace = '', uid = '', resourceVersion = '' }: ObjectMeta): void {
    this.identity = { name, namespace, uid, resourceVersion }
  }

  answered(served: ResourceEntry, result: Result): void {
    this.#result = { served, result }
  }

  /** The request got this error; what is no Status is a fault of the server. */
  failed(error: unknown): void {
    if (error instanceof StatusError) this.failure = error
    else {
      this.hasFault = true
      this.fault = error
    }
  }

  /** The response begins. */
  started(status: number): void {
    this.status = status
    this.startedAt = this.#api.clock.now()
  }

  ended(): void {
    this.endedAt = this.#api.clock.now()
  }
}

/** Runs a request between its first and its last event. `left`: whether the client does not want its response any more. */
export async function recorded<T>(
  audit: RequestAudit,
  request: LocalRequest,
  { run, left }: { readonly run: () => Promise<T>; readonly left: () => boolean },
): Promise<T> {
  await begun(audit, request)
  try {
    const answer = await run()
    await answers(audit, request, request.resultStatus)
    return answer
  } catch (error) {
    if (!left()) {
      request.failed(error)
      await answers(audit, request, request.failure?.code ?? 500)
    }
    throw error
  } finally {
    complete(audit, request)
  }
}

/** Records objects that are followed as one watch, which ends with them. */
export async function recordedFollow<T>(
  audit: RequestAudit,
  request: LocalRequest,
  target: FollowTarget<T>,
  follow: (observed: FollowTarget<T>) => Promise<Followed<T> | null>,
): Promise<Followed<T> | null> {
  await begun(audit, request)
  let isOver = false
  const end = () => {
    if (isOver) return
    isOver = true
    complete(audit, request)
  }
  try {
    const followed = await follow({
      add: (entry) => target.add(entry),
      update: (entry, old) => target.update(entry, old),
      delete: (entry) => target.delete(entry),
      ended() {
        end()
        target.ended()
      },
    })
    request.started(200)
    audit.responseStarted(request)
    if (followed === null) end()
    return (
      followed && {
        store: followed.store,
        end() {
          end()
          followed.end()
        },
      }
    )
  } catch (error) {
    request.failed(error)
    request.started(request.failure?.code ?? 500)
    end()
    throw error
  }
}

/** Records the begin of a request. Throws where it must not go on. */
async function begun(audit: RequestAudit, request: LocalRequest): Promise<void> {
  if (!(await audit.begins(request))) throw internalError('failed to store audit event')
}

/** The request is done. */
export function complete(audit: RequestAudit, request: LocalRequest): void {
  request.ended()
  if (request.hasFault) audit.panic(request)
  else audit.responseComplete(request)
}

async function answers(audit: RequestAudit, request: LocalRequest, status: number): Promise<void> {
  // A watch has begun before.
  if (request.status === 0) request.started(status)
  await audit.answers(request, status)
}
