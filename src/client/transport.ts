/** Types that clients and transports share. */
import type { Entry } from './entry.ts'

/** A resource as it appears in paths. */
export interface ResourceAddress {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  /** Lower-case plural. */
  readonly resource: string
}

/** A verb with a single response. */
export type RequestVerb =
  | 'get'
  | 'list'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection'

/** Which objects of a resource a request is about. */
export interface Place {
  readonly of: ResourceAddress
  /** Empty for cluster scope and for all namespaces. */
  readonly namespace: string
  /** Empty for collections. */
  readonly name: string
  /** Empty for the object itself. */
  readonly subresource: string
}

/** One request, as data. */
export interface ApiRequest extends Place {
  readonly verb: RequestVerb
  /** Parameters by name, in order. */
  readonly query: Query
  /** A JSON value. */
  readonly body?: unknown
  /** Of the body; `application/json` by default. */
  readonly mediaType?: string
  /** Requests only type and metadata of objects. */
  readonly metadataOnly: boolean
  readonly signal: AbortSignal | null
  /** Milliseconds that one attempt may take; 0: as many as it takes. */
  readonly timeoutMs: number
}

/** Parameters by name, in order. */
export type Query = readonly (readonly [name: string, value: string])[]

/** A watch. */
export interface WatchRequest extends Place {
  readonly query: Query
  readonly metadataOnly: boolean
  readonly signal: AbortSignal
}

/** One event of a watch. An ERROR carries a Status; a BOOKMARK carries an object with only a resourceVersion. */
export interface WatchEvent<T = unknown> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: T
}

/** Receives events; returns a promise for back-pressure. */
export type WatchHandler = (event: WatchEvent) => void | Promise<void>

/** Which objects are followed. */
export interface FollowRequest extends Omit<Place, 'name' | 'subresource'> {
  readonly query: Query
  readonly metadataOnly: boolean
}

/** Notified when objects are added, changed and deleted. Must not throw. */
export interface FollowTarget<T> {
  /** An object that was not there, or is there at the start. */
  add(entry: Entry<T>): void
  update(entry: Entry<T>, old: Entry<T>): void
  /** A deleted object, in its last state. */
  delete(entry: Entry<T>): void
  /** No further notifications: the server ends, or the resource is no longer served. */
  ended(): void
}

/** Objects by key; see {@link keyOf}. */
export interface EntryStore<T> {
  get(key: string): Entry<T> | null
  /** Those of one namespace; all without. In no order that counts. */
  entries(namespace: string): Iterable<Entry<T>>
}

/** Called for each change of an object while it is committed. */
export type PresenceChanged = (isDeletion: boolean) => void

/** Whether a resource has objects. */
export interface Presence {
  /** Whether there are none; changes that it does not include are reported. */
  readonly isEmpty: Promise<boolean>
  /** Ends the calls. May be called twice. */
  end(): void
}

/** Objects that are followed. */
export interface Followed<T> {
  readonly store: EntryStore<T>
  /** May be called twice. */
  end(): void
}

/** A served resource. */
export interface ServedResource extends ResourceAddress {
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  /** Whether another server has it, behind the one that was asked in its own process. */
  readonly isElsewhere?: true
}

/** The served versions at one time, groups and versions in the order of preference. */
export interface ServedResources {
  readonly resources: readonly ServedResource[]
  /** Group versions whose discovery failed, with the reason. */
  readonly failures: ReadonlyMap<string, Error>
}

/**
 * A transport to a server. Everything rejects with StatusError when the server refuses, and with CallError when there
 * is no response.
 */
export interface Transport {
  /** Sends one request and returns the JSON value of the response, which the caller owns. */
  send(request: ApiRequest): Promise<unknown>
  /**
   * Delivers events in order, the next when the sink is done with one. Resolves when the stream has ended; rejects when
   * it broke or never began.
   */
  watch(request: WatchRequest, sink: WatchHandler): Promise<void>
  /**
   * Delivers every object, resolves, and then reports each change while it is committed; nothing is cached twice. Only
   * where the objects are in this process; null when a webhook has to convert them, and they are listed and watched.
   */
  readonly follow?: <T>(
    request: FollowRequest,
    target: FollowTarget<T>,
  ) => Promise<Followed<T> | null>
  /**
   * Whether a resource has objects, and when that changes: much cheaper than to follow one that has none. Only where the
   * objects are in this process; null when that is unknown.
   */
  readonly presence?: (of: ResourceAddress, changed: PresenceChanged) => Presence | null
  /**
   * Whether a resource has no objects in the store, where they are in this process and would have to be loaded to be
   * listed; else false.
   */
  readonly isUnused?: (of: ResourceAddress) => Promise<boolean>
  /** The resources served now. */
  discover(signal?: AbortSignal): Promise<ServedResources>
  /** Those of them that are in this process, where that is known without a request. */
  readonly discoverHere?: () => Promise<ServedResources>
  /** Changes whenever the served resources change; only where that is known without a request. */
  readonly generation?: () => number
  /** Calls back after each such change, until the returned function is called; only together with `generation`. */
  readonly onGeneration?: (call: () => void) => () => void
  /** Aborts everything in progress. May be called twice. */
  close(): void
}

/** Type and metadata, which all objects have. Names of members are those on the wire. */
export interface ApiObject {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
}

/** Metadata of every object; see `ObjectMeta` of the API reference. */
export interface Metadata {
  name?: string
  generateName?: string
  namespace?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string | null
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  ownerReferences?: OwnerReference[]
  finalizers?: string[]
  managedFields?: ManagedFields[]
}

/** The object that another one belongs to. */
export interface OwnerReference {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

/** Which fields one manager set in one way. */
export interface ManagedFields {
  manager?: string
  operation?: string
  apiVersion?: string
  time?: string
  fieldsType?: string
  fieldsV1?: unknown
  subresource?: string
}

/** One chunk of a collection. */
export interface ObjectList<T> {
  apiVersion?: string
  kind?: string
  metadata: { resourceVersion?: string; continue?: string; remainingItemCount?: number }
  items: T[]
}

/** `namespace/name`, or the name at the cluster scope. */
export const keyOf = (namespace: string, name: string): string =>
  namespace === '' ? name : `${namespace}/${name}`

/** Namespace and name of a key. */
export function placeIn(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/')
  return { namespace: key.slice(0, Math.max(slash, 0)), name: key.slice(slash + 1) }
}
