import type { Status } from '../meta/errors.ts'
import { Informer, type InformerOptions } from './informer.ts'
import { retrying } from './retry.ts'
import type {
  ApiObject,
  ApiRequest,
  ObjectList,
  Query,
  RequestVerb,
  ResourceAddress,
  WatchEvent,
} from './transport.ts'
import { watchEvents } from './watch-events.ts'
import type { ClientParts } from './client.ts'

/** Options of every request. */
export interface RequestOptions {
  /** Ends the request. */
  readonly signal?: AbortSignal
  /** Milliseconds that one attempt may take; those of the client by default, 0: as many as it takes. */
  readonly timeoutMs?: number
  /** Further attempts when the server requests a retry; those of the client by default. */
  readonly retries?: number
}

/** Options of a read of one object. */
export interface GetOptions extends RequestOptions {
  /** Minimum resourceVersion of the result; `0`: any. */
  readonly resourceVersion?: string
}

/** Which objects of a collection are meant. */
export interface Selectors {
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

/** Options of a list. */
export interface ListOptions extends RequestOptions, Selectors {
  /** Maximum number of objects in one response. */
  readonly limit?: number
  /** Continue token of the previous response. */
  readonly continue?: string
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan'
}

/** Options of a watch. */
export interface WatchOptions extends Selectors {
  readonly signal?: AbortSignal
  /** Resumes after this resourceVersion; without it the existing objects come first. */
  readonly resourceVersion?: string
  readonly allowWatchBookmarks?: boolean
  readonly timeoutSeconds?: number
}

/** Options of create, update and patch. */
export interface WriteOptions extends RequestOptions {
  /** Runs all checks and writes nothing. */
  readonly dryRun?: boolean
  /** Field manager of the write; derived from the user agent by default. */
  readonly fieldManager?: string
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict'
}

/** Patch types; `strategic` is supported by built-in kinds only. */
export type PatchType = 'json' | 'merge' | 'strategic'

/** Options of a patch. */
export interface PatchOptions extends WriteOptions {
  /** `strategic` by default. */
  readonly type?: PatchType
}

/** Options of a server-side apply. */
export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string
  /** Takes over fields of other managers. */
  readonly force?: boolean
}

/** How objects are deleted. */
export interface DeleteOptions extends RequestOptions {
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground'
  readonly gracePeriodSeconds?: number
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly dryRun?: boolean
}

const PATCH_TYPES: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
}
const APPLY_TYPE = 'application/apply-patch+yaml'
const PAGE = 500

/** Resource and scope of a client. */
interface Scope {
  readonly of: ResourceAddress
  /** Empty for cluster scope and for all namespaces. */
  readonly namespace: string
  readonly metadataOnly: boolean
}

/**
 * The verbs of one resource. Objects are JSON values with the names of the wire format. Every method rejects with
 * StatusError when the server refuses, and with CallError when there is no response.
 */
export class ResourceClient<T extends object = ApiObject> {
  readonly #parts: ClientParts
  readonly #scope: Scope

  constructor(parts: ClientParts, scope: Scope) {
    this.#parts = parts
    this.#scope = scope
  }

