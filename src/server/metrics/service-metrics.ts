import type { WatchCache } from '../../cache/watch-cache.ts'
import {
  allocatedIps,
  availableIps,
  ipAllocationErrors,
  ipAllocations,
} from '../../metrics/declared/services.ts'
import type { Registry } from '../../metrics/registry.ts'
import {
  ALLOCATION_PREFIX,
  type AllocationObserver,
  type AllocatorSet,
} from '../../registry/allocations.ts'

/** Counts the cluster IPs that services get. */
export const allocationMetrics =
  (registry: Registry): AllocationObserver =>
  (cidr, scope, isDone) =>
    registry
      .of(isDone ? ipAllocations : ipAllocationErrors)
      .with({ cidr, scope })
      .inc()

/** Has the numbers of cluster IPs taken at each scrape. */
export function serviceMetrics(
  registry: Registry,
  { ranges, families }: AllocatorSet,
  cache: WatchCache,
): void {
  registry.onScrape(async () => {
    const table = await cache.resourceCache(ALLOCATION_PREFIX)
    for (const family of families) {
      const name = `serviceips/${family}`
      const range = ranges.get(name)
      if (!range) continue
      let held = 0
      for (const _ of table.range(`${ALLOCATION_PREFIX}${name}/`)) held++
      registry.of(allocatedIps).with({ cidr: range.text }).set(held)
      registry
        .of(availableIps)
        .with({ cidr: range.text })
        .set(range.size - held)
    }
  })
}
