import { IndexedPool, type InPool } from '../base/indexed-pool.ts'
import type { Clock } from '../base/clock.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import { isServersPrefix, tablePrefixOf } from '../base/store-keys.ts'
import {
  Compacted,
  FutureRevision,
  type Change,
  type Commit,
  type Engine,
  type Event,
  type Item,
  type Revision,
} from '../engine/engine.ts'
import { PageRoom } from '../engine/page-room.ts'
import { Slabs } from './slab.ts'
import {
  prepareAll,
  needsPreparation,
  ResourceCacheGone,
  type StorageForm,
  type ResourceCacheKey,
} from './storage-form.ts'
import { ResourceCache } from './resource-cache.ts'
import { IndexBudget, type Requirement } from './selector-indexes.ts'
import { StoredObject } from './stored-object.ts'
import { WatchHub } from './watch-hub.ts'

/** A resource cache that is being filled. */
interface Loading {
  readonly ready: Promise<ResourceCache>
  readonly missed: Event[]
}

interface Waiter extends InPool {
  readonly revision: Revision
  readonly done: () => void
}

export interface CacheOptions {
  readonly clock: Clock
  /** Length of the history window, milliseconds. */
  readonly historyMs: number
  /** Maximum bytes of superseded versions per resource in memory; the engine keeps the rest. */
  readonly historyBytes?: number
  /** Maximum bytes of indexes that selections use; 0: none are made. */
  readonly indexBytes?: number
  /**
   * The form of objects under a resource cache's prefix at this moment; null: nothing is stored there, or no
   * conversion. By default nothing is converted. Call `renew` when the form changes.
   */
  readonly formOf?: (prefix: string) => StorageForm | null
  /** Called when background compaction fails; the next round tries again. */
  readonly onError?: (error: unknown) => void
  /** Observer of the cache; optional. */
  readonly observer?: CacheObserver
}

/** Observer of a cache, for metrics. Must not throw. */
export interface CacheObserver {
  /** All objects under a prefix were read. */
  initialized(prefix: string, objects: number): void
  /** So many changes under a prefix are passed on. */
  dispatched(prefix: string, changes: number): void
}

export interface ListState {
  /** Revision of the items. */
  readonly at: Revision
  /** Objects in order of key; iterate before the next await, or collect it. */
  readonly items: Iterable<StoredObject>
  /** All of them, or the first `most`, at once; cheaper than iterating. */
  readonly all: (most?: number) => readonly StoredObject[]
  /**
   * At most so many of them behind a key, also after an await; null: this state is not kept any more. Absent: there are few, or they
   * are in an array.
   */
  readonly part?: (after: string, most: number) => readonly StoredObject[] | null
  /** Whether an index has chosen the items. */
  readonly isIndexed?: boolean
  /** Tells how many objects were examined and selected, where an index might have known them. */
  readonly examined?: (examined: number, selected: number) => void
}

/** The state that a list reads. */
export interface ListOptions {
  /** The latest by default. */
  readonly at?: Revision
  /** First key. */
  readonly start?: string
  /** The only key that is of interest: others may be left out. */
  readonly only?: string
  /** What selected objects have: others may be left out. */
  readonly requires?: readonly Requirement[]
}

/** Called for a change of an object. Must not throw. */
type ChangeListener = (isDeletion: boolean) => void

const NO_LISTENERS: readonly ChangeListener[] = []

const PAGE = 250
const MOST_ITEMS = 10_000
const INDEX_BYTES = 64 << 20
/** Maximum number of concurrent read-index requests; later reads share the next one. */
const MOST_READ_INDEXES = 2
/** Maximum number of event loop iterations that a read-index request waits for other reads. */
const GATHER_TURNS = 5

/**
 * Serves all reads, above any engine: the wire bytes of every requested resource, with its history, filled on first
 * use.
 */
export class WatchCache {
  readonly #engine: Engine
  readonly #options: Required<Omit<CacheOptions, 'onError' | 'formOf' | 'observer'>> &
    Pick<CacheOptions, 'onError' | 'formOf' | 'observer'>
  readonly #resourceCaches = new Map<string, ResourceCache>()
  /** The same by owner of the form. */
  readonly #byForm = new Map<ResourceCacheKey, ResourceCache>()
  readonly #loading = new Map<string, Loading>()
  /** Callbacks for the next resource that appears under a prefix. */
  readonly #awaiting = new Map<string, Set<() => void>>()
  /** Callbacks for changes under a prefix, by prefix. */
  readonly #onChange = new Map<string, readonly ChangeListener[]>()
  readonly #slabs = new Slabs()
  readonly #indexes: IndexBudget
  readonly #waiting = new IndexedPool<Waiter>()
  readonly hub: WatchHub
  #revision: Revision
  #unsubscribe: () => void
  #cancelTick: () => void = () => {}
  /** The read-index request that reads of this moment share, not sent yet. */
  #next: Promise<void> | null = null
  #readIndexes = 0
  /** Trace that the next read-index request continues; empty for none. */
  #nextTrace = ''
  /** Number of calls of `fresh` that had to wait. */
  #freshCalls = 0
  #sendNext: (() => void) | null = null
  #closed = false

