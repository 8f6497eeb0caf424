import type { Api, Query, User } from '../registry/context.ts'
import type { AuthenticationChain } from '../authn/authenticator-chain.ts'
import type { Authorizer, Decision } from '../authz/authorizer.ts'
import type { IndexedPool, InPool } from '../base/indexed-pool.ts'
import type { Log } from '../base/log.ts'
import type { RandomUuids } from '../base/random-uuids.ts'
import type { BodyMemory, BodyShare } from './body-memory.ts'
import type { BodyQueue } from './body-queue.ts'
import type { Connections } from './connections.ts'
import type { Deadlines } from './deadlines.ts'
import type { RequestAudit } from './audit.ts'
import type { Exchange, HeaderList, Out } from './exchange.ts'
import type { Form } from './form.ts'
import type { Pieces } from './pieces.ts'
import type { AllowsOrigin } from './origins.ts'
import type { RequestInfo } from './request-info.ts'
import type { Held, RequestLimits } from './request-limits.ts'
import type { RemoteApis } from './remote-apis.ts'
import type { RequestRecord } from './request-record.ts'
import type { RequestTarget } from './request-target.ts'
import type { WatchMetrics } from './watch-metrics.ts'
import type { Stages } from './stages.ts'

/** One request on its way through the filters. */
export interface Context extends InPool {
  readonly server: ServerState
  readonly exchange: Exchange
  readonly request: RequestTarget
  /** Path without the query. */
  readonly path: string
  readonly query: Query
  /** Set by `requestInfo`. */
  info: RequestInfo
  /** Set by `authenticate`, and by `impersonate` for an impersonated user. */
  user: User
  /** The user that impersonates `user`; absent without impersonation. */
  impersonator?: User
  /** Cleared by `headers` when the request has no impersonation headers. */
  mayImpersonate: boolean
  /** The filter that comes next, once it has waited in the one before; 0 until then. */
  step: number
  /** The wait in that filter, while it lasts. */
  wait: FilterWait | null
  /** Headers of the response, collected on the way. */
  readonly headers: HeaderList
  /** Texts of `Warning` headers, each once; null while there are none. */
  readonly warnings: ReadonlySet<string> | null
  /** Adds a text to the warnings. */
  warn(text: string): void
  /** Additional annotations of the audit record, by key; null while there are none. */
  readonly auditAnnotations: ReadonlyMap<string, AuditAnnotation> | null
  /** Adds an audit annotation; an existing key keeps its value. */
  annotate(key: string, value: string, level?: AuditAnnotation['level']): void
  /** Memory of the request's body; null while it has not been read. */
  bodyShare: BodyShare | null
  /** What the request holds until it ends; set by `limits`. */
  holds: Held | null
  /** Set by `authorize`. */
  decision: Decision | null
  /** Record of the request for stage subscribers; null while there are none. */
  record: RequestRecord | null
  /** Whether responses can be tables; cleared where the resource has none. */
  showsTables: boolean
  /** Whether responses can have the binary form; cleared where the kind has none. */
  hasBinary: boolean
  /** The negotiated form of the response; null until then. */
  form: Form | null
  /** Milliseconds until the response must have begun; Infinity: no limit. */
  limitMs: number
  /** Milliseconds since the epoch at which the response must have begun; Infinity: never. */
  deadline: number
}

/** A wait in a filter. */
export interface FilterWait {
  /** Its name. */
  readonly filter: string
  /** When it began, milliseconds of `performance.now()`; 0: not measured. */
  readonly since: number
  readonly done: Promise<void>
}

/** An additional annotation of an audit record. */
export interface AuditAnnotation {
  readonly value: string
  /** Minimum audit level at which it is included. */
  readonly level: 'Metadata' | 'Request'
}

