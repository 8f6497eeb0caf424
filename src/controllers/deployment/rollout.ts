/** One sync of a Deployment: the next step of its rollout. */
import type { Deployment } from '../../kinds/apps/deployment.ts'
import type { ReplicaSet } from '../../kinds/apps/replica-set.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { isEnding } from '../workloads/owner.ts'
import { hasEnded } from '../workloads/pod-state.ts'
import { integerOf, ROLLBACK } from './annotations.ts'
import { setsOf } from './current-set.ts'
import type { DeploymentWrites } from './deployment-writes.ts'
import { deleteOldSets } from './history.ts'
import { proportionalSizes } from './proportions.ts'
import { rollBack } from './rollback.ts'
import {
  countedStatus,
  hasDeadline,
  isComplete,
  progressOf,
  REASON,
  rolloutStatus,
  stuckAfter,
  withProgress,
} from './rollout-status.ts'
import {
  activeOf,
  allOf,
  availableOf,
  isRolling,
  maxSurgeOf,
  maxUnavailableOf,
  newestFirst,
  oldestFirst,
  replicasOf,
  sizeOf,
  totalOf,
  type Sets,
} from './sets.ts'

/** What a sync looks at. */
export interface RolloutParts {
  readonly writes: DeploymentWrites
  /** The sets that the Deployment controls; they may be changed. */
  readonly sets: readonly ReplicaSet[]
  /** Pods of a set. */
  readonly podsOf: (set: ReplicaSet) => readonly Pod[]
}

/** Takes the next step; returns milliseconds after which to look again. */
export async function rollOut(parts: RolloutParts): Promise<number | void> {
  const { writes, sets } = parts
  if (isEnding(writes.deployment)) return countPods(writes, await known(parts))
  await tellPause(writes)
  if (writes.deployment.spec.paused === true) return scaleOnly(parts)
  if (integerOf(writes.deployment, ROLLBACK) !== null) {
    return rollBack(writes, await setsOf(writes, sets, { creates: true }))
  }
  if (await wasScaled(parts)) return scaleOnly(parts)
  return isRolling(writes.deployment) ? rollingUpdate(parts) : recreate(parts)
}

const known = ({ writes, sets }: RolloutParts): Promise<Sets> =>
  setsOf(writes, sets, { creates: false })

/** The time while a rollout is paused does not count for its deadline. */
async function tellPause(writes: DeploymentWrites): Promise<void> {
  const { deployment, parts } = writes
  const progress = progressOf(deployment.status)
  if (!hasDeadline(deployment) || progress?.reason === REASON.timedOut) return
  const isPaused = deployment.spec.paused === true
  if (isPaused === (progress?.reason === REASON.paused)) return
  const wanted = isPaused
    ? ({ status: 'Unknown', reason: REASON.paused, message: 'Deployment is paused' } as const)
    : ({ status: 'Unknown', reason: REASON.resumed, message: 'Deployment is resumed' } as const)
  await writes.writeStatus(withProgress(deployment.status, wanted, parts.clock))
}

/** Whether the number of pods changed since the sets were last scaled. */
async function wasScaled(parts: RolloutParts): Promise<boolean> {
  const sets = await known(parts)
  const { deployment, parts: given } = parts.writes
  return activeOf(allOf(sets)).some((set) => {
    const desired = integerOf(set, given.names.desired)
    return desired !== null && desired !== replicasOf(deployment)
  })
}

async function scaleOnly(parts: RolloutParts): Promise<void> {
  const { writes } = parts
  const sets = await known(parts)
  await scaleSets(writes, sets)
  const { spec, metadata } = writes.deployment
  if (spec.paused === true && metadata.annotations?.[ROLLBACK] === undefined)
    await deleteOldSets(writes, sets.old)
  await countPods(writes, sets)
}

async function countPods(writes: DeploymentWrites, sets: Sets): Promise<void> {
  await writes.writeStatusIfChanged(countedStatus(writes.deployment, sets, writes.parts.clock))
}

async function reportRollout(writes: DeploymentWrites, sets: Sets): Promise<number | void> {
  const { deployment, parts } = writes
  const status = rolloutStatus(deployment, sets, parts.clock)
  if (await writes.writeStatusIfChanged(status)) return
  return stuckAfter(deployment, status, parts.clock) ?? undefined
}

