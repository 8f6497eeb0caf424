/** One sync of a Job: its pods, the counts of those that have ended, and its end. */
import type { Clock } from '../../base/clock.ts'
import { formatTime } from '../../base/time.ts'
import type { EventRecorder } from '../../client/event-recorder.ts'
import type { ResourceClient } from '../../client/resource-client.ts'
import type { Job, JobCondition } from '../../kinds/batch/job.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { eventReference, isEnding } from '../workloads/owner.ts'
import {
  beginCounting,
  countsOf,
  withoutUntracked,
  type JobCounts,
  type JobScene,
} from './job-count.ts'
import {
  finishOf,
  hasTooManyRestarts,
  hasTracking,
  isSuspended,
  isTracked,
  KIND,
  leftOf,
  type JobNames,
} from './job-facts.ts'
import type { JobPods } from './job-pods.ts'

/** Dependencies of a sync. */
export interface JobSyncParts {
  readonly clock: Pick<Clock, 'now'>
  readonly names: JobNames
  /** Jobs of the namespace. */
  readonly jobs: ResourceClient<Job>
  readonly pods: JobPods
  readonly recorder: Pick<EventRecorder, 'event'>
  /** Called for a pod whose finalizer is taken off; `isKept`: that has failed. */
  readonly untracked: (pod: Pod, isKept: boolean) => void
}

/** What is synced. */
export interface JobWork {
  readonly key: string
  readonly job: Job
  readonly pods: readonly Pod[]
  readonly untracked: ReadonlySet<string>
  /** Whether the cache has seen all that was written. */
  readonly isUpToDate: boolean
}

/** What a sync means for the next one. */
export interface JobOutcome {
  /** A pod has failed, and the Job goes on: the next sync waits longer. */
  readonly hasNewFailure: boolean
  /** Waits begin anew. */
  readonly hasProgress: boolean
  /** Milliseconds until its deadline; null: none. */
  readonly deadlineMs: number | null
}

const DONE: JobOutcome = { hasNewFailure: false, hasProgress: false, deadlineMs: null }

/** Takes the next step of a Job. Throws what could not be written. */
export async function syncJob(parts: JobSyncParts, work: JobWork): Promise<JobOutcome> {
  const sync = new JobSync(parts, work)
  return finishOf(work.job) ? DONE : sync.run()
}

/** The end of a Job, before it is stored. */
interface End {
  readonly type: 'Complete' | 'Failed'
  readonly reason: string
  readonly message: string
}

class JobSync {
  readonly #parts: JobSyncParts
  readonly #work: JobWork
  readonly #scene: JobScene
  readonly #counts: JobCounts
  readonly #now: string
  /** As it will be stored. */
  #job: Job

  constructor(parts: JobSyncParts, work: JobWork) {
    const { job, pods, untracked } = work
    this.#parts = parts
    this.#work = work
    this.#now = formatTime(parts.clock.now())
    this.#scene = { job, pods, names: parts.names, untracked }
    this.#counts = countsOf(this.#scene)
    this.#job = job
  }

