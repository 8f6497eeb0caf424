/** What a Job is, as its controller reads it. */
import { parsedTime } from '../../base/time.ts'
import type { Job, JobCondition } from '../../kinds/batch/job.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'

/** Kind of the objects whose pods these are. */
export const KIND = { apiVersion: 'batch/v1', kind: 'Job' } as const

/** Branded names. */
export interface JobNames {
  /** Annotation of jobs whose pods are counted by finalizers, and that finalizer. */
  readonly tracking: string
  /** Annotation of a pod with its index. */
  readonly index: string
}

export const jobNames = (v: Vocabulary): JobNames => ({
  tracking: v.resolve('batch.{label}/job-tracking'),
  index: v.resolve('batch.{label}/job-completion-index'),
})

export const isIndexed = ({ spec }: Job): boolean => spec.completionMode === 'Indexed'

export const isSuspended = ({ spec }: Job): boolean => spec.suspend === true

/** Whether pods are counted by their finalizers. */
export const isTracked = ({ metadata }: Job, { tracking }: JobNames): boolean =>
  metadata.annotations !== undefined && Object.hasOwn(metadata.annotations, tracking)

export const hasTracking = ({ metadata }: Pod, { tracking }: JobNames): boolean =>
  metadata.finalizers?.includes(tracking) === true

/** The condition that a Job has come to its end; null: it has not. */
export const finishOf = ({ status }: Job): JobCondition | null =>
  status?.conditions?.find(
    (one) => (one.type === 'Complete' || one.type === 'Failed') && one.status === 'True',
  ) ?? null

/** The index of a pod of an indexed Job; -1: it has none that is valid. */
export function indexOf({ spec }: Job, pod: Pod, { index }: JobNames): number {
  const text = pod.metadata.annotations?.[index]
  if (text === undefined || !/^(?:0|[1-9][0-9]{0,9})$/.test(text)) return -1
  const number = Number(text)
  return number < (spec.completions ?? 0) ? number : -1
}

/** Whether the containers of pods that are restarted in place were restarted too often. */
export function hasTooManyRestarts({ spec }: Job, pods: readonly Pod[]): boolean {
  if (spec.template.spec.restartPolicy !== 'OnFailure') return false
  const limit = spec.backoffLimit ?? 6
  let restarts = 0
  for (const { status } of pods) {
    if (status?.phase !== 'Running' && status?.phase !== 'Pending') continue
    const { initContainerStatuses = [], containerStatuses = [] } = status
    for (const { restartCount = 0 } of [...initContainerStatuses, ...containerStatuses])
      restarts += restartCount
  }
  return limit === 0 ? restarts > 0 : restarts >= limit
}

/** Milliseconds until the deadline of a Job; 0 or less: it has passed, null: there is none. */
export function leftOf(job: Job, nowMs: number): number | null {
  const { activeDeadlineSeconds: seconds } = job.spec
  const startMs = parsedTime(job.status?.startTime)
  if (seconds === undefined || startMs === null || isSuspended(job)) return null
  return startMs + Number(seconds) * 1000 - nowMs
}
