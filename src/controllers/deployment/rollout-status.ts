/** What the status of a Deployment says of its rollout. */
import type { Clock } from '../../base/clock.ts'
import { parsedTime } from '../../base/time.ts'
import type { Deployment, DeploymentCondition } from '../../kinds/apps/deployment.ts'
import type { ReplicaSet } from '../../kinds/apps/replica-set.ts'
import {
  conditionOf,
  withCondition,
  withoutCondition,
  type NewCondition,
} from '../workloads/conditions.ts'
import {
  allOf,
  availableOf,
  maxUnavailableOf,
  replicasOf,
  sizeOf,
  totalOf,
  type Sets,
} from './sets.ts'

export type DeploymentStatus = Deployment['status']
type Now = Pick<Clock, 'now'>

const PROGRESSING = 'Progressing'
const AVAILABLE = 'Available'
const FAILURE = 'ReplicaFailure'
/** Reasons of the condition Progressing. */
export const REASON = {
  complete: 'NewReplicaSetAvailable',
  progressing: 'ReplicaSetUpdated',
  timedOut: 'ProgressDeadlineExceeded',
  paused: 'DeploymentPaused',
  resumed: 'DeploymentResumed',
  created: 'NewReplicaSetCreated',
  found: 'FoundNewReplicaSet',
  failed: 'ReplicaSetCreateError',
} as const
/** A deadline of this many seconds is none. */
const NONE = 2 ** 31 - 1

/** Whether the progress of a Deployment has a deadline. */
export const hasDeadline = ({ spec }: Deployment): boolean =>
  spec.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== NONE

/** The condition Progressing; null when there is none. */
export const progressOf = ({ conditions }: DeploymentStatus): DeploymentCondition | null =>
  conditionOf(conditions, PROGRESSING)

/** A status with another condition Progressing. */
export function withProgress(
  status: DeploymentStatus,
  wanted: Omit<NewCondition, 'type'>,
  clock: Now,
): DeploymentStatus {
  const conditions = withCondition(status.conditions ?? [], { type: PROGRESSING, ...wanted }, clock)
  return { ...status, conditions: [...conditions] }
}

/** Numbers of pods, and whether enough of them are available. */
export function countedStatus(deployment: Deployment, sets: Sets, clock: Now): DeploymentStatus {
  const all = allOf(sets)
  const available = totalOf(all, availableOf)
  const isEnough = available >= replicasOf(deployment) - maxUnavailableOf(deployment)
  const { collisionCount, conditions = [] } = deployment.status
  const wanted: NewCondition = isEnough
    ? {
        ...{ type: AVAILABLE, status: 'True', reason: 'MinimumReplicasAvailable' },
        message: 'Deployment has minimum availability.',
      }
    : {
        ...{ type: AVAILABLE, status: 'False', reason: 'MinimumReplicasUnavailable' },
        message: 'Deployment does not have minimum availability.',
      }
  return {
    observedGeneration: deployment.metadata.generation,
    replicas: totalOf(all, ({ status }) => status?.replicas ?? 0) || undefined,
    updatedReplicas: sets.current?.status?.replicas || undefined,
    readyReplicas: totalOf(all, ({ status }) => status?.readyReplicas ?? 0) || undefined,
    availableReplicas: available || undefined,
    unavailableReplicas: Math.max(totalOf(all, sizeOf) - available, 0) || undefined,
    collisionCount,
    conditions: [...withCondition(conditions, wanted, clock)],
  } as DeploymentStatus
}

/** Numbers of pods, and how far the rollout is. */
export function rolloutStatus(deployment: Deployment, sets: Sets, clock: Now): DeploymentStatus {
  let status = countedStatus(deployment, sets, clock)
  if (!hasDeadline(deployment)) status = without(status, PROGRESSING)
  const current = progressOf(deployment.status)
  const isDone = status.replicas === status.updatedReplicas && current?.reason === REASON.complete
  if (hasDeadline(deployment) && !isDone) status = progressed(deployment, status, sets, clock)
  const failure = failureOf(sets)
  if (!failure) return without(status, FAILURE)
  const old = conditionOf(status.conditions, FAILURE)
  if (old?.status === failure.status && old.reason === failure.reason) return status
  return { ...status, conditions: [...without(status, FAILURE).conditions!, failure] }
}