/** Gives the sets the sizes that follow from the number of pods alone. */
async function scaleSets(writes: DeploymentWrites, sets: Sets): Promise<void> {
  const { deployment, parts } = writes
  const wanted = replicasOf(deployment)
  const active = activeOf(allOf(sets))
  if (active.length < 2) {
    const only = active[0] ?? sets.current ?? newestFirst(sets.old)[0]
    if (only) await writes.scaleIfOther(only, wanted)
    return
  }
  if (isSaturated(deployment, sets, parts.names.desired)) {
    for (const set of activeOf(sets.old)) await writes.scaleIfOther(set, 0)
  } else if (isRolling(deployment)) {
    const sizes = proportionalSizes(deployment, active, parts.names)
    for (const [set, size] of sizes) await writes.scale(set, size)
  }
}

/** Whether the current set has all pods that it should have, and they are available. */
function isSaturated(deployment: Deployment, { current }: Sets, desired: string): boolean {
  if (!current) return false
  const wanted = replicasOf(deployment)
  return (
    sizeOf(current) === wanted &&
    integerOf(current, desired) === wanted &&
    availableOf(current) === wanted
  )
}

async function rollingUpdate(parts: RolloutParts): Promise<number | void> {
  const { writes } = parts
  const sets = await setsOf(writes, parts.sets, { creates: true })
  if (await growCurrent(writes, sets)) return reportRollout(writes, sets)
  if (await shrinkOld(writes, sets)) return reportRollout(writes, sets)
  if (isComplete(writes.deployment, writes.deployment.status)) await deleteOldSets(writes, sets.old)
  return reportRollout(writes, sets)
}

async function growCurrent(writes: DeploymentWrites, sets: Sets): Promise<boolean> {
  const { deployment } = writes
  const current = sets.current!
  const wanted = replicasOf(deployment)
  const size = sizeOf(current)
  if (size >= wanted) return writes.scaleIfOther(current, wanted)
  const room = wanted + maxSurgeOf(deployment) - totalOf(allOf(sets), sizeOf)
  return room > 0 && writes.scaleIfOther(current, size + Math.min(room, wanted - size))
}

/** Takes pods from old sets: first those that are not available, then as many as may be unavailable. */
async function shrinkOld(writes: DeploymentWrites, sets: Sets): Promise<boolean> {
  const current = sets.current!
  const leastAvailable = replicasOf(writes.deployment) - maxUnavailableOf(writes.deployment)
  const old = oldestFirst(sets.old)
  if (totalOf(old, sizeOf) === 0) return false
  const unavailable = sizeOf(current) - availableOf(current)
  const limit = totalOf(allOf(sets), sizeOf) - leastAvailable - unavailable
  if (limit <= 0) return false
  const unhealthy = await shrink(writes, old, limit, (set) => sizeOf(set) - availableOf(set))
  const spare = totalOf(allOf(sets), availableOf) - leastAvailable
  const healthy = await shrink(writes, old, spare, sizeOf)
  return unhealthy + healthy > 0
}

/** Takes at most `limit` pods from sets in their order, of each at most `most`; returns how many. */
async function shrink(
  writes: DeploymentWrites,
  sets: readonly ReplicaSet[],
  limit: number,
  most: (set: ReplicaSet) => number,
): Promise<number> {
  let taken = 0
  for (const set of sets) {
    const part = Math.min(limit - taken, most(set), sizeOf(set))
    if (part <= 0) continue
    await writes.scaleIfOther(set, sizeOf(set) - part)
    taken += part
  }
  return taken
}

async function recreate(parts: RolloutParts): Promise<number | void> {
  const { writes } = parts
  let sets = await known(parts)
  const active = activeOf(sets.old)
  for (const set of active) await writes.scaleIfOther(set, 0)
  if (active.length > 0 || oldPodsRun(parts, sets)) return reportRollout(writes, sets)
  if (!sets.current) sets = await setsOf(writes, parts.sets, { creates: true })
  await writes.scaleIfOther(sets.current!, replicasOf(writes.deployment))
  if (isComplete(writes.deployment, writes.deployment.status)) await deleteOldSets(writes, sets.old)
  return reportRollout(writes, sets)
}

const oldPodsRun = ({ podsOf }: RolloutParts, { old }: Sets): boolean =>
  old.some((set) => (set.status?.replicas ?? 0) > 0 || podsOf(set).some((pod) => !hasEnded(pod)))
