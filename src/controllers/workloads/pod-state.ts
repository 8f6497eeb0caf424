/** The state of pods, as controllers of workloads count it. */
import { parsedTime } from '../../base/time.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { isTerminating } from '../finalizer.ts'

/** Whether all containers of a pod have ended for good. */
export const hasEnded = ({ status }: Pod): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed'

/** Whether a pod counts as one that runs or will run: it has not ended and is not being deleted. */
export const isActive = (pod: Pod): boolean => !hasEnded(pod) && !isTerminating(pod)

const readyCondition = ({ status }: Pod) => status?.conditions?.find(({ type }) => type === 'Ready')

export const isReady = (pod: Pod): boolean => readyCondition(pod)?.status === 'True'

/** When the condition Ready last changed, milliseconds since the epoch; null: unknown. */
export const readyChangedMs = (pod: Pod): number | null =>
  parsedTime(readyCondition(pod)?.lastTransitionTime)

/** Whether a pod has been ready for longer than `minReadySeconds`. */
export function isAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  if (!isReady(pod)) return false
  if (minReadySeconds === 0) return true
  const sinceMs = readyChangedMs(pod)
  return sinceMs !== null && sinceMs + minReadySeconds * 1000 < nowMs
}

/** Whether a pod runs, is ready and is not being deleted. */
export const isHealthy = (pod: Pod): boolean =>
  pod.status?.phase === 'Running' && isReady(pod) && !isTerminating(pod)

/** Number of restarts of the container of a pod that was restarted most often. */
export const maxRestarts = ({ status }: Pod): number =>
  (status?.containerStatuses ?? []).reduce(
    (most, { restartCount = 0 }) => Math.max(most, restartCount),
    0,
  )
