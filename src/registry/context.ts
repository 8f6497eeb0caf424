import type { AuditLevel } from '../admission/attributes.ts'
import type { AdmissionChain } from '../admission/chain.ts'
import type { Attributes, Authorizer } from '../authz/authorizer.ts'
import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import { placeOfKey, type ObjectPlace } from '../base/store-keys.ts'
import type { Catalogue, ResourceEntry } from '../catalogue/catalogue.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { HookContext, Requester } from '../catalogue/resource.ts'
import type { AgentTls } from './connect/target.ts'
import type { AllocatorSet } from './allocations.ts'
import type { TokenFinding, TokenSigner } from './tokens.ts'
import type { WatchCache } from '../cache/watch-cache.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** What hooks of kinds are told about the server. */
export interface HookDependencies {
  readonly v: Vocabulary
  readonly clock: Clock
  readonly gate: (name: string) => boolean
  readonly allowPrivileged: boolean
}

/** What get and list work with. */
export interface ReadDependencies extends HookDependencies {
  readonly cache: WatchCache
}

/** What watch works with. */
export interface WatchDependencies extends ReadDependencies {
  readonly ids: Ids
  /** Bounds of a watch without `timeoutSeconds`: random from one to two times this, milliseconds. */
  readonly minRequestTimeoutMs: number
}

/** What answers requests for kinds that are not stored, and for sub-resources that take a body of another kind. */
export interface ActionDependencies extends ReadDependencies {
  readonly catalogue: Catalogue
  readonly admission: AdmissionChain
}

/** What create, update, patch and delete work with. */
export interface WriteDependencies extends ActionDependencies {
  readonly ids: Ids
  /** Asked by an update that creates the object. */
  readonly authorizer: Pick<Authorizer, 'authorize'>
  /** Where addresses and ports are given out of. */
  readonly allocators: AllocatorSet
  /** Serialises read-modify-write of one key inside this process. */
  readonly mutex: KeyedMutex
  /** Checks of what is about to be stored, by `group/resource`, where a rule is about more than the object. */
  readonly guards?: ReadonlyMap<string, Guard>
  /** Whether what is stored under a key is to be written anew though it says the same: under an old encryption key. */
  readonly isStale?: (key: string) => Promise<boolean>
}

/** What reviews of access work with. */
export interface AccessReviewDependencies extends ActionDependencies {
  /** Decides about access, for those who ask on behalf of others. */
  readonly authorizer: Pick<Authorizer, 'authorize' | 'rulesFor'>
  /** Which rule of a user came closest to what was refused, for who may know; empty when none is near. */
  readonly closestRule?: (user: User, attributes: Attributes) => string
}

/** What requests for tokens of service accounts work with. */
export interface TokenRequestDependencies extends ActionDependencies {
  /** Signs tokens of service accounts; absent when there is no key for that. */
  readonly tokens?: TokenSigner
}

/** What reviews of tokens work with. */
export interface TokenReviewDependencies extends ActionDependencies {
  /** Tells whose a token is, for one of the audiences or, without any, for this server; absent when no tokens count. */
  readonly authenticateToken?: (
    token: string,
    audiences: readonly string[],
  ) => Promise<TokenFinding | null>
}

/** Which addresses a connection may be made to. */
export interface Reach {
  /** Whether connect sub-resources may lead to this machine and its link; for tests alone. */
  readonly proxiesToLoopback: boolean
}

/** What connect sub-resources work with. */
export interface ConnectDependencies extends ReadDependencies, Reach {
  readonly ids: Ids
  readonly catalogue: Catalogue
  /** How node agents are spoken to. */
  readonly agentTls: AgentTls
}

/** What all verbs together work with; one for each server. A verb alone needs no more than its own part. */
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

/** Looks at a write after admission has changed it. Throws StatusError to refuse it. */
export type Guard = (write: GuardedWrite) => void | Promise<void>

/** A write that is about to be stored. */
export interface GuardedWrite {
  readonly call: Call
  readonly object: Typed
  /** Null on create. */
  readonly old: Typed | null
}

/** Who asks. */
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
  /** The decoded request body: reads it on first use. Throws StatusError. */
  readonly body: () => Promise<Body>
  /** The context of hooks: made on first use, then the same for all of the request. */
  readonly context: () => HookContext
  /** Adds a `Warning` header. */
  readonly warn: (text: string) => void
  /** Adds to the audit record; absent: there is none. */
  readonly annotate?: (key: string, value: string, level: AuditLevel) => void
  /** When the answer must have begun, milliseconds since the epoch; absent: never. */
  readonly deadline?: () => number
  /** The server itself asks: nobody's rights are looked at. */
  readonly isOwn?: true
  /** The write carries the live resourceVersion by itself, not by the client's word. */
  readonly versionless?: boolean
  /** Aborted when the client is gone or the time is up. */
  readonly signal: () => AbortSignal
}

export interface Body {
  readonly bytes: Buffer
  /** Media type without parameters; empty when the request named none. */
  readonly mediaType: string
  /** Is told what the body says where it is not JSON; absent: nobody wants to know. */
  readonly readAs?: (value: unknown) => void
}

/** Query parameters: every value of each name in order. */
export type Query = ReadonlyMap<string, readonly string[]>

/** First value of a parameter; undefined when absent. */
export const first = (query: Query, name: string): string | undefined => query.get(name)?.[0]

/** The context of hooks for a request at this moment. */
export const hookContext = (
  api: HookDependencies,
  user?: User,
  served?: ResourceEntry,
): HookContext => ({
  v: api.v,
  now: api.clock.now(),
  gate: api.gate,
  allowPrivileged: api.allowPrivileged,
  ...(user ? { user } : {}),
  ...(served ? { groupVersion: served.groupVersion } : {}),
})

/** A context that is made on first use, and only once: everything that one request does has one time. */
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

/** Of which object a key is. */
export const placeOf = ({ keyPrefix }: ResourceEntry, key: string): ObjectPlace =>
  placeOfKey(key, keyPrefix)

/** Gives out turns by key, in order of asking. */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<void>>()

  /** Runs `work` when all earlier work of the key is done. */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key)
    let release = () => {}
    const mine = new Promise<void>((resolve) => {
      release = resolve
    })
    this.#tails.set(key, mine)
    if (before) await before
    try {
      return await work()
    } finally {
      release()
      if (this.#tails.get(key) === mine) this.#tails.delete(key)
    }
  }
}