  /** The same resource in one namespace. */
  in(namespace: string): ResourceClient<T> {
    return new ResourceClient<T>(this.#parts, { ...this.#scope, namespace })
  }

  /** The same objects reduced to type and metadata. */
  metadata(): ResourceClient {
    return new ResourceClient(this.#parts, { ...this.#scope, metadataOnly: true })
  }

  /** A sub-resource of objects, such as `status`. */
  sub(subresource: string): SubresourceClient<T> {
    return new SubresourceClient<T>((request) => this.#send({ ...request, subresource }))
  }

  get(name: string, options: GetOptions = {}): Promise<T> {
    const query = parameters({ resourceVersion: options.resourceVersion })
    return this.#send<T>({ verb: 'get', name, query, options })
  }

  /** The object; null when there is none of that name. */
  async find(name: string, options: GetOptions = {}): Promise<T | null> {
    try {
      return await this.get(name, options)
    } catch (error) {
      if (isNotFound(error)) return null
      throw error
    }
  }

  /** One chunk of the collection; all of it without a `limit`. */
  list(options: ListOptions = {}): Promise<ObjectList<T>> {
    const { signal: _, timeoutMs: __, retries: ___, ...given } = options
    return this.#send<ObjectList<T>>({ verb: 'list', query: parameters(given), options })
  }

  /** All objects of the collection, read in chunks during the iteration. */
  async *each(options: ListOptions = {}): AsyncGenerator<T, void, undefined> {
    let next: ListOptions = { limit: PAGE, ...options }
    for (;;) {
      const { metadata, items } = await this.list(next)
      yield* items
      if (!metadata.continue) return
      const { resourceVersion: _, resourceVersionMatch: __, ...rest } = next
      next = { ...rest, continue: metadata.continue }
    }
  }

  /** Creates an object; its name may be left to `generateName`. Kind and version are added when they are missing. */
  create(object: T, options: WriteOptions = {}): Promise<T> {
    return this.#send<T>({ verb: 'create', query: written(options), body: object, options })
  }

  /** Replaces an object. With a resourceVersion in it, it must still be that one. */
  update(object: T, options: WriteOptions = {}): Promise<T> {
    const name = nameOf(object)
    return this.#send<T>({ verb: 'update', name, query: written(options), body: object, options })
  }

  /** Changes an object; `change` is a list of operations for `json`, and a part of the object otherwise. */
  patch(name: string, change: object, options: PatchOptions = {}): Promise<T> {
    return this.#send<T>({ ...patchOf(change, options), name, options })
  }

  /** Applies a configuration: fields that this manager applied before and leaves out are removed. */
  apply(config: T, options: ApplyOptions): Promise<T> {
    return this.#send<T>({ ...applyOf(config, options), name: nameOf(config), options })
  }

  /** Deletes an object; returns it while finalizers or a grace period hold it, else it or a Status. */
  delete(name: string, options: DeleteOptions = {}): Promise<T | Status> {
    return this.#send({ verb: 'delete', name, query: [], body: deletion(options), options })
  }

  /** Deletes all objects that are meant. */
  deleteCollection(
    options: DeleteOptions = {},
    selectors: Selectors = {},
  ): Promise<ObjectList<T> | Status> {
    const query = parameters(selectors)
    return this.#send({ verb: 'deletecollection', query, body: deletion(options), options })
  }

  /**
   * Events from now on, or after a resourceVersion. The iteration ends with the watch and throws when it breaks. An
   * `informer` resumes instead.
   */
  watch(options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>, void, undefined> {
    const { signal, ...given } = options
    const query = [...parameters(given), ['watch', 'true'] as const]
    return watchEvents<T>(this.#parts.transport, {
      ...this.#scope,
      name: '',
      subresource: '',
      query,
      ...(signal === undefined ? {} : { signal }),
    })
  }

  /** Caches the objects and notifies handlers of changes; inactive until its `start`. */
  informer(options: InformerOptions<T> = {}): Informer<T> {
    return new Informer<T>(this.#parts, { ...this.#scope, ...options })
  }

  #send<R>(sent: Sent): Promise<R> {
    return sendAs<R>(this.#parts, this.#scope, sent)
  }
}

/** The verbs of a sub-resource; which of them it has is up to it. */
export class SubresourceClient<T extends object> {
  readonly #send: <R>(request: Sent) => Promise<R>

  constructor(send: <R>(request: Sent) => Promise<R>) {
    this.#send = send
  }

  get<R = T>(name: string, options: GetOptions = {}): Promise<R> {
    const query = parameters({ resourceVersion: options.resourceVersion })
    return this.#send<R>({ verb: 'get', name, query, options })
  }

  /** Creates a sub-resource such as `binding` or `token`, with a body of its kind. */
  create<R = unknown>(name: string, body: object, options: WriteOptions = {}): Promise<R> {
    return this.#send<R>({ verb: 'create', name, query: written(options), body, options })
  }

  /** Replaces the sub-resource of the object of this name. */
  update<R extends object = T>(object: R, options: WriteOptions = {}): Promise<R> {
    const name = nameOf(object)
    return this.#send<R>({ verb: 'update', name, query: written(options), body: object, options })
  }

  patch<R = T>(name: string, change: object, options: PatchOptions = {}): Promise<R> {
    return this.#send<R>({ ...patchOf(change, options), name, options })
  }

  apply<R extends object = T>(config: R, options: ApplyOptions): Promise<R> {
    return this.#send<R>({ ...applyOf(config, options), name: nameOf(config), options })
  }
}

/** A request whose path is not yet resolved. */
interface Sent {
  readonly verb: RequestVerb
  readonly name?: string
  readonly subresource?: string
  readonly query: Query
  readonly body?: unknown
  readonly mediaType?: string
  readonly options: RequestOptions
}

function sendAs<R>(parts: ClientParts, scope: Scope, sent: Sent): Promise<R> {
  const { name = '', subresource = '', options, ...rest } = sent
  const { transport, clock } = parts
  const request: ApiRequest = {
    ...rest,
    ...scope,
    name,
    subresource,
    signal: options.signal ?? null,
    timeoutMs: options.timeoutMs ?? parts.timeoutMs,
  }
  const retries = options.retries ?? parts.retries
  // The caller chose the resource, and with it the type of its objects.
  return retrying(
    { clock, ...(retries === undefined ? {} : { retries }) },
    request,
    () => transport.send(request) as Promise<R>,
  )
}

const patchOf = (change: object, options: PatchOptions) => ({
  verb: 'patch' as const,
  query: written(options),
  body: change,
  mediaType: PATCH_TYPES[options.type ?? 'strategic'],
})

const applyOf = (config: object, options: ApplyOptions) => ({
  verb: 'patch' as const,
  query: [...written(options), ...(options.force === true ? ([['force', 'true']] as const) : [])],
  body: config,
  mediaType: APPLY_TYPE,
})

const written = ({ dryRun, fieldManager, fieldValidation }: WriteOptions): Query =>
  parameters({ dryRun: dryRun === true ? 'All' : undefined, fieldManager, fieldValidation })

function deletion(options: DeleteOptions): object {
  const { propagationPolicy, gracePeriodSeconds, preconditions, dryRun } = options
  return {
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(preconditions === undefined ? {} : { preconditions }),
    ...(dryRun === true ? { dryRun: ['All'] } : {}),
  }
}

/** Query parameters of the given options; empty strings are left out. */
function parameters(given: object): Query {
  return Object.entries(given).flatMap(([name, value]: [string, unknown]) =>
    value === undefined || value === '' ? [] : [[name, String(value)] as const],
  )
}

function nameOf(object: object): string {
  const { name = '' } = (object as ApiObject).metadata ?? {}
  if (name === '') throw new TypeError('the object has no metadata.name')
  return name
}

/** Whether a failure means that the object, or the resource, does not exist. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof Error && (error as Partial<{ code: unknown }>).code === 404
