import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { Change, Revision } from '../engine/engine.ts'
import { allocationOf, allocationCache, ALLOCATION_PREFIX } from './allocations.ts'
import { hookContext, type ReadDependencies, type WriteDependencies } from './context.ts'
import { commitAll } from './object-changes.ts'
import { decodeStored } from './objects.ts'

/** Dependencies of a repair. */
type RepairDependencies = ReadDependencies & Pick<WriteDependencies, 'catalogue' | 'allocators'>

/**
 * Makes allocations agree with the objects that hold them: adds missing ones, removes those whose object is gone.
 * After a crash there is nothing to repair, since both are written in one transaction; but a data directory may come
 * from elsewhere, or ranges may have changed.
 */
export async function repairAllocations(api: RepairDependencies): Promise<void> {
  const owners = api.catalogue.groups
    .flatMap(({ group, versions }) => api.catalogue.resources(group, versions[0] ?? ''))
    .filter((served) => served.strategy.allocations !== undefined)
  await allocationCache(api.cache)
  for (const served of owners) await api.cache.resourceCache(served.storage.keyPrefix)
  // Another writer, here or on another server, may interfere; the next round repairs what that leaves wrong.
  for (;;) {
    const changes = await repairs(api, owners)
    if (changes.length === 0) return
    await commitAll(api.cache, changes)
  }
}

async function repairs(
  api: RepairDependencies,
  owners: readonly ResourceEntry[],
): Promise<Change[]> {
  // Of one revision, in which each allocation exists together with its object.
  const at = api.cache.revision
  const present = [...(await api.cache.list(ALLOCATION_PREFIX, ALLOCATION_PREFIX, { at })).items]
  const wanted = new Map<string, Buffer>()
  for (const served of owners) await collect(api, served, at, wanted)
  const leftover = present.filter(({ key }) => !wanted.has(key))
  for (const { key } of present) wanted.delete(key)
  return [
    ...leftover.map(({ key, revision }) => ({ key, value: null, ifChangedAt: revision })),
    ...[...wanted].map(([key, value]) => ({ key, value, ifChangedAt: 0 })),
  ]
}

async function collect(
  api: RepairDependencies,
  served: ResourceEntry,
  at: Revision,
  wanted: Map<string, Buffer>,
): Promise<void> {
  const c = hookContext(api)
  const prefix = served.storage.keyPrefix
  for (const version of (await api.cache.list(prefix, prefix, { at })).items) {
    for (const allocation of served.strategy.allocations!(
      decodeStored(served.storage, version, c),
    )) {
      const { key, value } = allocationOf(api.allocators, allocation, version.key)
      wanted.set(key, value)
    }
  }
}