  constructor(engine: Engine, options: CacheOptions) {
    this.#engine = engine
    this.#options = { historyBytes: 64 << 20, indexBytes: INDEX_BYTES, ...options }
    this.#indexes = new IndexBudget(this.#options.indexBytes)
    this.#revision = engine.revision()
    this.hub = new WatchHub(this)
    this.#unsubscribe = engine.subscribe((events) => this.#publish(events))
    this.#scheduleTrim()
  }

  /** Newest revision that reads may see. */
  get revision(): Revision {
    return this.#revision
  }

  /** Whether other servers may write to the store, so that the cache may be stale. */
  get isShared(): boolean {
    return this.#engine.latest !== undefined
  }

  /** Oldest revision that exact reads and watches may start from. */
  get oldest(): Revision {
    return this.#engine.oldest()
  }

  /** Bytes of memory for objects and their history. */
  get memoryBytes(): number {
    return this.#slabs.bytes
  }

  /** Estimate of the memory that indexes for selections take. */
  get indexBytes(): number {
    return this.#indexes.bytes
  }

  /** Number of loaded resource caches. */
  get size(): number {
    return this.#resourceCaches.size
  }

  /** The resource cache of a resource if it is loaded. */
  loaded(of: ResourceCacheKey): ResourceCache | undefined {
    return typeof of === 'string' ? this.#resourceCaches.get(of) : this.#byForm.get(of)
  }

  /** The resource cache of a resource, read from the engine on first use. Throws ResourceCacheGone. */
  async resourceCache(of: ResourceCacheKey): Promise<ResourceCache> {
    return this.loaded(of) ?? this.#load(of)
  }

  /** Whether objects of a prefix are served. */
  isServed(prefix: string): boolean {
    const { formOf } = this.#options
    return !formOf || isServersPrefix(prefix) || formOf(prefix) !== null
  }

