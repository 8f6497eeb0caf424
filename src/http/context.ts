import type { Api, Query, User } from '../registry/context.ts'
import type { AuthenticationChain } from '../authn/authenticator-chain.ts'
import type { Authorizer, Decision } from '../authz/authorizer.ts'
import type { InPool } from '../base/indexed-pool.ts'
import type { Log } from '../base/log.ts'
import type { BodyMemory, BodyShare } from './body-memory.ts'
import type { BodyQueue } from './body-queue.ts'
import type { Connections } from './connections.ts'
import type { Deadlines } from './deadlines.ts'
import type { Exchange, HeaderList, Out } from './exchange.ts'
import type { Form } from './form.ts'
import type { RequestInfo } from './request-info.ts'
import type { RequestRecord } from './request-record.ts'
import type { Stages } from './stages.ts'

/** One request on its way through the filters. */
export interface Context extends InPool {
  readonly server: ServerState
  readonly exchange: Exchange
  /** Path without the query. */
  readonly path: string
  readonly query: Query
  /** Filled by `requestInfo`. */
  info: RequestInfo
  /** Filled by `authenticate`, and by `impersonate` when somebody acts as another. */
  user: User
  /** Who acts as `user`; absent when that is the same. */
  impersonator?: User
  /** Cleared by `headers` when no header asks for the request to be made by another user. */
  mayImpersonate: boolean
  /** Headers that every answer gets, filled on the way. */
  readonly headers: HeaderList
  /** Texts of `Warning` headers, each once; null while there are none. */
  readonly warnings: ReadonlySet<string> | null
  /** Adds a text to the warnings. */
  warn(text: string): void
  /** What the audit record of the request tells beside its own, by key; null while that is nothing. */
  readonly auditAnnotations: ReadonlyMap<string, AuditAnnotation> | null
  /** Adds to what the audit record tells; a key that is there already keeps its value. */
  annotate(key: string, value: string, level?: AuditAnnotation['level']): void
  /** Memory of the request's body; null when it was not asked for. */
  bodyShare: BodyShare | null
  /** Filled by `authorize`. */
  decision: Decision | null
  /** What those who subscribe to the stages of requests see of this one; null while nobody does. */
  record: RequestRecord | null
  /** Whether answers can be tables; cleared where the place has none. */
  showsTables: boolean
  /** Whether answers can have the binary form; cleared where the kind has none. */
  hasBinary: boolean
  /** The form of what the verb answers; null until it is negotiated. */
  form: Form | null
  /** Milliseconds until the answer must have begun; Infinity: as many as it takes. */
  limitMs: number
  /** Milliseconds since the epoch at which the answer must have begun; Infinity: never. */
  deadline: number
}

/** What an audit record tells beside its own. */
export interface AuditAnnotation {
  readonly value: string
  /** How much the record must tell for this to be in it. */
  readonly level: 'Metadata' | 'Request'
}

/** What the filters and handlers of one server share. */
export interface ServerState {
  readonly api: Api
  readonly requestTimeoutMs: number
  /** Set when the server ends: new requests are turned away. */
  draining: boolean
  readonly connections: Pick<Connections, 'know'>
  /** Memory for the bodies of requests. */
  readonly bodyMemory: BodyMemory
  /** Where large bodies wait to be read. */
  readonly bodyQueue: BodyQueue
  /** Watches over the time of requests. */
  readonly deadlines: Deadlines
  /** Tells of the stages of requests; null when nobody subscribes to them. */
  readonly stages: Stages | null
  readonly log: Log
  readonly authentication: Pick<AuthenticationChain, 'authenticate' | 'removeCredentials'>
  readonly authorizer: Pick<Authorizer, 'authorize'>
  /** Names under which a decision is audited. */
  readonly auditKeys: { readonly decision: string; readonly reason: string }
  readonly health: HealthChecks
  readonly endpoints: ReadonlyMap<string, Endpoint>
  /** Endpoints for everything below a path. */
  readonly prefixes: readonly (readonly [string, Endpoint])[]
  /** Told of each use of a deprecated version; what metrics count. */
  readonly onDeprecated: (use: DeprecatedUse) => void
  readonly onError: (error: unknown, context: Context) => void
}

/** Labels of the gauge of deprecated versions in use (seed 1, Audit and metrics). */
export interface DeprecatedUse {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  /** Release without the version, `1.26`; empty when that is not known. */
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
export type Endpoint = (context: Context) => Answer | Promise<Answer>

/** What goes back to the client. */
export interface Answer {
  readonly status: number
  readonly headers: HeaderList
  /** Complete, or written step by step. */
  readonly body: Buffer | string | ((out: Out) => Promise<void>)
}

/** Stands for an answer that somebody else sends: the connection was taken over. */
export const TAKEN: Answer = { status: 101, headers: [], body: '' }

/** One step of the pipeline, before the handler; throws StatusError to end the request. */
export interface Filter {
  readonly name: string
  run(context: Context): void | Promise<void>
}
