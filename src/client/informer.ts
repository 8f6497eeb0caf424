import { KeyIndex, type IndexFunction } from './key-index.ts'
import { pause } from './retry.ts'
import { Reflector, type ReflectorTarget } from './reflector.ts'
import type { ClientParts } from './client.ts'
import type { Entry } from './entry.ts'
import {
  keyOf,
  type EntryStore,
  type Followed,
  type FollowRequest,
  type Query,
  type ResourceAddress,
} from './transport.ts'

/** Resource and options of an informer. */
export interface InformerOptions<T> {
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Indexers: functions that return the values under which an object is found. */
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>
  /**
   * Whether objects are cached; they are by default. Without a cache, handlers get no old objects and miss deletions
   * that happen while the connection is broken: `relisted` says when that may have happened.
   */
  readonly isStored?: boolean
  /** Called with the reason of each delayed retry. */
  readonly onTrouble?: (error: unknown) => void
}

/** Event handler; called in order. Errors that it throws are passed to `onTrouble`. */
export interface InformerHandler<T> {
  /** An object that was not there; at the beginning each that is. */
  add?(entry: Entry<T>): void
  /** `old` is null when objects are not cached. */
  update?(entry: Entry<T>, old: Entry<T> | null): void
  /** A deleted object in its last state; with `isTombstone` in the last known one, since the deletion was missed. */
  delete?(entry: Entry<T>, isTombstone: boolean): void
  /** All objects were listed again after an interruption. */
  relisted?(): void
}

/** Read access to the objects of an informer. They must not be modified. */
export interface Lister<T> {
  get(namespace: string, name: string): T | null
  /** The same, decoded when its object is accessed. */
  entry(namespace: string, name: string): Entry<T> | null
  /** Those of one namespace; all without. */
  list(namespace?: string): T[]
  /** The same, each decoded when its object is accessed. */
  entries(namespace?: string): Iterable<Entry<T>>
  /** Those found under a value of one of the informer's indexes. */
  byIndex(index: string, value: string): T[]
}

type Scope = Omit<FollowRequest, 'query'> & { readonly of: ResourceAddress }

/**
 * Caches the objects of a resource and notifies handlers of changes. A broken watch resumes where it ended; missed
 * events are made up for by a new list. In the process of the server the objects are those of its cache.
 */
export class Informer<T extends object> {
  readonly #parts: ClientParts
  readonly #options: InformerOptions<T>
  readonly #request: FollowRequest
  readonly #handlers = new Set<InformerHandler<T>>()
  readonly #indexes: ReadonlyMap<string, KeyIndex<T>>
  readonly #ending = new AbortController()
  #store: EntryStore<T> = NOTHING
  #followed: Followed<T> | null = null
  #running: Promise<void> | null = null
  #hasSynced = false
  #markSynced = () => {}
  readonly #synced = new Promise<void>((resolve) => (this.#markSynced = resolve))