const without = (status: DeploymentStatus, type: string): DeploymentStatus => ({
  ...status,
  conditions: withoutCondition(status.conditions ?? [], type),
})

function progressed(
  deployment: Deployment,
  status: DeploymentStatus,
  { current }: Sets,
  clock: Now,
): DeploymentStatus {
  const subject = current
    ? `ReplicaSet "${current.metadata.name}"`
    : `Deployment "${deployment.metadata.name}"`
  if (isComplete(deployment, status)) {
    const message = `${subject} has successfully progressed.`
    return withProgress(status, { status: 'True', reason: REASON.complete, message }, clock)
  }
  if (makesProgress(deployment.status, status)) {
    const message = `${subject} is progressing.`
    return renewed(status, { status: 'True', reason: REASON.progressing, message }, clock)
  }
  if (hasTimedOut(deployment, status, clock)) {
    const message = `${subject} has timed out progressing.`
    return withProgress(status, { status: 'False', reason: REASON.timedOut, message }, clock)
  }
  return status
}

/** Sets the condition also where status and reason stay, which renews its time of update. */
function renewed(
  status: DeploymentStatus,
  wanted: Omit<NewCondition, 'type'>,
  clock: Now,
): DeploymentStatus {
  const old = progressOf(status)
  const { conditions = [] } = withProgress(without(status, PROGRESSING), wanted, clock)
  const last = conditions.at(-1)!
  const time = old?.status === 'True' ? old.lastTransitionTime : last.lastTransitionTime
  return {
    ...status,
    conditions: [
      ...conditions.slice(0, -1),
      { ...last, lastTransitionTime: time } as DeploymentCondition,
    ],
  }
}

/** Whether all pods are of the present template and available. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const wanted = replicasOf(deployment)
  return (
    (status.updatedReplicas ?? 0) === wanted &&
    (status.replicas ?? 0) === wanted &&
    (status.availableReplicas ?? 0) === wanted &&
    Number(status.observedGeneration ?? 0) >= Number(deployment.metadata.generation ?? 0)
  )
}

function makesProgress(before: DeploymentStatus, now: DeploymentStatus): boolean {
  const { updatedReplicas: updatedBefore = 0, replicas: allBefore = 0 } = before
  const { updatedReplicas: updated = 0, replicas: all = 0 } = now
  return (
    updated > updatedBefore ||
    all - updated < allBefore - updatedBefore ||
    (now.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (now.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  )
}

function hasTimedOut({ spec }: Deployment, status: DeploymentStatus, clock: Now): boolean {
  const progress = progressOf(status)
  if (!progress || progress.reason === REASON.complete) return false
  if (progress.reason === REASON.timedOut) return true
  const deadlineMs = (spec.progressDeadlineSeconds ?? 0) * 1000
  return (parsedTime(progress.lastUpdateTime) ?? 0) + deadlineMs < clock.now()
}

/** Milliseconds after which a rollout that stands still is looked at again; null: it is not. */
export function stuckAfter(
  deployment: Deployment,
  status: DeploymentStatus,
  clock: Now,
): number | null {
  const progress = progressOf(deployment.status)
  if (!hasDeadline(deployment) || !progress) return null
  if (isComplete(deployment, status) || progress.reason === REASON.timedOut) return null
  const deadlineMs = (deployment.spec.progressDeadlineSeconds ?? 0) * 1000
  const leftMs = (parsedTime(progress.lastUpdateTime) ?? 0) + deadlineMs - clock.now()
  return Math.max(leftMs, 0) + 1000
}

/** The failure of the current set, else of the first that has one. */
function failureOf(sets: Sets): DeploymentCondition | null {
  const first = sets.current ? [sets.current, ...sets.old] : sets.old
  for (const set of first) {
    const failure = conditionOf(set.status?.conditions, FAILURE)
    if (failure) return failureFrom(failure)
  }
  return null
}

const failureFrom = ({
  lastTransitionTime,
  ...failure
}: NonNullable<ReplicaSet['status']['conditions']>[number]): DeploymentCondition =>
  ({ ...failure, lastUpdateTime: lastTransitionTime, lastTransitionTime }) as DeploymentCondition
