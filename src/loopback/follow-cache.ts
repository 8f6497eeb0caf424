import { keyOf } from '../registry/context.ts'
import { selection } from '../registry/selection.ts'
import type { Followed, FollowRequest, FollowTarget } from '../client/transport.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import type { WatchSink } from '../cache/watch-hub.ts'
import { CacheEntry, type CacheReading } from './cache-entry.ts'

const NO_BYTES = Buffer.alloc(0)

// Nothing is sent: the frames of this watcher are function calls.
const NOWHERE: WatchSink = { write: () => true, drained: () => Promise.resolve(), closed: false }

/**
 * Delivers objects from the cache: each once, and then each change while it is published. Stores nothing beside the
 * cache.
 */
export async function followCache<T>(
  reading: CacheReading,
  request: Pick<FollowRequest, 'namespace' | 'query'>,
  target: FollowTarget<T>,
): Promise<Followed<T>> {
  const { api, served } = reading
  const parameter = (name: string) => request.query.find(([given]) => given === name)?.[1] ?? ''
  const chosen = selection(served, parameter('labelSelector'), parameter('fieldSelector'))
  const matches = (version: StoredObject) =>
    version.fault === null && chosen.matches?.(version) !== false
  const table = await api.cache.resourceCache(served.storage)
  const prefix = keyOf(served.storage, request.namespace, '')
  const entryOf = (version: StoredObject, revision?: number) =>
    new CacheEntry<T>(reading, version, revision)
  let isOver = false
  const watcher = api.cache.hub.watch(
    table,
    {
      id: api.cache.hub.ownView(),
      prefix,
      // The watch hub needs versions only.
      matches: (version) => matches(version as StoredObject),
      frame(type, version, revision) {
        if (isOver) return NO_BYTES
        if (type === 'DELETED') target.delete(entryOf(version, revision))
        else if (type === 'ADDED') target.add(entryOf(version))
        else target.update(entryOf(version), entryOf(version.prev!))
        return NO_BYTES
      },
    },
    NOWHERE,
    // This is the newest revision: the watcher is live at once, and reading begins here.
    {
      from: api.cache.revision,
      onLost: () => {},
      onEnd() {
        if (isOver) return
        isOver = true
        target.ended()
      },
    },
  )
  for (const version of table.range(prefix)) {
    if (isOver) break
    if (matches(version)) target.add(entryOf(version))
  }
  // Objects that are looked up twice are decoded once, as long as memory does not run short: decoded ones are large.
  const known = new WeakMap<StoredObject, WeakRef<CacheEntry<T>>>()
  return {
    store: {
      get(key) {
        const version = table.get(served.storage.keyPrefix + key)
        if (!version || !matches(version)) return null
        let entry = known.get(version)?.deref()
        if (!entry) known.set(version, new WeakRef((entry = entryOf(version))))
        return entry
      },
      *entries(namespace) {
        for (const version of table.range(
          keyOf(served.storage, namespace || request.namespace, ''),
        ))
          if (matches(version)) yield entryOf(version)
      },
    },
    end() {
      isOver = true
      watcher.stop()
    },
  }
}
