/** What the status of a DaemonSet says of its pods. */
import type { DaemonSet } from '../../kinds/apps/daemon-set.ts'
import { sameValue } from '../../meta/field-errors.ts'
import { isAvailable, isReady } from '../workloads/pod-state.ts'
import { inOrder, isUpdated } from './daemon-pod.ts'
import type { DaemonScene } from './daemon-plan.ts'

type DaemonStatus = DaemonSet['status']

/** Counts nodes, each by the first of its pods. */
export function daemonStatus(scene: DaemonScene, observes: boolean): DaemonStatus {
  const { set, nodes, pods, hash, nowMs } = scene
  const { minReadySeconds = 0 } = set.spec
  let [desired, current, misscheduled, ready, available, updated] = [0, 0, 0, 0, 0, 0]
  for (const [node, { runs }] of nodes) {
    const [first] = inOrder(pods.get(node) ?? [])
    if (runs) desired++
    else if (first) misscheduled++
    if (!runs || !first) continue
    current++
    if (isReady(first)) ready++
    if (isAvailable(first, minReadySeconds, nowMs)) available++
    if (isUpdated(set, first, hash)) updated++
  }
  return {
    ...set.status,
    desiredNumberScheduled: desired,
    currentNumberScheduled: current,
    numberMisscheduled: misscheduled,
    numberReady: ready,
    numberAvailable: available || undefined,
    numberUnavailable: desired - available || undefined,
    updatedNumberScheduled: updated || undefined,
    observedGeneration: observes ? set.metadata.generation : set.status.observedGeneration,
  } as DaemonStatus
}

/** Whether two statuses say the same. */
export const isSameStatus = (a: DaemonStatus, b: DaemonStatus): boolean =>
  sameValue(comparable(a), comparable(b))

const comparable = (status: DaemonStatus) => ({
  ...status,
  observedGeneration: String(status.observedGeneration ?? 0),
})
