/** Creates and deletes the pods of a Job. */
import { isNotFound, type ResourceClient } from '../../client/resource-client.ts'
import type { Job } from '../../kinds/batch/job.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { inGrowingBatches, inParallel } from '../workloads/batches.ts'
import { inPlainOrder } from '../workloads/deletion-order.ts'
import type { Expectations } from '../workloads/expectations.ts'
import { eventReference } from '../workloads/owner.ts'
import { podOf, type PodWrites } from '../workloads/pod-writes.ts'
import type { Indexes } from './indexes.ts'
import { indexOf, isIndexed, isSuspended, isTracked, KIND, type JobNames } from './job-facts.ts'

/** Most pods that are created or deleted in one round. */
const BURST = 500
/** Most characters before the generated ones of a name. */
const MAX_PREFIX = 58
const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX'

/** Dependencies of {@link JobPods}. */
export interface JobPodsParts {
  readonly pods: ResourceClient<Pod>
  readonly writes: PodWrites
  readonly expectations: Expectations
  readonly names: JobNames
  readonly now: () => number
}

/** What became of the pods. */
export interface JobRound {
  /** Active pods after it. */
  readonly active: number
  readonly failure: { readonly error: unknown } | null
}

/** How far a Job is. */
export interface Progress {
  readonly succeeded: number
  readonly indexes: Indexes
}

/** Writes of the pods of jobs. */
export class JobPods {
  readonly #parts: JobPodsParts

  constructor(parts: JobPodsParts) {
    this.#parts = parts
  }

  /** Brings a Job nearer to the number of pods that it should have. */
  async bring(
    key: string,
    job: Job,
    active: readonly Pod[],
    progress: Progress,
  ): Promise<JobRound> {
    const wanted = wantedOf(job, active.length, progress.succeeded)
    const surplus = this.#surplus(job, active, Math.max(active.length - wanted, 0))
    // Either of the two in one round.
    if (surplus.length > 0 || isSuspended(job)) return this.#remove(key, job, active, surplus)
    return this.#create(key, job, active, { ...progress, wanted })
  }

  /** Deletes all active pods of a Job that has failed: they count as failed. */
  async deleteAll(job: Job, active: readonly Pod[]): Promise<JobRound> {
    const about = eventReference(KIND, job)
    const { succeeded, failure } = await inParallel(active.length, async (index) => {
      await this.#parts.writes.delete(active[index]!, about)
    })
    return { active: active.length - succeeded, failure }
  }

  /** Takes the finalizer off a pod; it is no failure if the pod is gone. */
  async untrack({ metadata: { namespace = '', name = '' } }: Pod): Promise<void> {
    const { pods, names } = this.#parts
    const change = { metadata: { '$deleteFromPrimitiveList/finalizers': [names.tracking] } }
    try {
      await pods.in(namespace).patch(name, change)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  /** Their finalizers are taken off first, so that they do not count as failed. */
  async #remove(
    key: string,
    job: Job,
    active: readonly Pod[],
    surplus: readonly Pod[],
  ): Promise<JobRound> {
    const { writes, expectations, names } = this.#parts
    const about = eventReference(KIND, job)
    const uidOf = ({ metadata }: Pod): string => metadata.uid ?? ''
    expectations.expectDeletions(key, surplus.map(uidOf))
    const { succeeded, failure } = await inParallel(surplus.length, async (index) => {
      const pod = surplus[index]!
      try {
        if (isTracked(job, names)) await this.untrack(pod)
        if (!(await writes.delete(pod, about))) expectations.deleted(key, uidOf(pod))
      } catch (error) {
        expectations.deleted(key, uidOf(pod))
        throw error
      }
    })
    return { active: active.length - succeeded, failure }
  }

  async #create(
    key: string,
    job: Job,
    active: readonly Pod[],
    { wanted, indexes }: Progress & { readonly wanted: number },
  ): Promise<JobRound> {
    const { writes, expectations } = this.#parts
    const missing = Math.min(wanted - active.length, BURST)
    const pending = isIndexed(job) ? this.#pending(job, active, indexes, missing) : null
    const count = pending ? pending.length : Math.max(missing, 0)
    const about = eventReference(KIND, job)
    expectations.expectCreations(key, count)
    const { succeeded, skipped, failure } = await inGrowingBatches(count, async (at) => {
      try {
        const made = await writes.create(this.#newPod(job, pending?.[at] ?? null), about)
        if (!made) expectations.created(key)
      } catch (error) {
        expectations.created(key)
        throw error
      }
    })
    expectations.created(key, skipped)
    return { active: active.length + succeeded, failure }
  }

  #newPod(job: Job, index: number | null): Pod {
    const { names } = this.#parts
    const tracking = isTracked(job, names) ? { finalizers: [names.tracking] } : {}
    const { template } = job.spec
    if (index === null) return podOf(template, KIND, job, tracking)
    const { name = '' } = job.metadata
    const end = `-${index}-`
    const pod = podOf(template, KIND, job, {
      ...tracking,
      generateName: `${name.slice(0, MAX_PREFIX - end.length)}${end}`,
      annotations: { [names.index]: String(index) },
    })
    pod.spec.hostname = `${name}-${index}`
    const valueFrom = { fieldRef: { fieldPath: `metadata.annotations['${names.index}']` } }
    for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
      if (container.env?.some((one) => one.name === INDEX_VARIABLE)) continue
      container.env = [...(container.env ?? []), { name: INDEX_VARIABLE, valueFrom } as never]
    }
    return pod
  }

  /** The lowest indexes that have neither succeeded nor a pod. */
  #pending(job: Job, active: readonly Pod[], done: Indexes, count: number): number[] {
    const used = new Set(active.map((pod) => indexOf(job, pod, this.#parts.names)))
    const pending: number[] = []
    for (let index = 0; index < (job.spec.completions ?? 0) && pending.length < count; index++)
      if (!used.has(index) && !done.has(index)) pending.push(index)
    return pending
  }

  /** Pods to be deleted: at least as many, and those of an indexed Job that are there twice or have no index. */
  #surplus(job: Job, active: readonly Pod[], least: number): readonly Pod[] {
    const nowMs = this.#parts.now()
    const odd: Pod[] = []
    let rest = inPlainOrder(active, nowMs)
    if (isIndexed(job)) {
      const seen = new Set<number>()
      // The pod that would be deleted last stays.
      const kept = rest.toReversed().filter((pod) => {
        const index = indexOf(job, pod, this.#parts.names)
        if (index < 0 || seen.has(index)) return void odd.push(pod)
        return seen.add(index)
      })
      rest = kept.reverse()
    }
    return [...odd, ...rest.slice(0, Math.max(least - odd.length, 0))].slice(0, BURST)
  }
}

/** Number of active pods that a Job should have. */
function wantedOf(job: Job, active: number, succeeded: number): number {
  if (isSuspended(job)) return 0
  const { parallelism = 1, completions } = job.spec
  if (completions === undefined) return succeeded > 0 ? active : parallelism
  return Math.max(Math.min(parallelism, completions - succeeded), 0)
}