  /**
   * The resource under a prefix was added, removed, or changed its form: its resource cache and memory are released,
   * its watches end, and callbacks for its appearance are called.
   */
  renew(prefix: string): void {
    const resourceCache = this.#resourceCaches.get(prefix)
    this.#loading.delete(prefix)
    if (resourceCache) {
      this.#resourceCaches.delete(prefix)
      for (const [of, one] of this.#byForm) if (one === resourceCache) this.#byForm.delete(of)
      resourceCache.retire()
      this.hub.end(resourceCache)
    }
    if (!this.isServed(prefix)) return
    const waiting = this.#awaiting.get(prefix)
    this.#awaiting.delete(prefix)
    for (const come of waiting ?? []) come()
  }

  /** Calls `come` once when something is served under the prefix. Returns a function that cancels this. */
  whenServed(prefix: string, come: () => void): () => void {
    const waiting = this.#awaiting.get(prefix) ?? new Set()
    this.#awaiting.set(prefix, waiting.add(come))
    return () => waiting.delete(come)
  }

  /**
   * Calls `changed` for each change of an object under the prefix of a resource while it is published, before watches
   * are notified; its resource cache need not be loaded. Returns a function that ends this.
   */
  onChange(prefix: string, changed: ChangeListener): () => void {
    this.#onChange.set(prefix, [...(this.#onChange.get(prefix) ?? []), changed])
    return () => {
      const left = (this.#onChange.get(prefix) ?? []).filter((one) => one !== changed)
      if (left.length > 0) this.#onChange.set(prefix, left)
      else this.#onChange.delete(prefix)
    }
  }

  /** Whether a resource has no objects, as far as this server knows; loads no resource cache. */
  async isEmpty(prefix: string): Promise<boolean> {
    const loaded = this.loaded(prefix)
    if (loaded) return loaded.size === 0
    const { items } = await this.#engine.range(prefix, { limit: 1 })
    return items.length === 0
  }

  /** Runs work after a while. Returns a function that cancels this. */
  after(ms: number, work: () => void): () => void {
    return this.#options.clock.after(ms, work)
  }

  /**
   * Durable conditional write; see `Engine.commit`. Reads see it when this resolves. `resourceCache`: source of the
   * changes; throws ResourceCacheGone, and writes nothing, when it is retired.
   */
  commit(changes: readonly Change[], resourceCache?: ResourceCache): Promise<Commit> {
    if (resourceCache?.retired === true)
      return Promise.reject(new ResourceCacheGone(resourceCache.prefix))
    const committing = this.#engine.commit(changes)
    // An engine that is the only one has published it when this resolves.
    return this.isShared ? this.#reachedBy(committing) : committing
  }

  /** A commit that reads see. */
  async #reachedBy(committing: Promise<Commit>): Promise<Commit> {
    const commit = await committing
    if (commit.done && this.#revision < commit.at) await this.reached(commit.at)
    return commit
  }

  /** Resolves when reads see `revision`, or false after `timeoutMs`. */
  async reached(revision: Revision, timeoutMs?: number): Promise<boolean> {
    if (this.#revision >= revision) return true
    return new Promise((resolve) => {
      let cancel = () => {}
      const waiter: Waiter = {
        place: -1,
        revision,
        done: () => {
          cancel()
          resolve(true)
        },
      }
      this.#waiting.add(waiter)
      if (timeoutMs !== undefined) {
        cancel = this.#options.clock.after(timeoutMs, () => {
          this.#waiting.delete(waiter)
          resolve(false)
        })
      }
    })
  }

  /**
   * Resolves when reads see everything that was written before the call, by any server over the same store. Calls in
   * one iteration of the event loop, and in the next few while more arrive, share one read-index request. Null when no
   * other server writes: the cache is current. Rejects with StoreUnavailable.
   */
  fresh(): Promise<void> | null {
    if (!this.#engine.latest) return null
    this.#freshCalls++
    return (this.#next ??= this.#readIndex())
  }

  /** The next read-index request continues a trace: that of the first request which it is for. */
  traceNext(traceparent: string): void {
    this.#nextTrace ||= traceparent
  }

  /** Resolves after an event loop iteration without further reads: a read-index request costs more than one. */
  async #gather(): Promise<void> {
    for (let turns = 0; turns < GATHER_TURNS; turns++) {
      const callsBefore = this.#freshCalls
      await yieldToEventLoop()
      if (this.#freshCalls === callsBefore) return
    }
  }

  async #readIndex(): Promise<void> {
    if (this.#readIndexes < MOST_READ_INDEXES) await this.#gather()
    else await new Promise<void>((resolve) => (this.#sendNext = resolve))
    this.#next = null
    this.#readIndexes++
    const trace = this.#nextTrace
    this.#nextTrace = ''
    try {
      await this.reached(await this.#engine.latest!(trace))
    } finally {
      this.#readIndexes--
      this.#sendNext?.()
      this.#sendNext = null
    }
  }

  /**
   * Objects under `prefix` (a key prefix inside the resource cache) at the latest or an exact revision.
   * Throws Compacted, FutureRevision and ResourceCacheGone.
   */
  async list(of: ResourceCacheKey, prefix: string, options: ListOptions = {}): Promise<ListState> {
    const resourceCache = await this.resourceCache(of)
    const { at } = options
    if (at === undefined) return stateOf(resourceCache, this.#revision, prefix, options)
    if (at > this.#revision) throw new FutureRevision(this.#revision)
    if (at < this.oldest) throw new Compacted(this.oldest)
    if (at >= resourceCache.floor) return stateOf(resourceCache, at, prefix, options)
    const items = await this.#rangeFromEngine(resourceCache, prefix, at, options.start)
    return { at, items, all: (most) => items.slice(0, most) }
  }

  async #rangeFromEngine(
    { form }: ResourceCache,
    prefix: string,
    at: Revision,
    start?: string,
  ): Promise<StoredObject[]> {
    const versions: StoredObject[] = []
    for await (const items of this.#pages(prefix, at, start)) {
      if (form?.prepare) await prepareAll(items.map(valueOf), form)
      for (const { key, value, created, changed } of items)
        versions.push(
          StoredObject.of(value, { key, revision: changed, created, prev: null }, null, form),
        )
    }
    return versions
  }

  /**
   * Objects under a prefix from the engine, in pages of a size that suits it. The values of a page are lost with the next
   * one.
   */
  async *#pages(prefix: string, at: Revision, from?: string): AsyncGenerator<readonly Item[]> {
    const { pageBytes } = this.#engine
    let start = from
    let limit = PAGE
    const room = new PageRoom()
    for (;;) {
      const { items, more } = await this.#engine.range(prefix, {
        ...{ at, limit, room },
        ...(start === undefined ? {} : { start }),
      })
      if (items.length > 0) yield items
      const last = items.at(-1)
      if (!more || !last) return
      start = `${last.key}\0`
      if (pageBytes === undefined) continue
      const bytes = items.reduce((sum, { value }) => sum + value.length, 0)
      const fitting = Math.floor((pageBytes * items.length) / Math.max(bytes, 1))
      limit = Math.min(Math.max(fitting, PAGE), MOST_ITEMS)
    }
  }

  /** Changes of a resource between two revisions from the engine's history, as versions. Throws Compacted. */
  async *history(
    { form }: ResourceCache,
    prefix: string,
    { from, to }: { readonly from: Revision; readonly to: Revision },
  ): AsyncGenerator<readonly StoredObject[]> {
    for await (const events of this.#engine.changes(prefix, from, to)) {
      if (form?.prepare) await prepareAll(events.flatMap(valuesOf), form)
      yield events.flatMap((event) => versionIn(event, form) ?? [])
    }
  }

  /** Ends watches and background work; the owner of the engine closes it. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#cancelTick()
    this.#unsubscribe()
    this.hub.close()
  }

  #load(of: ResourceCacheKey): Promise<ResourceCache> {
    const prefix = typeof of === 'string' ? of : of.keyPrefix
    const { formOf } = this.#options
    const form = formOf?.(prefix) ?? null
    if (typeof of !== 'string') {
      if (formOf && form?.of !== of) throw new ResourceCacheGone(prefix)
      const resourceCache = this.#resourceCaches.get(prefix)
      if (resourceCache) this.#byForm.set(of, resourceCache)
      if (resourceCache) return Promise.resolve(resourceCache)
    }
    const under = this.#loading.get(prefix)
    if (under) return under.ready
    const missed: Event[] = []
    const loading: Loading = {
      missed,
      ready: this.#fill(prefix, form, missed).then(
        ({ resourceCache, prepared }) => {
          // Meanwhile the resource was removed, or its form has changed.
          if (this.#loading.get(prefix) !== loading) {
            resourceCache.retire()
            throw new ResourceCacheGone(prefix)
          }
          this.#loading.delete(prefix)
          // The last changes came too late to be prepared.
          if (missed.slice(prepared).some(({ value }) => needsPreparation(value, form))) {
            resourceCache.retire()
            return this.#load(of)
          }
          for (const event of missed) if (event.at > resourceCache.floor) resourceCache.apply(event)
          this.#resourceCaches.set(prefix, resourceCache)
          this.#options.observer?.initialized(prefix, resourceCache.size)
          if (form) this.#byForm.set(form.of, resourceCache)
          return resourceCache
        },
        (error: unknown) => {
          if (this.#loading.get(prefix) === loading) this.#loading.delete(prefix)
          throw error
        },
      ),
    }
    this.#loading.set(prefix, loading)
    return loading.ready
  }

  /** Reads a resource cache, and prepares the changes that came meanwhile: `prepared` of `missed`. */
  async #fill(
    prefix: string,
    form: StorageForm | null,
    missed: readonly Event[],
  ): Promise<{ readonly resourceCache: ResourceCache; readonly prepared: number }> {
    const at = this.#revision
    const resourceCache = new ResourceCache(prefix, at, this.#slabs, {
      form,
      indexes: this.#indexes,
    })
    for await (const items of this.#pages(prefix, at)) {
      if (form?.prepare) await prepareAll(items.map(valueOf), form)
      for (let from = 0; from < items.length; from += PAGE) {
        for (const { key, value, created, changed } of items.slice(from, from + PAGE))
          resourceCache.load(key, value, created, changed)
        // An in-process engine responds at once: without this the event loop would be blocked.
        await new Promise<void>((resolve) => setImmediate(resolve))
      }
    }
    let prepared = 0
    while (form?.prepare && prepared < missed.length) {
      const more = missed.slice(prepared)
      await prepareAll(more.map(valueOf), form)
      prepared += more.length
    }
    return { resourceCache, prepared }
  }

  #publish(events: readonly Event[]): void {
    const touched = new Map<ResourceCache, StoredObject[]>()
    let prefix = ''
    let resourceCache: ResourceCache | undefined
    let versions: StoredObject[] | undefined
    for (const event of events) {
      // Mostly that of the event before. Keys of no resource may have a shorter one.
      if (prefix.length < 2 || !event.key.startsWith(prefix)) {
        prefix = tablePrefixOf(event.key)
        resourceCache = this.#resourceCaches.get(prefix)
        versions = resourceCache && touched.get(resourceCache)
      }
      if (this.#onChange.size > 0)
        for (const changed of this.#onChange.get(prefix) ?? NO_LISTENERS)
          changed(event.value === null)
      // A listener may have renewed it.
      if (resourceCache?.retired === true) resourceCache = versions = undefined
      if (!resourceCache) {
        this.#loading.get(prefix)?.missed.push(event)
        continue
      }
      if (resourceCache.form?.prepare && needsPreparation(event.value, resourceCache.form)) {
        // Written by a server with another storage version: the next request reads the resource cache again.
        this.renew(prefix)
        touched.delete(resourceCache)
        resourceCache = versions = undefined
        continue
      }
      const version = resourceCache.apply(event)
      if (!version) continue
      if (versions) versions.push(version)
      else touched.set(resourceCache, (versions = [version]))
    }
    const last = events.at(-1)
    if (last) this.#revision = last.at
    for (const [one, changes] of touched) {
      this.#options.observer?.dispatched(one.prefix, changes.length)
      this.hub.publish(one, changes)
    }
    if (this.#waiting.size > 0) {
      for (const waiter of this.#waiting) {
        if (waiter.revision > this.#revision) continue
        this.#waiting.delete(waiter)
        waiter.done()
      }
    }
  }

  #scheduleTrim(): void {
    const everyMs = Math.max(1000, Math.min(30_000, this.#options.historyMs / 4))
    this.#cancelTick = this.#options.clock.after(everyMs, () => {
      if (this.#closed) return
      void this.trim()
        .catch((error: unknown) => this.#options.onError?.(error))
        .finally(() => {
          if (!this.#closed) this.#scheduleTrim()
        })
    })
  }

  /** Discards all history: nothing can be read or watched from an older revision. */
  async forgetHistory(): Promise<void> {
    const upTo = this.#revision
    for (const resourceCache of this.#resourceCaches.values()) resourceCache.forget(upTo)
    if (upTo > this.#engine.oldest()) await this.#engine.compact(upTo)
  }

  /** Discards history older than the window, here and in the engine. */
  async trim(): Promise<void> {
    const upTo = this.#engine.revisionAt(this.#options.clock.now() - this.#options.historyMs)
    for (const resourceCache of this.#resourceCaches.values()) {
      resourceCache.trim(upTo, this.#options.historyBytes)
      resourceCache.indexes?.age()
    }
    if (upTo > this.#engine.oldest()) await this.#engine.compact(upTo)
  }
}

const valueOf = ({ value }: Pick<Event, 'value'> | Item) => value
const valuesOf = ({ value, before }: Event) => [value, before?.value]

/** The version of an event, outside of any resource cache; null for an event without one. */
function versionIn(event: Event, form: StorageForm | null): StoredObject | null {
  const { key, value, at, created, before } = event
  const prev = before
    ? StoredObject.of(
        before.value,
        { key, revision: before.changed, created: before.created, prev: null },
        null,
        form,
      )
    : null
  if (value === null) return prev ? StoredObject.tombstone(key, at, prev) : null
  return StoredObject.of(value, { key, revision: at, created, prev }, null, form)
}

function stateOf(
  resourceCache: ResourceCache,
  at: Revision,
  prefix: string,
  options: ListOptions,
): ListState {
  const { requires = [], only, start = '' } = options
  let found: readonly StoredObject[] | null = null
  if (only !== undefined) {
    const one = only >= start ? resourceCache.getAt(only, at) : null
    found = one ? [one] : []
  } else if (requires.length > 0) found = resourceCache.among(requires, prefix, { ...options, at })
  const known = found
  if (known) {
    const isIndexed = only === undefined
    return { at, items: known, isIndexed, all: (most) => known.slice(0, most) }
  }
  return {
    at,
    items: resourceCache.range(prefix, options),
    all: (most = Infinity) => resourceCache.collect(prefix, { ...options, most }),
    part: (after, most) =>
      at < resourceCache.floor
        ? null
        : resourceCache.collect(prefix, { start: after === '' ? start : `${after}\0`, at, most }),
    ...(requires.length === 0
      ? {}
      : { examined: (count, selected) => resourceCache.indexes?.note(requires, count, selected) }),
  }
}