  async run(): Promise<JobOutcome> {
    const { job, isUpToDate } = this.#work
    const { failed, succeeded } = this.#counts
    if (job.status?.startTime === undefined && !isSuspended(job))
      this.#set({ startTime: this.#now })
    const nowMs = this.#parts.clock.now()
    const hasNewFailure = failed > (job.status?.failed ?? 0)
    let end = this.#failure(hasNewFailure, nowMs)
    const round = end ? await this.#endPods() : await this.#bringPods()
    if (end && (round.active > 0 || !isUpToDate)) end = null
    const completes = !this.#failure(hasNewFailure, nowMs) && this.#isComplete(round.active)
    if (completes) end = { type: 'Complete', reason: '', message: '' }
    const isTurned = !end && round.isManaged && this.#turnSuspension()
    await this.#report(end, round.active, isTurned)
    const hasProgress = (job.status?.succeeded ?? 0) < succeeded || isTurned
    if (round.failure) throw round.failure.error
    const left = end ? null : leftOf(this.#job, nowMs)
    return {
      hasNewFailure: hasNewFailure && !finishOf(this.#job),
      hasProgress,
      deadlineMs: left !== null && left > 0 ? left : null,
    }
  }

  /** Why the Job has failed; null: it has not. */
  #failure(hasNewFailure: boolean, nowMs: number): End | null {
    const { spec } = this.#job
    const { active, failed } = this.#counts
    // Counts that could not be stored before are no new failure.
    const isNew = hasNewFailure && active.length !== (spec.parallelism ?? 1)
    const exceeds = isNew && failed > (spec.backoffLimit ?? 6)
    if (exceeds || hasTooManyRestarts(this.#job, this.#scene.pods)) {
      const message = 'Job has reached the specified backoff limit'
      return { type: 'Failed', reason: 'BackoffLimitExceeded', message }
    }
    const left = leftOf(this.#job, nowMs)
    if (left === null || left > 0) return null
    const message = 'Job was active longer than specified deadline'
    return { type: 'Failed', reason: 'DeadlineExceeded', message }
  }

  async #endPods() {
    const round = await this.#parts.pods.deleteAll(this.#job, this.#counts.active)
    return { ...round, isManaged: false }
  }

  async #bringPods() {
    const { key, isUpToDate } = this.#work
    const { active, succeeded, indexes } = this.#counts
    if (!isUpToDate || isEnding(this.#job))
      return { active: active.length, failure: null, isManaged: false }
    const progress = { succeeded, indexes }
    const round = await this.#parts.pods.bring(key, this.#job, active, progress)
    return { ...round, isManaged: true }
  }

  #isComplete(active: number): boolean {
    const { completions } = this.#job.spec
    const { succeeded } = this.#counts
    if (active > 0) return false
    return completions === undefined ? succeeded > 0 : succeeded >= completions
  }

  /** Says that the Job was suspended or resumed; false: that is known. */
  #turnSuspension(): boolean {
    const suspends = isSuspended(this.#job)
    const conditions = this.#job.status.conditions ?? []
    const at = conditions.findIndex(({ type }) => type === 'Suspended')
    if (at < 0 && !suspends) return false
    const wanted = suspends
      ? { status: 'True', reason: 'JobSuspended', message: 'Job suspended' }
      : { status: 'False', reason: 'JobResumed', message: 'Job resumed' }
    if (conditions[at]?.status === wanted.status) return false
    const condition = this.#condition({ type: 'Suspended', ...wanted })
    const next = at < 0 ? [...conditions, condition] : conditions.with(at, condition)
    this.#set({ conditions: next, ...(suspends ? {} : { startTime: this.#now }) })
    this.#event('Normal', suspends ? 'Suspended' : 'Resumed', wanted.message)
    return true
  }

  #condition(of: Pick<JobCondition, 'type' | 'status'> & Partial<JobCondition>): JobCondition {
    const { reason = '', message = '' } = of
    return {
      ...{ type: of.type, status: of.status },
      ...{ lastProbeTime: this.#now, lastTransitionTime: this.#now },
      ...(reason === '' ? {} : { reason }),
      ...(message === '' ? {} : { message }),
    } as JobCondition
  }

  /** Stores the counts, takes finalizers off in between, and last the end of the Job. */
  async #report(end: End | null, active: number, isTurned: boolean): Promise<void> {
    const { job } = this.#work
    const { ready, succeeded, failed } = this.#counts
    const isNews =
      isTurned ||
      active !== (job.status?.active ?? 0) ||
      ready !== job.status?.ready ||
      job.status?.startTime !== this.#job.status?.startTime
    this.#set({ active: active || undefined, ready })
    if (!isTracked(job, this.#parts.names)) {
      const counts = { succeeded: succeeded || undefined, failed: failed || undefined }
      const hasCounts =
        succeeded !== (job.status?.succeeded ?? 0) || failed !== (job.status?.failed ?? 0)
      this.#set(counts)
      return this.#finish(end, isNews || hasCounts)
    }
    await this.#count(end, isNews)
  }

  async #count(end: End | null, isNews: boolean): Promise<void> {
    const scene = { ...this.#scene, job: this.#job }
    const counting = beginCounting(scene, this.#counts.before, end !== null)
    const hadNone = this.#job.status.uncountedTerminatedPods === undefined
    this.#set(counting.status)
    let isUnsaved = isNews || counting.isNews || hadNone
    if (isUnsaved && counting.pods.length > 0) {
      await this.#save()
      isUnsaved = false
    }
    const failures = await this.#untrack(counting.pods)
    const untracked = new Set(this.#work.untracked)
    for (const pod of counting.pods) if (!failures.has(pod)) untracked.add(pod.metadata.uid ?? '')
    const tracked = this.#scene.pods
      .filter((pod) => hasTracking(pod, this.#parts.names))
      .map(({ metadata }) => metadata.uid ?? '')
      .filter((uid) => !untracked.has(uid))
    const cleaned = withoutUntracked(this.#job.status, new Set(tracked))
    this.#set(cleaned.status)
    isUnsaved ||= cleaned.isChanged
    const [failure] = failures.values()
    if (failure) {
      if (isUnsaved) await this.#save()
      throw failure
    }
    const { succeeded = [], failed = [] } = this.#job.status.uncountedTerminatedPods ?? {}
    const hasMore = counting.hasMore || succeeded.length + failed.length > 0
    await this.#finish(hasMore ? null : end, isUnsaved)
  }

  async #untrack(pods: readonly Pod[]): Promise<ReadonlyMap<Pod, Error>> {
    const failures = new Map<Pod, Error>()
    await Promise.all(
      pods.map(async (pod) => {
        this.#parts.untracked(pod, false)
        try {
          await this.#parts.pods.untrack(pod)
        } catch (error) {
          this.#parts.untracked(pod, true)
          failures.set(pod, error instanceof Error ? error : new Error(String(error)))
        }
      }),
    )
    return failures
  }

  async #finish(end: End | null, isUnsaved: boolean): Promise<void> {
    if (end) {
      const { type, reason, message } = end
      const condition = this.#condition({ type, status: 'True', reason, message })
      this.#set({
        conditions: [...(this.#job.status.conditions ?? []), condition],
        ...(type === 'Complete' ? { completionTime: condition.lastTransitionTime } : {}),
      } as Partial<Job['status']>)
    }
    if (end || isUnsaved) await this.#save()
    if (end) this.#tellEnd(end)
  }

  #tellEnd({ type, reason, message }: End): void {
    const { spec, status } = this.#job
    if (spec.completions !== undefined && (status.succeeded ?? 0) > spec.completions) {
      const text = 'Too many succeeded pods running after completion count reached'
      this.#event('Warning', 'TooManySucceededPods', text)
    }
    if (type === 'Complete') this.#event('Normal', 'Completed', 'Job completed')
    else this.#event('Warning', reason, message)
  }

  #event(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#parts.recorder.event(eventReference(KIND, this.#job), type, reason, message)
  }

  #set(change: { readonly [K in keyof Job['status']]?: Job['status'][K] | undefined }): void {
    this.#job = { ...this.#job, status: { ...this.#job.status, ...change } } as Job
  }

  async #save(): Promise<void> {
    this.#job = await this.#parts.jobs.sub('status').update(this.#job)
  }
}
