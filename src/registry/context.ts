import type { AuditLevel } from '../admission/attributes.ts'
import type { AdmissionChain } from '../admission/chain.ts'
import type { Attributes, Authorizer } from '../authz/authorizer.ts'
import type { Clock } from '../base/clock.ts'
import type { Dial } from '../base/dial.ts'
import type { IterationQueue } from '../base/iteration-queue.ts'
import type { Ids } from '../base/ids.ts'
import type { RequestParts } from '../base/request-parts.ts'
import { placeOfKey, type ObjectPlace } from '../base/store-keys.ts'
import type { Catalogue, ResourceEntry } from '../catalogue/catalogue.ts'
import type { WrittenParts } from '../meta/known-parts.ts'
import type { ObjectMeta, Typed } from '../meta/object-meta.ts'
import type { HookContext, Requester } from '../catalogue/resource.ts'
import type { AgentTls } from './connect/target.ts'
import type { AllocatorSet } from './allocations.ts'
import type { FirstForms } from '../patch/first-forms.ts'
import type { HotObject, HotObjects } from './hot-objects.ts'
import type { WriteOptions } from './options.ts'
import type { OwnWrites } from './own-writes.ts'
import type { RepeatedCreates } from './repeated-creates.ts'
import type { RepeatedWrites } from './repeated-writes.ts'
import type { UnchangedWrites } from './unchanged-writes.ts'
import type { TokenFinding, TokenSigner } from './tokens.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import type { ResourceCache } from '../cache/resource-cache.ts'
import type { WatchCache } from '../cache/watch-cache.ts'
import type { Change, Commit } from '../engine/engine.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** What hooks of kinds know about the server. */
export interface HookDependencies {
  readonly v: Vocabulary
  readonly clock: Clock
  readonly gate: (name: string) => boolean
  readonly allowPrivileged: boolean
  /** See `HookContext`. */
  readonly took?: HookContext['took']
}

/** Dependencies of get and list. */
export interface ReadDependencies extends HookDependencies {
  readonly cache: WatchCache
  /** For work on large objects. */
  readonly largeWork: IterationQueue
}

/** Dependencies of watch. */
export interface WatchDependencies extends ReadDependencies {
  readonly ids: Ids
  /** Bounds of a watch without `timeoutSeconds`: random from one to two times this, milliseconds. */
  readonly minRequestTimeoutMs: number
}

/** Dependencies of kinds that are not stored, and of sub-resources that take a body of another kind. */
export interface ActionDependencies extends ReadDependencies {
  readonly catalogue: Catalogue
  readonly admission: AdmissionChain
}

/** Dependencies of create, update, patch and delete. */
export interface WriteDependencies extends ActionDependencies {
  readonly ids: Ids
  /** Consulted by an update that creates the object. */
  readonly authorizer: Pick<Authorizer, 'authorize'>
  /** Allocators of addresses and ports. */
  readonly allocators: AllocatorSet
  /** Serialises read-modify-write of one key inside this process. */
  readonly mutex: KeyedMutex
  /** Checks before a write, by `group/resource`, for rules that concern more than the object. */
  readonly guards?: ReadonlyMap<string, Guard>
  /** Objects of the last writes, decoded; absent: each write decodes the stored object. */
  readonly hot?: HotObjects
  /** Records writes of the server itself; absent: they are not recorded. */
  readonly ownWrites?: OwnWrites
  /** Writes that changed nothing before; absent: each is done again. */
  readonly unchanged?: UnchangedWrites
  /** Updates like the last one of their object; absent: each is done in full. */
  readonly repeated?: RepeatedWrites
  /** Creates like earlier ones; absent: each is done in full. */
  readonly repeatedCreates?: RepeatedCreates
  /** Field sets of objects created before; absent: each create makes its own. */
  readonly forms?: FirstForms
  /** Whether the value under a key must be rewritten even if unchanged: it uses an old encryption key. */
  readonly isStale?: (key: string) => Promise<boolean>
}

/** Dependencies of access reviews. */
export interface AccessReviewDependencies extends ActionDependencies {
  /** Authorizes on behalf of the user under review. */
  readonly authorizer: Pick<Authorizer, 'authorize' | 'rulesFor'>
  /** The rule of a user that comes closest to a refused request, for users who may see it; empty when none is near. */
  readonly closestRule?: (user: User, attributes: Attributes) => string
}

