/** What the status of a set says of its pods. */
import type { Clock } from '../../base/clock.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { sameValue } from '../../meta/field-errors.ts'
import { conditionOf, withCondition, withoutCondition } from '../workloads/conditions.ts'
import { isAvailable, isReady } from '../workloads/pod-state.ts'
import { messageOf } from '../workloads/pod-writes.ts'
import type { Replicated, ReplicaStatus } from './replica-kind.ts'

const FAILURE = 'ReplicaFailure'

/** What happened in one round of a set. */
export interface Round {
  /** Its pods before the round. */
  readonly pods: readonly Pod[]
  /** The first write of a pod that failed; null: none did. */
  readonly failure: { readonly error: unknown } | null
}

/** The status of a set after a round. */
export function statusOf(
  set: Replicated,
  { pods, failure }: Round,
  clock: Pick<Clock, 'now'>,
): ReplicaStatus {
  const { minReadySeconds = 0, replicas: wanted = 1, template } = set.spec
  const labels = Object.entries(template?.metadata?.labels ?? {})
  const isLabeled = ({ metadata }: Pod) =>
    labels.every(([name, value]) => metadata.labels?.[name] === value)
  const nowMs = clock.now()
  const old = set.status?.conditions ?? []
  let conditions = old
  if (failure && !conditionOf(old, FAILURE)) {
    const reason = pods.length < wanted ? 'FailedCreate' : 'FailedDelete'
    const wish = {
      type: FAILURE,
      status: 'True',
      reason,
      message: messageOf(failure.error),
    } as const
    conditions = withCondition(old, wish, clock, { hasUpdateTime: false })
  } else if (!failure && conditionOf(old, FAILURE)) conditions = withoutCondition(old, FAILURE)
  return {
    replicas: pods.length,
    fullyLabeledReplicas: pods.filter(isLabeled).length || undefined,
    readyReplicas: pods.filter(isReady).length || undefined,
    availableReplicas:
      pods.filter((pod) => isAvailable(pod, minReadySeconds, nowMs)).length || undefined,
    observedGeneration: set.metadata.generation,
    conditions: conditions.length > 0 ? conditions : undefined,
  }
}

/** Whether a status says the same as another. */
export const isSameStatus = (a: ReplicaStatus | undefined, b: ReplicaStatus): boolean =>
  sameValue(
    { ...a, observedGeneration: String(a?.observedGeneration) },
    {
      ...b,
      observedGeneration: String(b.observedGeneration),
    },
  )
