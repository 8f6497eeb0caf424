/** Changes in the store of one write of an object. */
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { WatchCache } from '../cache/watch-cache.ts'
import type { Change } from '../engine/engine.ts'
import { allocationChanges } from './allocations.ts'
import type { WriteDependencies } from './context.ts'
import { isGoing } from './going.ts'

/** Stores limit the operations of one transaction: 128 is the default of etcd (`--max-txn-ops`). */
const MOST_CHANGES = 128

/** A write of an object, ready to be stored. */
export interface ObjectWrite {
  readonly served: ResourceEntry
  readonly key: string
  /** Null on create. */
  readonly old: Typed | null
  /** Null when the object is removed. */
  readonly next: Typed | null
  /** The stored form of `next`. */
  readonly record: Buffer | null
  /** Revision that the object must still have; 0: it must not exist. */
  readonly over: number
}

/** The record of an object with the values that it allocates and releases, stored in one transaction. */
export const objectChanges = (
  { allocators }: Pick<WriteDependencies, 'allocators'>,
  { served, key, old, next, record, over }: ObjectWrite,
): [Change, ...Change[]] => {
  const change: Change =
    old && next && isGoing(next)
      ? { key, value: record, ifChangedAt: over, frees: true }
      : { key, value: record, ifChangedAt: over }
  return served.strategy.allocations
    ? [change, ...allocationChanges(allocators, served, { before: old, after: next, owner: key })]
    : [change]
}

/** Commits changes in as few transactions as the store allows; returns whether all of their conditions held. */
export async function commitAll(
  cache: Pick<WatchCache, 'commit'>,
  changes: readonly Change[],
): Promise<boolean> {
  const commits: ReturnType<WatchCache['commit']>[] = []
  for (let i = 0; i < changes.length; i += MOST_CHANGES)
    commits.push(cache.commit(changes.slice(i, i + MOST_CHANGES)))
  return (await Promise.all(commits)).every(({ done }) => done)
}
