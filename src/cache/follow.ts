import type { WatchCache } from './watch-cache.ts'
import { ResourceCacheGone, type StorageForm } from './storage-form.ts'
import type { ResourceCache } from './resource-cache.ts'
import type { StoredObject } from './stored-object.ts'
import type { Watcher, WatchSink } from './watch-hub.ts'

/** Notified of the values of one resource cache, synchronously and in order of commit. Must not throw. */
export interface VersionHandler {
  /** Every value at the start, then each new one; `form`: the form of the value. */
  onUpdate(version: StoredObject, form: StorageForm | null): void
  /** The last value of a deleted key. */
  onDelete(version: StoredObject, form: StorageForm | null): void
}

const NO_BYTES = Buffer.alloc(0)

// Nothing is sent: the frames of a follower are calls.
const NOWHERE: WatchSink = { write: () => true, drained: () => Promise.resolve(), closed: false }

/** Interval between attempts to read the present values. */
const RETRY_MS = 1_000

/**
 * Passes every value of a resource cache to the handler, resolves, and from then on each change when it is published:
 * no value is lost or repeated. When the resource is no longer served, its values are reported as removed, and passed
 * again when it is served again; after a change of form they are passed in the new form. Returns a function that stops
 * it. Costs nothing without followers.
 */
export async function followVersions(
  cache: WatchCache,
  tablePrefix: string,
  handler: VersionHandler,
): Promise<() => void> {
  const follower = new Follower(cache, tablePrefix, handler)
  await follower.begin()
  return () => follower.stop()
}

/** The same for callers that do not wait: it starts as soon as possible. */
export function followLater(
  cache: WatchCache,
  tablePrefix: string,
  handler: VersionHandler,
): () => void {
  const follower = new Follower(cache, tablePrefix, handler)
  follower.beginLater()
  return () => follower.stop()
}

class Follower {
  readonly #cache: WatchCache
  readonly #prefix: string
  readonly #handler: VersionHandler
  readonly #id: string
  /** The resource cache that the handler knows; null before the resource was served. */
  #resourceCache: ResourceCache | null = null
  #stopped = false
  /** Stops the current wait or watch. */
  #end = () => {}

  constructor(cache: WatchCache, prefix: string, handler: VersionHandler) {
    this.#cache = cache
    this.#prefix = prefix
    this.#handler = handler
    this.#id = cache.hub.ownView()
  }

  /** Rejects when the resource cache cannot be read. */
  async begin(): Promise<void> {
    while (!this.#stopped && this.#cache.isServed(this.#prefix)) {
      try {
        const resourceCache = await this.#cache.resourceCache(this.#prefix)
        if (!resourceCache.retired) return this.#attach(resourceCache)
      } catch (error) {
        // The resource cache was removed while it was read, or is read again.
        if (!(error instanceof ResourceCacheGone)) throw error
      }
    }
    if (!this.#stopped) this.#end = this.#cache.whenServed(this.#prefix, () => this.beginLater())
  }

  stop(): void {
    this.#stopped = true
    this.#end()
  }

  /** Retries while the resource cache cannot be read. */
  beginLater(): void {
    this.begin().catch(() => {
      if (!this.#stopped) this.#end = this.#cache.after(RETRY_MS, () => this.beginLater())
    })
  }

  #attach(resourceCache: ResourceCache): void {
    if (this.#stopped) return
    const handler = this.#handler
    const { form } = resourceCache
    const before = this.#resourceCache
    this.#resourceCache = resourceCache
    const watcher: Watcher = this.#cache.hub.watch(
      resourceCache,
      {
        id: this.#id,
        prefix: this.#prefix,
        matches: null,
        frame(type, version) {
          if (!watcher.stopped && version.fault === null) {
            if (type === 'DELETED') handler.onDelete(version, form)
            else handler.onUpdate(version, form)
          }
          return NO_BYTES
        },
      },
      NOWHERE,
      // No revision is newer, so that the watcher is live at once and starts where the next read starts.
      { from: this.#cache.revision, onLost: () => {}, onEnd: () => this.#ended(resourceCache) },
    )
    this.#end = () => watcher.stop()
    if (before) this.#tellRemoved(before, resourceCache)
    for (const version of resourceCache.range(this.#prefix)) {
      if (watcher.stopped) break
      if (version.fault === null) handler.onUpdate(version, form)
    }
  }

  /** The watch has ended: by the follower, with the server, or with the resource cache. */
  #ended(resourceCache: ResourceCache): void {
    if (this.#stopped || !resourceCache.retired) return
    if (!this.#cache.isServed(this.#prefix)) {
      this.#resourceCache = null
      this.#tellRemoved(resourceCache, null)
    }
    this.beginLater()
  }

  /** Reports the values of a resource cache that are missing in the next one. */
  #tellRemoved(before: ResourceCache, now: ResourceCache | null): void {
    for (const version of before.range(this.#prefix)) {
      if (version.fault === null && !now?.get(version.key))
        this.#handler.onDelete(version, before.form)
    }
  }
}
