/** Old replica sets that are kept for rollbacks, and those that are not. */
import type { ReplicaSet } from '../../kinds/apps/replica-set.ts'
import { byCreation, isEnding } from '../workloads/owner.ts'
import { revisionOf } from './annotations.ts'
import type { DeploymentWrites } from './deployment-writes.ts'
import { sizeOf } from './sets.ts'

/** A limit of this many is none. */
const NONE = 2 ** 31 - 1

/** Deletes the oldest sets without pods beyond the limit. */
export async function deleteOldSets(
  writes: DeploymentWrites,
  old: readonly ReplicaSet[],
): Promise<void> {
  const { names } = writes.parts
  const limit = writes.deployment.spec.revisionHistoryLimit
  if (limit === undefined || limit === NONE) return
  const present = old.filter((set) => !isEnding(set))
  const surplus = present
    .sort((a, b) => revisionOf(a, names) - revisionOf(b, names) || byCreation(a, b))
    .slice(0, Math.max(present.length - limit, 0))
  for (const set of surplus) if (isUnused(set)) await writes.deleteSet(set)
}

const isUnused = (set: ReplicaSet): boolean =>
  sizeOf(set) === 0 &&
  (set.status?.replicas ?? 0) === 0 &&
  Number(set.metadata.generation ?? 0) <= Number(set.status?.observedGeneration ?? 0)
