/** Counts the pods of a Job that have ended, each once: by its finalizer, which it loses when it has been counted. */
import type { Job } from '../../kinds/batch/job.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { isEnding } from '../workloads/owner.ts'
import { isActive, isReady } from '../workloads/pod-state.ts'
import { Indexes } from './indexes.ts'
import { hasTracking, indexOf, isIndexed, isTracked, type JobNames } from './job-facts.ts'

/** Most pods whose counting is under way at once. */
const MAX_UNCOUNTED = 500

type Uncounted = NonNullable<Job['status']['uncountedTerminatedPods']>

/** The pods of a Job, and what is counted of them. */
export interface JobScene {
  readonly job: Job
  readonly pods: readonly Pod[]
  readonly names: JobNames
  /** uids of pods whose finalizer was taken off, though the cache does not say so yet. */
  readonly untracked: ReadonlySet<string>
}

/** How many pods there are of each kind. */
export interface JobCounts {
  readonly active: readonly Pod[]
  readonly ready: number
  readonly succeeded: number
  readonly failed: number
  /** Of an indexed Job: those that had succeeded, and those that have now. */
  readonly before: Indexes
  readonly indexes: Indexes
}

/** Whether a pod that is not there any longer, or never will end, is a failure. */
const hasFailed = (pod: Pod): boolean =>
  pod.status?.phase === 'Failed' || (isEnding(pod) && pod.status?.phase !== 'Succeeded')

export function countsOf(scene: JobScene): JobCounts {
  const { job, pods } = scene
  const active = pods.filter(isActive)
  const { spec, status } = job
  const before = Indexes.parse(status?.completedIndexes, spec.completions ?? 0)
  const done = pods.filter((pod) => pod.status?.phase === 'Succeeded' && isNew(scene, pod))
  const indexes = isIndexed(job)
    ? before.with(done.map((pod) => indexOf(job, pod, scene.names)).filter((index) => index >= 0))
    : before
  return {
    active,
    ready: active.filter(isReady).length,
    succeeded: isIndexed(job)
      ? indexes.count
      : counted(scene, 'succeeded', ({ status: { phase } }) => phase === 'Succeeded'),
    failed: counted(scene, 'failed', hasFailed),
    before,
    indexes,
  }
}

/** Whether a pod has not been counted: of a Job without tracking each one is counted every time. */
const isNew = ({ job, names, untracked }: JobScene, pod: Pod): boolean =>
  !isTracked(job, names) || (hasTracking(pod, names) && !untracked.has(pod.metadata.uid ?? ''))

function counted(
  scene: JobScene,
  what: 'succeeded' | 'failed',
  counts: (pod: Pod) => boolean,
): number {
  const { job, pods, names } = scene
  const uncounted = job.status?.uncountedTerminatedPods?.[what] ?? []
  const isOf = (pod: Pod) =>
    isNew(scene, pod) &&
    !uncounted.includes(pod.metadata.uid ?? '') &&
    (!isIndexed(job) || indexOf(job, pod, names) >= 0) &&
    counts(pod)
  const found = pods.filter(isOf).length
  return isTracked(job, names) ? (job.status?.[what] ?? 0) + uncounted.length + found : found
}

/** One round of counting. */
export interface Counting {
  readonly status: Job['status']
  /** Pods that lose their finalizer when this status is stored. */
  readonly pods: readonly Pod[]
  /** Whether the status says something new. */
  readonly isNews: boolean
  /** Whether there are more than one round takes. */
  readonly hasMore: boolean
}

/** Lists the pods that have ended as uncounted. `isFinished`: those that run count as failed. */
export function beginCounting(scene: JobScene, before: Indexes, isFinished: boolean): Counting {
  const { job, names } = scene
  const tracked = tracks(scene)
  const cleaned = withoutUntracked(job.status, tracked)
  const { succeeded = [], failed = [] } = cleaned.status.uncountedTerminatedPods ?? {}
  const news: {
    readonly succeeded: string[]
    readonly failed: string[]
    readonly indexes: number[]
  } = { succeeded: [], failed: [], indexes: [] }
  const done: Pod[] = []
  let hasMore = false
  for (const pod of inIndexOrder(scene)) {
    const uid = pod.metadata.uid ?? ''
    if (!tracked.has(uid)) continue
    const index = indexOf(job, pod, names)
    if (pod.status?.phase === 'Succeeded') {
      if (!isIndexed(job)) {
        if (!succeeded.includes(uid)) news.succeeded.push(uid)
      } else if (index >= 0 && !before.has(index) && !succeeded.includes(uid))
        news.indexes.push(index)
      done.push(pod)
    } else if (hasFailed(pod) || isFinished) {
      if (!failed.includes(uid) && (!isIndexed(job) || index >= 0)) news.failed.push(uid)
      done.push(pod)
    }
    const count = news.indexes.length + succeeded.length + failed.length
    hasMore = count + news.succeeded.length + news.failed.length >= MAX_UNCOUNTED
    if (hasMore) break
  }
  const hasNews = news.succeeded.length + news.failed.length + news.indexes.length > 0
  const status = {
    ...cleaned.status,
    uncountedTerminatedPods: uncountedOf(
      [...succeeded, ...news.succeeded],
      [...failed, ...news.failed],
    ),
    ...(isIndexed(job) ? indexStatus(before.with(news.indexes)) : {}),
  } as Job['status']
  return { status, pods: done, isNews: cleaned.isChanged || hasNews, hasMore }
}

const indexStatus = (indexes: Indexes) => ({
  succeeded: indexes.count || undefined,
  completedIndexes: indexes.count > 0 ? String(indexes) : undefined,
})

/** uids of the pods that have their finalizer. */
const tracks = ({ pods, names, untracked }: JobScene): Set<string> =>
  new Set(
    pods
      .filter((pod) => hasTracking(pod, names))
      .map(({ metadata }) => metadata.uid ?? '')
      .filter((uid) => !untracked.has(uid)),
  )

const inIndexOrder = ({ job, pods, names }: JobScene): readonly Pod[] =>
  isIndexed(job) ? [...pods].sort((a, b) => indexOf(job, a, names) - indexOf(job, b, names)) : pods

const uncountedOf = (succeeded: readonly string[], failed: readonly string[]): Uncounted =>
  ({
    ...(succeeded.length > 0 ? { succeeded } : {}),
    ...(failed.length > 0 ? { failed } : {}),
  }) as Uncounted

/** Counts those that are listed and have lost their finalizer. */
export function withoutUntracked(
  status: Job['status'],
  tracked: ReadonlySet<string>,
): { readonly status: Job['status']; readonly isChanged: boolean } {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {}
  const left = [succeeded, failed].map((uids) => uids.filter((uid) => tracked.has(uid)))
  const [goneSucceeded, goneFailed] = [
    succeeded.length - left[0]!.length,
    failed.length - left[1]!.length,
  ]
  return {
    isChanged: goneSucceeded + goneFailed > 0,
    status: {
      ...status,
      uncountedTerminatedPods: uncountedOf(left[0]!, left[1]!),
      succeeded: (status.succeeded ?? 0) + goneSucceeded || undefined,
      failed: (status.failed ?? 0) + goneFailed || undefined,
    } as Job['status'],
  }
}
