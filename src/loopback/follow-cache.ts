import type { IterationQueue } from '../base/iteration-queue.ts'
import { keyOf } from '../registry/context.ts'
import { selection } from '../registry/selection.ts'
import type { Followed, FollowRequest, FollowTarget } from '../client/transport.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import type { WatchSink } from '../cache/watch-hub.ts'
import { CacheEntry, type CacheReading } from './cache-entry.ts'

/**
 * Bytes of an object above which it is handled in an iteration of the event loop of its own. Several controllers may
 * read the same object, each for tens of milliseconds a megabyte.
 */
export const LARGE_BYTES = 256 << 10

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
  const deliver = inOrder(api.largeWork, () => isOver)
  const watcher = api.cache.hub.watch(
    table,
    {
      id: api.cache.hub.ownView(),
      prefix,
      // The watch hub needs versions only.
      matches: (version) => matches(version as StoredObject),
      frame(type, version, revision) {
        if (isOver) return NO_BYTES
        const { prev } = version
        deliver(Math.max(version.bytes, prev?.bytes ?? 0), () => {
          if (type === 'DELETED') target.delete(entryOf(version, revision))
          else if (type === 'ADDED') target.add(entryOf(version))
          else target.update(entryOf(version), entryOf(prev!))
        })
        return NO_BYTES
      },
    },
    NOWHERE,
    // This is the newest revision: the watcher is live at once, and reading begins here.
    {
      from: api.cache.revision,
      onLost: () => {},
      onEnd() {
        deliver(0, () => {
          isOver = true
          target.ended()
        })
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

/** Delivers events at once, but large ones and those that follow them later, in an iteration of their own. */
function inOrder(queue: IterationQueue, isOver: () => boolean) {
  let waiting = 0
  return (bytes: number, event: () => void): void => {
    if (isOver()) return
    if (waiting === 0 && bytes <= LARGE_BYTES) return event()
    waiting++
    queue.add(() => {
      waiting--
      if (!isOver()) event()
    })
  }
}
