/**
 * Values that only one object may hold, such as addresses and ports. Each is a separate key that is created and
 * deleted in the same commit as its object, so that two servers over one store cannot allocate the same value, and a
 * crash leaves no orphaned allocation.
 */
import type { Ids } from '../base/ids.ts'
import type { IpRange, ValueRange } from '../base/ip-range.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { Allocation, Allocators } from '../catalogue/resource.ts'
import type { WatchCache } from '../cache/watch-cache.ts'
import { encodeBody } from '../engine/record.ts'
import type { ResourceCache } from '../cache/resource-cache.ts'
import { serversPrefix } from '../base/store-keys.ts'
import type { Change } from '../engine/engine.ts'

/** Key prefix of all allocations. */
export const ALLOCATION_PREFIX = serversPrefix('claims')
const TRIES = 8
const ADDRESSES = 'serviceips/'

/** Told of each address that a service named or asked for, and whether it was free. */
export type AllocationObserver = (
  cidr: string,
  scope: 'static' | 'dynamic',
  isDone: boolean,
) => void

/** The allocators of one server, by name. */
export interface AllocatorSet {
  readonly observe?: AllocationObserver
  readonly families: readonly IpRange['family'][]
  readonly ranges: ReadonlyMap<string, ValueRange>
}

/** The IP and port allocators of services; the first address range is the default family. */
export const serviceAllocators = (
  addresses: readonly IpRange[],
  ports: ValueRange,
  observe?: AllocationObserver,
): AllocatorSet => ({
  ...(observe ? { observe } : {}),
  families: addresses.map((range) => range.family),
  ranges: new Map<string, ValueRange>([
    ...addresses.map((range) => [`serviceips/${range.family}`, range] as const),
    ['servicenodeports', ports],
  ]),
})

/** The resource cache that contains the allocations. */
export const allocationCache = (cache: WatchCache): Promise<ResourceCache> =>
  cache.resourceCache(ALLOCATION_PREFIX)

/** Whether a key is that of an allocation. */
export const isAllocationKey = (key: string): boolean => key.startsWith(ALLOCATION_PREFIX)

/** The allocators for one write: they never pick the same value twice. */
export function allocatorsFor(set: AllocatorSet, allocations: ResourceCache, ids: Ids): Allocators {
  const mine = new Set<string>()
  const isFree = (allocator: string, value: string) => {
    const key = allocationKey(set, { allocator, value })
    return !mine.has(key) && !allocations.get(key)
  }
  return {
    families: set.families,
    contains: (allocator, value) => (set.ranges.get(allocator)?.indexOf(value) ?? -1) !== -1,
    range: (allocator) => set.ranges.get(allocator)?.text,
    isFree,
    named: (allocator, isDone) =>
      set.observe?.(set.ranges.get(allocator)?.text ?? '', 'static', isDone),
    pick(allocator) {
      const range = set.ranges.get(allocator)
      if (!range) return null
      const reserved = Math.min(range.reserved, range.size)
      const free = (value: string) => isFree(allocator, value)
      const value =
        pickFrom({ range, from: reserved, to: range.size }, ids, free) ??
        pickFrom({ range, from: 0, to: reserved }, ids, free)
      if (allocator.startsWith(ADDRESSES)) set.observe?.(range.text, 'dynamic', value !== null)
      if (value !== null) mine.add(allocationKey(set, { allocator, value }))
      return value
    },
  }
}

/** Part of a range: the values with an index from `from` to below `to`. */
interface RangePart {
  readonly range: ValueRange
  readonly from: number
  readonly to: number
}

/** A free value of a part, chosen at random; null when all are taken. */
function pickFrom(
  { range, from, to }: RangePart,
  ids: Ids,
  isFree: (value: string) => boolean,
): string | null {
  const count = to - from
  if (count <= 0) return null
  const random = () => from + Math.floor(ids.fraction() * count)
  for (let i = 0; i < TRIES; i++) {
    const value = range.at(random())
    if (isFree(value)) return value
  }
  const start = random()
  for (let i = 0; i < count; i++) {
    const value = range.at(from + ((start - from + i) % count))
    if (isFree(value)) return value
  }
  return null
}

/** One object before and after a write; null: no object. */
interface AllocatedWrite {
  readonly before: Typed | null
  readonly after: Typed | null
  /** Key of the object. */
  readonly owner: string
}

/** Allocation changes for the commit that replaces `before` with `after`. */
export function allocationChanges(
  set: AllocatorSet,
  served: ResourceEntry,
  { before, after, owner }: AllocatedWrite,
): Change[] {
  const { allocations } = served.strategy
  if (!allocations) return []
  const keys = (object: Typed | null) =>
    new Set(object ? allocations(object).map((allocation) => allocationKey(set, allocation)) : [])
  const had = keys(before)
  const has = keys(after)
  return [
    ...[...has]
      .filter((key) => !had.has(key))
      .map((key) => ({ key, value: encodeBody({ owner }), ifChangedAt: 0 })),
    ...[...had].filter((key) => !has.has(key)).map((key) => ({ key, value: null })),
  ]
}

/** Key and record of an allocation that an object requires. */
export const allocationOf = (set: AllocatorSet, allocation: Allocation, owner: string) => ({
  key: allocationKey(set, allocation),
  value: encodeBody({ owner }),
})

function allocationKey(set: AllocatorSet, { allocator, value }: Allocation): string {
  const range = set.ranges.get(allocator)
  const index = range?.indexOf(value) ?? -1
  // One value may be written in several ways; an address outside the range has no index.
  const canonical = range && index !== -1 ? range.at(index) : value
  return `${ALLOCATION_PREFIX}${allocator}/${canonical}`
}