/** Dependencies of token requests. */
export interface TokenRequestDependencies extends ActionDependencies {
  /** Signs tokens of service accounts; absent when there is no signing key. */
  readonly tokens?: TokenSigner
}

/** Dependencies of token reviews. */
export interface TokenReviewDependencies extends ActionDependencies {
  /** Authenticates a token, for one of the audiences or by default for this server; absent without token auth. */
  readonly authenticateToken?: (
    token: string,
    audiences: readonly string[],
  ) => Promise<TokenFinding | null>
}

/** The addresses that connections may reach. */
export interface Reach {
  /** Whether connect sub-resources may reach this machine and its link; for tests only. */
  readonly proxiesToLoopback: boolean
  /** Connections to extension servers may reach this machine: only administrators register them. */
  readonly isForExtensions?: true
  /** Opens connections to nodes, pods and services; without it the platform does. */
  readonly dial?: Dial
}

/** The addresses at which extension servers may be. */
export interface ExtensionReach extends Reach {
  readonly isForExtensions: true
}

/** Dependencies of connect sub-resources. */
export interface ConnectDependencies extends ReadDependencies, Reach {
  readonly ids: Ids
  readonly catalogue: Catalogue
  /** TLS settings of connections to node agents. */
  readonly agentTls: AgentTls
  /** Types of addresses at which node agents are reached, the preferred ones first; the usual ones by default. */
  readonly agentAddressTypes?: readonly string[]
}

/** Dependencies of all verbs; one for each server. A single verb needs only its own part. */
export interface Api
  extends
    WatchDependencies,
    WriteDependencies,
    AccessReviewDependencies,
    TokenRequestDependencies,
    TokenReviewDependencies,
    ConnectDependencies {
  readonly authorizer: AccessReviewDependencies['authorizer']
}

/** Checks a write after admission has changed it. Throws StatusError to refuse it. */
export type Guard = (write: GuardedWrite) => void | Promise<void>

/** A write that is about to be stored. */
export interface GuardedWrite {
  readonly call: Call
  readonly object: Typed
  /** Null on create. */
  readonly old: Typed | null
}

/** The requesting user. */
export type User = Requester

/** One request to a resource, as data. */
export interface Call {
  readonly served: ResourceEntry
  /** Empty for the object itself. */
  readonly subresource: string
  /** Empty for cluster scope and for all namespaces. */
  readonly namespace: string
  /** Empty for collections. */
  readonly name: string
  readonly query: Query
  readonly user: User
  /** Value of the User-Agent header. */
  readonly userAgent: string
  /** The decoded request body, read on first use. Throws StatusError. */
  readonly body: () => Promise<Body>
  /** The context of hooks: created on first use, then the same for the whole request. */
  readonly context: () => HookContext
  /** Called when the initial events of a watch have been sent. */
  readonly initialized?: () => void
  /** Adds a `Warning` header. */
  readonly warn: (text: string) => void
  /** Adds to the audit record; absent without one. */
  readonly annotate?: (key: string, value: string, level: AuditLevel) => void
  /** Where the time of webhooks is summed up, and that of parts; absent or null: nowhere. */
  readonly record?: { webhookMs: number; readonly parts: RequestParts | null } | null
  /** Deadline for the start of the response, milliseconds since the epoch; absent: never. */
  readonly deadline?: () => number
  /** A request of the server to itself: not authorized. */
  readonly isOwn?: true
  /** The write carries the live resourceVersion; the client did not set it. */
  readonly versionless?: boolean
  /** Called with how an update makes its object, so that it can be repeated; absent: it is not. */
  readonly shows?: (update: ShownUpdate) => void
  /** Aborted when the client disconnects or the time is up. */
  readonly signal: () => AbortSignal
}

/** How an update makes its object. */
export interface ShownUpdate {
  /** Does the same with another version of the object. */
  readonly next: (present: HotObject, live: StoredObject) => Promise<Typed>
  readonly options: WriteOptions
}

export interface Body {
  readonly bytes: Buffer
  /** Media type without parameters; empty when the request named none. */
  readonly mediaType: string
  /** Receives the decoded body where it is not JSON; absent: not needed. */
  readonly readAs?: (value: unknown) => void
  /** Receives the metadata of the object in the body, as it was sent; absent: not needed. */
  readonly decoded?: (metadata: ObjectMeta) => void
}

/** Query parameters: every value of each name in order. */
export type Query = ReadonlyMap<string, readonly string[]>