  constructor(
    parts: ClientParts,
    { of, namespace, metadataOnly, ...options }: Scope & InformerOptions<T>,
  ) {
    this.#parts = parts
    this.#options = options
    const { labelSelector = '', fieldSelector = '', indexes = {} } = options
    const query: Query = [
      ...(labelSelector === '' ? [] : [['labelSelector', labelSelector] as const]),
      ...(fieldSelector === '' ? [] : [['fieldSelector', fieldSelector] as const]),
    ]
    this.#request = { of, namespace, metadataOnly, query }
    this.#indexes = new Map(
      Object.entries(indexes).map(([name, of]) => [name, new KeyIndex<T>(of)]),
    )
  }

  /** Begins; may be called again. */
  start(): this {
    this.#running ??= this.#run()
    return this
  }

  /** Stops the informer; resolves after the last notification. May be called twice. */
  async stop(): Promise<void> {
    this.#ending.abort()
    this.#followed?.end()
    await this.#running
  }

  /** Whether all objects of the first list were delivered. */
  get hasSynced(): boolean {
    return this.#hasSynced
  }

  /** Resolves when all objects of the first list were delivered; rejects when the signal is aborted before. */
  synced(signal?: AbortSignal): Promise<void> {
    if (this.#hasSynced || !signal) return this.#synced
    if (signal.aborted) return Promise.reject(signal.reason as Error)
    return new Promise((resolve, reject) => {
      const stop = () => reject(signal.reason as Error)
      signal.addEventListener('abort', stop, { once: true })
      void this.#synced.then(() => {
        signal.removeEventListener('abort', stop)
        resolve()
      })
    })
  }

  /** Delivers the known objects to a handler, and later all changes. The returned function removes it. */
  addHandler(handler: InformerHandler<T>): () => void {
    for (const entry of this.#store.entries('')) this.#guarded(() => handler.add?.(entry))
    this.#handlers.add(handler)
    return () => this.#handlers.delete(handler)
  }

  get lister(): Lister<T> {
    const object = (key: string) => this.#store.get(key)?.object
    return {
      get: (namespace, name) => object(keyOf(namespace, name)) ?? null,
      entry: (namespace, name) => this.#store.get(keyOf(namespace, name)),
      list: (namespace = '') => Array.from(this.#store.entries(namespace), (entry) => entry.object),
      entries: (namespace = '') => this.#store.entries(namespace),
      byIndex: (index, value) =>
        [...(this.#indexes.get(index)?.keys(value) ?? [])].flatMap((key) => object(key) ?? []),
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending
    return this.#parts.transport.follow ? this.#follow(signal) : this.#reflect(signal)
  }

  /** Lists and watches. */
  #reflect(signal: AbortSignal): Promise<void> {
    const { isStored = true, onTrouble = () => {} } = this.#options
    const target = isStored ? this.#storing() : this.#passing()
    return new Reflector<T>(this.#parts, this.#request, target, onTrouble).run(signal)
  }

  /** In the process of the server; again after a while should it end without being ended. */
  async #follow(signal: AbortSignal): Promise<void> {
    const { transport, clock } = this.#parts
    while (!signal.aborted) {
      let markEnded = () => {}
      const ended = new Promise<void>((resolve) => (markEnded = resolve))
      signal.addEventListener('abort', markEnded, { once: true })
      try {
        const renewal = new Renewal(this.#store)
        const followed = await transport.follow!<T>(this.#request, {
          add: (entry) => {
            const old = renewal.known(entry)
            if (!old) this.#added(entry)
            else if (versionOf(old) !== versionOf(entry)) this.#updated(entry, old)
          },
          update: (entry, old) => this.#updated(entry, old),
          delete: (entry) => this.#deleted(entry, false),
          ended: markEnded,
        })
        if (!followed) return await this.#reflect(signal)
        this.#followed = followed
        this.#store = followed.store
        for (const gone of renewal.end()) this.#deleted(gone, true)
        this.#sync()
        if (signal.aborted) followed.end()
        await ended
      } catch (error) {
        this.#options.onTrouble?.(error)
      } finally {
        signal.removeEventListener('abort', markEnded)
      }
      await pause(clock, AGAIN_MS, signal).catch(() => {})
    }
  }

  /** Caches the objects that it receives. */
  #storing(): ReflectorTarget<T> {
    const entries = new Map<string, Entry<T>>()
    this.#store = storeOf(entries)
    let unseen: Set<string> | null = null
    return {
      listing: () => (unseen = new Set(entries.keys())),
      set: (entry) => {
        const { key } = entry
        const old = entries.get(key)
        unseen?.delete(key)
        if (old && versionOf(old) === versionOf(entry)) return
        entries.set(key, entry)
        if (old) this.#updated(entry, old)
        else this.#added(entry)
      },
      delete: (entry) => {
        if (entries.delete(entry.key)) this.#deleted(entry, false)
      },
      listed: () => {
        for (const key of unseen ?? []) {
          const gone = entries.get(key)!
          entries.delete(key)
          this.#deleted(gone, true)
        }
        unseen = null
        this.#sync()
      },
    }
  }

  /** Passes on the objects that it receives. */
  #passing(): ReflectorTarget<T> {
    return {
      listing: () => {},
      set: (entry) => this.#tell((handler) => handler.update?.(entry, null)),
      delete: (entry) => this.#deleted(entry, false),
      listed: () => this.#sync(),
    }
  }

  #added(entry: Entry<T>): void {
    for (const index of this.#indexes.values()) index.set(entry)
    this.#tell((handler) => handler.add?.(entry))
  }

  #updated(entry: Entry<T>, old: Entry<T>): void {
    for (const index of this.#indexes.values()) index.set(entry)
    this.#tell((handler) => handler.update?.(entry, old))
  }

  #deleted(entry: Entry<T>, isTombstone: boolean): void {
    for (const index of this.#indexes.values()) index.delete(entry.key)
    this.#tell((handler) => handler.delete?.(entry, isTombstone))
  }

  #sync(): void {
    if (this.#hasSynced) return this.#tell((handler) => handler.relisted?.())
    this.#hasSynced = true
    this.#markSynced()
  }

  #tell(call: (handler: InformerHandler<T>) => void): void {
    for (const handler of this.#handlers) this.#guarded(() => call(handler))
  }

  #guarded(call: () => void): void {
    try {
      call()
    } catch (error) {
      this.#options.onTrouble?.(error)
    }
  }
}

const AGAIN_MS = 1000

/** The known objects during a relist. */
class Renewal<T> {
  readonly #before: EntryStore<T>
  #seen: Set<string> | null

  constructor(before: EntryStore<T>) {
    this.#before = before
    this.#seen = before === NOTHING ? null : new Set()
  }

  /** The object as it was known before the relist; null: it was unknown, or is delivered later. */
  known(entry: Entry<T>): Entry<T> | null {
    if (!this.#seen) return null
    this.#seen.add(entry.key)
    return this.#before.get(entry.key)
  }

  /** Ends the relist and returns the known objects that it did not contain. */
  end(): Entry<T>[] {
    const seen = this.#seen
    this.#seen = null
    return seen ? [...this.#before.entries('')].filter(({ key }) => !seen.has(key)) : []
  }
}

const NOTHING: EntryStore<never> = { get: () => null, entries: () => [] }

const storeOf = <T>(entries: ReadonlyMap<string, Entry<T>>): EntryStore<T> => ({
  get: (key) => entries.get(key) ?? null,
  *entries(namespace) {
    for (const entry of entries.values())
      if (namespace === '' || entry.namespace === namespace) yield entry
  },
})

const versionOf = ({ object }: Entry<object>): string | undefined =>
  (object as { metadata?: { resourceVersion?: string } }).metadata?.resourceVersion
