import { placeOfPrefix } from '../../base/store-keys.ts'
import type { CacheObserver, WatchCache } from '../../cache/watch-cache.ts'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import {
  cacheInitializations,
  etcdDbSize,
  etcdObjectCounts,
  eventsDispatched,
  storageObjects,
  storeListEvaluated,
  storeListFetched,
  storeListReturned,
  storeLists,
  watchCacheCapacity,
} from '../../metrics/declared/storage.ts'
import type { Registry } from '../../metrics/registry.ts'
import type { CounterSeries } from '../../metrics/series.ts'
import type { OpenEngine } from '../store-kinds.ts'
import type { ObjectCounts } from './object-counts.ts'

/** A resource by the prefix of its keys, `deployments.apps`. */
function resourceAt(prefix: string): string {
  const place = placeOfPrefix(prefix)
  if (place === null) return ''
  return place.group === '' ? place.plural : `${place.plural}.${place.group}`
}

/** Has the numbers of stored objects taken at each scrape, and the size of a remote store. */
export function storageMetrics(
  registry: Registry,
  catalogue: Pick<Catalogue, 'entries'>,
  counts: ObjectCounts,
  { engine, cache }: { readonly engine: OpenEngine; readonly cache: Pick<WatchCache, 'loaded'> },
): void {
  registry.onScrape(async () => {
    const objects = registry.of(storageObjects)
    const old = registry.of(etcdObjectCounts)
    const prefixes = new Set<string>()
    for (const { versions } of catalogue.entries()) {
      const { keyPrefix, virtual } = versions[0]
      if (virtual === null) prefixes.add(keyPrefix)
    }
    const found = await Promise.all(
      [...prefixes].map(async (prefix) => {
        const number = await counts.count(prefix).catch(() => -1)
        return [resourceAt(prefix), number] as const
      }),
    )
    const capacities = registry.of(watchCacheCapacity)
    // Resources may have gone.
    for (const family of [objects, old, capacities]) family.clear()
    for (const prefix of prefixes) {
      const loaded = cache.loaded(prefix)
      if (loaded) capacities.with({ resource: resourceAt(prefix) }).set(loaded.changes)
    }
    for (const [resource, number] of found.sort(([a], [b]) => (a < b ? -1 : 1)))
      for (const family of [objects, old]) family.with({ resource }).set(number)
  })
  if (!engine.databaseBytes) return
  registry.onScrape(async () => {
    const sizes = registry.of(etcdDbSize)
    for (const [endpoint, bytes] of (await engine.databaseBytes?.()) ?? [])
      sizes.with({ endpoint }).set(bytes)
  })
}

/** Counts what the watch cache does. */
export function cacheMetrics(registry: Registry): CacheObserver {
  const dispatched = new Map<string, CounterSeries>()
  return {
    initialized(prefix, objects) {
      const labels = { resource: resourceAt(prefix) }
      registry.of(cacheInitializations).with(labels).inc()
      registry.of(storeLists).with(labels).inc()
      for (const metric of [storeListFetched, storeListEvaluated, storeListReturned])
        registry.of(metric).with(labels).inc(objects)
    },
    dispatched(prefix, changes) {
      let series = dispatched.get(prefix)
      if (!series) {
        series = registry.of(eventsDispatched).with({ resource: resourceAt(prefix) })
        dispatched.set(prefix, series)
      }
      series.inc(changes)
    },
  }
}