/** Waits until reads see what any server wrote, as a part of the request; null when they do. */
export function storeReached(
  cache: Pick<WatchCache, 'fresh' | 'traceNext'>,
  call: Pick<Call, 'record'>,
): Promise<void> | null {
  const waiting = cache.fresh()
  const parts = call.record?.parts
  if (!waiting || !parts) return waiting
  const begun = parts.begin('etcd')
  if (begun.traceparent !== '') cache.traceNext(begun.traceparent)
  return waiting.finally(() => begun.end())
}

/** Makes changes durable, as a part of the request; see `WatchCache.commit`. */
export function storeChanges(
  cache: Pick<WatchCache, 'commit'>,
  call: Pick<Call, 'record'>,
  changes: readonly Change[],
  table: ResourceCache,
): Promise<Commit> {
  const parts = call.record?.parts
  if (!parts) return cache.commit(changes, table)
  const begun = parts.begin('etcd')
  return cache.commit(traced(changes, begun.traceparent), table).finally(() => begun.end())
}

function traced(changes: readonly Change[], traceparent: string): readonly Change[] {
  const [first, ...others] = changes
  return first && traceparent !== '' ? [{ ...first, traceparent }, ...others] : changes
}

/** First value of a parameter; undefined when absent. */
export const first = (query: Query, name: string): string | undefined => query.get(name)?.[0]

/** The context of hooks for a request at this moment. */
export function hookContext(
  { v, clock, gate, allowPrivileged, took }: HookDependencies,
  user?: User,
  served?: ResourceEntry,
): HookContext {
  // Spreads would double the cost.
  return {
    v,
    now: clock.now(),
    gate,
    allowPrivileged,
    took,
    user,
    parts: undefined,
    groupVersion: served?.groupVersion,
  }
}

/** The same for an object whose parts may be known; all contexts have one shape, without a copy by members. */
export const contextWith = (
  { v, now, gate, allowPrivileged, took, user, groupVersion }: HookContext,
  parts: WrittenParts,
): HookContext => ({ v, now, gate, allowPrivileged, took, user, parts, groupVersion })

/** A context that is created once, on first use: all steps of a request share one time. */
export function contextOnce(
  api: HookDependencies,
  user?: User,
  served?: ResourceEntry,
): () => HookContext {
  let c: HookContext | null = null
  return () => (c ??= hookContext(api, user, served))
}

/** Key of an object, or prefix of a collection when `name` is empty. */
export function keyOf(served: ResourceEntry, namespace: string, name: string): string {
  if (!served.namespaced) return served.keyPrefix + name
  return namespace === '' ? served.keyPrefix : `${served.keyPrefix}${namespace}/${name}`
}

/** The namespace and name in a key. */
export const placeOf = ({ keyPrefix }: ResourceEntry, key: string): ObjectPlace =>
  placeOfKey(key, keyPrefix)

/** A mutex for each key, in first-come order. */
export class KeyedMutex {
  /** The last turn of each key that is in use. */
  readonly #last = new Map<string, Turn>()

  /** Runs `work` when all earlier work of the key is done, or has called the function that it gets. */
  take<T>(key: string, work: (release: () => void) => T | Promise<T>): Promise<T> {
    const before = this.#last.get(key)
    const turn = new Turn(this.#last, key)
    this.#last.set(key, turn)
    return before ? before.ended().then(() => turn.run(work)) : turn.run(work)
  }
}

/** A turn with a key. Most have no other writer waiting for their end, and need no promise. */
class Turn {
  readonly #last: Map<string, Turn>
  readonly #key: string
  #next: (() => void) | null = null

  constructor(last: Map<string, Turn>, key: string) {
    this.#last = last
    this.#key = key
  }

  /** Resolves when it has ended; only the next one waits for it. */
  ended(): Promise<void> {
    return new Promise((resolve) => {
      this.#next = resolve
    })
  }

  run<T>(work: (release: () => void) => T | Promise<T>): Promise<T> {
    const release = () => this.#end()
    let result: T | Promise<T>
    try {
      result = work(release)
    } catch (error) {
      release()
      return Promise.reject(error as Error)
    }
    if (!(result instanceof Promise)) {
      release()
      return Promise.resolve(result)
    }
    return result.then(
      (value) => {
        release()
        return value
      },
      (error: unknown) => {
        release()
        throw error
      },
    )
  }

  #end(): void {
    if (this.#last.get(this.#key) === this) this.#last.delete(this.#key)
    this.#next?.()
  }
}
