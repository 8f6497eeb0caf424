/**
 * Values that only one object may hold, such as addresses and ports. Each is a key of its own that is made and
 * removed in the same commit as its object, so that two servers over one store cannot give out the same one, and a
 * crash leaves none behind.
 */
import type { Ids } from '../base/ids.ts'
import type { IpRange, ValueRange } from '../base/ip-range.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { Claim, Pools } from '../catalogue/resource.ts'
import type { WatchCache } from '../cache/watch-cache.ts'
import { encodeBody } from '../engine/record.ts'
import type { ResourceCache } from '../cache/resource-cache.ts'
import { serversPrefix } from '../base/store-keys.ts'
import type { Change } from '../engine/engine.ts'

/** All claims are kept under this. */
export const CLAIM_PREFIX = serversPrefix('claims')
const TRIES = 8

/** The pools of one server, by name. */
export interface PoolSet {
  readonly families: readonly IpRange['family'][]
  readonly ranges: ReadonlyMap<string, ValueRange>
}

/** The pools that services get addresses and ports from; the first address range is the default family. */
export const servicePools = (addresses: readonly IpRange[], ports: ValueRange): PoolSet => ({
  families: addresses.map((range) => range.family),
  ranges: new Map<string, ValueRange>([
    ...addresses.map((range) => [`serviceips/${range.family}`, range] as const),
    ['servicenodeports', ports],
  ]),
})

/** The table that claims are kept in. */
export const claimTable = (cache: WatchCache): Promise<ResourceCache> => cache.table(CLAIM_PREFIX)

/** Whether a key is that of a claim. */
export const isClaimKey = (key: string): boolean => key.startsWith(CLAIM_PREFIX)

/** Pools as one allocation sees them: what it picks, it does not pick twice. */
export function poolsFor(set: PoolSet, claims: ResourceCache, ids: Ids): Pools {
  const mine = new Set<string>()
  const isFree = (pool: string, value: string) => {
    const key = claimKey(set, { pool, value })
    return !mine.has(key) && !claims.get(key)
  }
  return {
    families: set.families,
    contains: (pool, value) => (set.ranges.get(pool)?.indexOf(value) ?? -1) !== -1,
    range: (pool) => set.ranges.get(pool)?.text,
    isFree,
    pick(pool) {
      const range = set.ranges.get(pool)
      if (!range) return null
      const reserved = Math.min(range.reserved, range.size)
      const free = (value: string) => isFree(pool, value)
      const value =
        pickBetween(range, reserved, range.size, ids, free) ??
        pickBetween(range, 0, reserved, ids, free)
      if (value !== null) mine.add(claimKey(set, { pool, value }))
      return value
    },
  }
}

function pickBetween(
  range: ValueRange,
  from: number,
  to: number,
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

/** Changes that go into the commit which turns `before` into `after`; null stands for no object. */
export function claimChanges(
  set: PoolSet,
  served: ResourceEntry,
  before: Typed | null,
  after: Typed | null,
  owner: string,
): Change[] {
  const { claims } = served.strategy
  if (!claims) return []
  const keys = (object: Typed | null) =>
    new Set(object ? claims(object).map((claim) => claimKey(set, claim)) : [])
  const had = keys(before)
  const has = keys(after)
  return [
    ...[...has]
      .filter((key) => !had.has(key))
      .map((key) => ({ key, value: encodeBody({ owner }), ifChangedAt: 0 })),
    ...[...had].filter((key) => !has.has(key)).map((key) => ({ key, value: null })),
  ]
}

/** Key and record of a claim that must be there for an object. */
export const claimOf = (set: PoolSet, claim: Claim, owner: string) => ({
  key: claimKey(set, claim),
  value: encodeBody({ owner }),
})

function claimKey(set: PoolSet, { pool, value }: Claim): string {
  const range = set.ranges.get(pool)
  const index = range?.indexOf(value) ?? -1
  // One value may be written in several ways; an address outside the range has no index.
  const canonical = range && index !== -1 ? range.at(index) : value
  return `${CLAIM_PREFIX}${pool}/${canonical}`
}