/** State that the filters and handlers of one server share. */
export interface ServerState {
  readonly api: Api
  readonly requestTimeoutMs: number
  readonly shutdown: ShutdownState
  readonly responses: ResponseSettings
  /** Sizes of the pieces of long responses. */
  readonly pieces: Pieces
  /** Requests without a time limit that are in progress. */
  readonly longRunning: IndexedPool<Context>
  readonly connections: Pick<Connections, 'know'>
  /** Memory for the bodies of requests. */
  readonly bodyMemory: BodyMemory
  /** Queue of large bodies to decode. */
  readonly bodyQueue: BodyQueue
  /** Enforces the deadlines of requests. */
  readonly deadlines: Deadlines
  /** Notifies stage subscribers; null when there are none. */
  readonly stages: Stages | null
  /** Records requests; null when that is off. It is one of the subscribers, too. */
  readonly audit: RequestAudit | null
  /** IDs for requests that have none. */
  readonly auditIds: RandomUuids
  readonly log: Log
  readonly authentication: Pick<AuthenticationChain, 'authenticate' | 'removeCredentials'>
  /** Limits requests in progress; null: unlimited. */
  readonly limits: RequestLimits | null
  readonly authorizer: Pick<Authorizer, 'authorize'>
  /** Keys of the audit annotations of a decision. */
  readonly auditKeys: { readonly decision: string; readonly reason: string }
  readonly health: HealthChecks
  readonly endpoints: ReadonlyMap<string, Endpoint>
  /** Endpoints for everything below a path. */
  readonly prefixes: readonly (readonly [string, Endpoint])[]
  /** Group versions that other servers serve. */
  readonly remotes: RemoteApis
  /** Counts the events of watches; absent: not counted. */
  readonly watchMetrics?: WatchMetrics
  /** Called for each use of a deprecated version; metrics count it. */
  readonly onDeprecated: (use: DeprecatedUse) => void
  readonly onError: (error: unknown, context: Context) => void
}

/** Settings of all responses of a server. */
export interface ResponseSettings {
  /** Value of the header `Strict-Transport-Security`; '' for none. */
  readonly strictTransportSecurity: string
  /** Whether pages of an origin may make requests; null: of none. */
  readonly allowsOrigin: AllowsOrigin | null
  /** Probability that a request over HTTP/2 ends its connection. */
  readonly goawayChance: number
  /** A random number from 0 to below 1. */
  fraction(): number
}

/** How far the shutdown of a server has come. */
export interface ShutdownState {
  /** It has begun: the server is not ready any more. */
  hasBegun: boolean
  /** How new requests are rejected: 503, or 429 over connections that are still accepted; null while they are served. */
  refusal: 'unavailable' | 'retry' | null
}

/** Labels of the gauge of deprecated versions in use. */
export interface DeprecatedUse {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  /** Release that removes the version, `1.26`; empty when unknown. */
  readonly removedRelease: string
}

export type HealthChecks = readonly HealthCheck[]

/** One named condition of the server's health. */
export interface HealthCheck {
  readonly name: string
  /** Endpoints it belongs to. */
  readonly of: readonly ('healthz' | 'livez' | 'readyz')[]
  /** Throws, or rejects, when the condition does not hold. */
  readonly check: () => void | Promise<void>
}

/** A path outside the resources. */
export type Endpoint = (context: Context) => ApiResponse | Promise<ApiResponse>

/** Writes the body of a response in pieces. */
export type StreamedBody = (out: Out, pieces: Pieces) => Promise<void>

/** A response. */
export interface ApiResponse {
  readonly status: number
  readonly headers: HeaderList
  /** Complete, or written incrementally. */
  readonly body: Buffer | string | StreamedBody
}

/** Placeholder for a response on a connection that another protocol took over. */
export const HIJACKED: ApiResponse = { status: 101, headers: [], body: '' }

/** One step of the pipeline, before the handler; throws StatusError to end the request. */
export interface Filter {
  readonly name: string
  /** Whether the filter has work on a server; requests of others skip it. Absent: always. */
  isNeeded?(server: ServerState): boolean
  run(context: Context): void | Promise<void>
}
