/** Runs pods of jobs until enough of them have succeeded. */
import { parsedTime } from '../../base/time.ts'
import type { Client } from '../../client/client.ts'
import { EventRecorder } from '../../client/event-recorder.ts'
import type { Informer } from '../../client/informer.ts'
import { isNotFound } from '../../client/resource-client.ts'
import { keyOf, placeIn, type OwnerReference } from '../../client/transport.ts'
import type { WorkQueue } from '../../client/work-queue.ts'
import type { Job } from '../../kinds/batch/job.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { StatusError } from '../../meta/errors.ts'
import { nothing, selectorFromObject } from '../../meta/selectors.ts'
import { JOBS, PODS } from '../addresses.ts'
import { workQueue, type Controller, type Running, type StartingContext } from '../controller.ts'
import { asleep, handled } from '../following.ts'
import { runningWith } from '../running.ts'
import { ownedHandler, type ChildChange } from '../workloads/child-triggers.ts'
import { claimChildren } from '../workloads/claim-children.ts'
import { Expectations } from '../workloads/expectations.ts'
import { fromFirstObject } from '../workloads/from-first-object.ts'
import { controllerOf, eventReference, namesKind } from '../workloads/owner.ts'
import { PodWrites } from '../workloads/pod-writes.ts'
import { ownChildren, possibleChildren, workloadPods } from '../workloads/workload-pods.ts'
import { finishOf, hasTracking, isTracked, jobNames, KIND, type JobNames } from './job-facts.ts'
import { JobPods } from './job-pods.ts'
import { syncJob } from './job-sync.ts'

const NAME = 'job'
const ACCOUNT = 'job-controller'
/** Changes of pods within this time are one sync, milliseconds. */
const BATCH_MS = 1000
/** Wait after a failure, which doubles. */
const FIRST_WAIT_MS = 10_000
const MAX_WAIT_MS = 360_000

/** Runs jobs. */
export const jobs: Controller = {
  name: NAME,
  runsWorkloads: true,
  async start(context) {
    if (!(await context.resources.serves(JOBS, PODS))) return asleep
    const client = context.clientFor(ACCOUNT)
    return fromFirstObject(context, {
      name: NAME,
      client,
      resources: [JOBS],
      start: () => new JobController(context, client).start(),
    })
  },
}

/** The running controller. */
class JobController {
  readonly #context: StartingContext
  readonly #client: Client
  readonly #names: JobNames
  readonly #jobs: Informer<Job>
  readonly #pods: Informer<Pod>
  readonly #recorder: EventRecorder
  readonly #expectations: Expectations
  readonly #writes: JobPods
  readonly #queue: WorkQueue
  /** Pods that have lost their job and keep its finalizer. */
  readonly #orphans: WorkQueue
  /** Consecutive failures of jobs, by their keys. */
  readonly #failures = new Map<string, number>()
  /** uids of pods whose finalizer was taken off, until the cache says so. */
  readonly #untracked = new Set<string>()

  constructor(context: StartingContext, client: Client) {
    const { clock, informers, settings, v } = context
    this.#context = context
    this.#client = client
    this.#names = jobNames(v)
    this.#recorder = new EventRecorder({ client, component: ACCOUNT, clock })
    this.#jobs = informers.of<Job>(JOBS)
    this.#pods = workloadPods(informers)
    this.#expectations = new Expectations(clock)
    const pods = client.resource<Pod>(PODS)
    this.#writes = new JobPods({
      pods,
      writes: new PodWrites({ pods, recorder: this.#recorder }),
      expectations: this.#expectations,
      names: this.#names,
      now: () => clock.now(),
    })
    this.#queue = workQueue(context, NAME, {
      workers: settings.jobWorkers,
      work: (key) => this.#sync(key),
    })
    this.#orphans = workQueue(context, 'job_orphan_pod', {
      work: (key) => this.#untrackOrphan(key),
    })
  }

  async start(): Promise<Running> {
    const { signal } = this.#context
    await this.#pods.synced(signal)
    const ends = [
      await handled(
        this.#jobs,
        {
          add: ({ key }) => this.#queue.add(key),
          update: ({ key, object }, old) => this.#updated(key, object, old?.object ?? null),
          delete: ({ key, object }) => this.#deleted(key, object),
        },
        signal,
      ),
      this.#pods.addHandler(this.#podHandler()),
      this.#pods.addHandler({
        add: ({ object }) => this.#lookAtOrphan(object),
        update: ({ object }) => this.#lookAtOrphan(object),
        delete: ({ uid }) => this.#untracked.delete(uid),
      }),
    ]
    return runningWith({
      queues: [this.#queue, this.#orphans],
      recorder: this.#recorder,
      ends,
      close: () => this.#client.close(),
    })
  }

  #podHandler() {
    return ownedHandler<Job, Pod>({
      kind: KIND,
      owners: this.#jobs,
      selectorOf: ({ spec }) => (spec.selector ? selectorFromObject(spec.selector) : nothing),
      endingIsEnd: true,
      changed: (key, pod, what) => this.#podChanged(key, pod, what),
    })
  }

  #podChanged(key: string, pod: Pod, what: ChildChange): void {
    const { uid = '' } = pod.metadata
    if (what === 'created') this.#expectations.created(key)
    if (what === 'deleted') this.#expectations.deleted(key, uid)
    if (!hasTracking(pod, this.#names)) this.#untracked.delete(uid)
    const waitMs = pod.status?.phase === 'Failed' && what === 'changed' ? this.#waitOf(key) : 0
    this.#queue.add(key, Math.max(waitMs, BATCH_MS))
  }

  /** Milliseconds to wait after the failures of a job so far; 0: none. */
  #waitOf(key: string): number {
    const failures = this.#failures.get(key) ?? 0
    return failures === 0 ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), MAX_WAIT_MS)
  }

  #updated(key: string, job: Job, old: Job | null): void {
    this.#queue.add(key)
    if (finishOf(job)) this.#lookAtPods(job)
    const { activeDeadlineSeconds: seconds } = job.spec
    if (seconds === old?.spec.activeDeadlineSeconds) return
    const startMs = parsedTime(job.status.startTime)
    if (seconds === undefined || startMs === null) return
    const leftMs = startMs + Number(seconds) * 1000 - this.#now()
    this.#queue.add(key, Math.max(leftMs, 1))
  }

  #deleted(key: string, job: Job): void {
    this.#expectations.forget(key)
    this.#failures.delete(key)
    this.#lookAtPods(job)
  }

  #now(): number {
    return this.#context.clock.now()
  }

  #lookAtPods(job: Job): void {
    for (const pod of ownChildren(this.#pods, job)) this.#lookAtOrphan(pod)
  }

  #lookAtOrphan(pod: Pod): void {
    const { namespace = '', name = '' } = pod.metadata
    if (this.#isOrphan(pod)) this.#orphans.add(keyOf(namespace, name))
  }

  /** Whether a pod keeps the finalizer of a job that is gone or has come to its end. */
  #isOrphan(pod: Pod): boolean {
    if (!hasTracking(pod, this.#names)) return false
    const owner = controllerOf(pod)
    if (!owner || !namesKind(owner, KIND)) return owner === null
    const job = this.#jobOf(owner, pod.metadata.namespace ?? '')
    return job === null || finishOf(job) !== null || !isTracked(job, this.#names)
  }

  #jobOf({ name, uid }: OwnerReference, namespace: string): Job | null {
    const job = this.#jobs.lister.get(namespace, name)
    return job?.metadata.uid === uid ? job : null
  }

  async #untrackOrphan(key: string): Promise<void> {
    const { namespace, name } = placeIn(key)
    const pod = this.#pods.lister.get(namespace, name)
    if (pod && this.#isOrphan(pod)) await this.#writes.untrack(pod)
  }

  /** Failures are counted here: a pod that fails is one, as a write that is refused. */
  async #sync(key: string): Promise<number | void> {
    try {
      return await this.#bring(key)
    } catch (error) {
      if (error instanceof StatusError && error.reason === 'Conflict') return 1
      if (isNotFound(error) && this.#find(key) === null) return
      this.#failures.set(key, (this.#failures.get(key) ?? 0) + 1)
      const fields = { controller: NAME, key, error: String(error) }
      this.#context.log.debug(2, 'a job could not be brought on, retrying', fields)
      return this.#waitOf(key)
    }
  }

  #find(key: string): Job | null {
    const { namespace, name } = placeIn(key)
    return this.#jobs.lister.get(namespace, name)
  }

  async #bring(key: string): Promise<number | void> {
    const job = this.#find(key)
    if (!job) return this.#expectations.forget(key)
    if (finishOf(job)) return
    if (!['Indexed', 'NonIndexed', undefined].includes(job.spec.completionMode)) {
      const message = 'Skipped Job sync because completion mode is unknown'
      const about = eventReference(KIND, job)
      return this.#recorder.event(about, 'Warning', 'UnknownCompletionMode', message)
    }
    const isUpToDate = this.#expectations.isSatisfied(key)
    const outcome = await syncJob(
      {
        clock: this.#context.clock,
        names: this.#names,
        jobs: this.#client.resource<Job>(JOBS).in(job.metadata.namespace ?? ''),
        pods: this.#writes,
        recorder: this.#recorder,
        untracked: ({ metadata: { uid = '' } }, isKept) =>
          isKept ? this.#untracked.delete(uid) : this.#untracked.add(uid),
      },
      { key, job, pods: await this.#claim(job), untracked: this.#untracked, isUpToDate },
    )
    if (outcome.hasProgress) this.#failures.delete(key)
    if (outcome.deadlineMs !== null) this.#queue.add(key, outcome.deadlineMs)
    if (!outcome.hasNewFailure) return
    this.#failures.set(key, (this.#failures.get(key) ?? 0) + 1)
    return this.#waitOf(key)
  }

  #claim(job: Job): Promise<Pod[]> {
    const { namespace = '', name = '' } = job.metadata
    const tracking = isTracked(job, this.#names) ? { finalizer: this.#names.tracking } : {}
    return claimChildren(possibleChildren(this.#pods, job), {
      owner: job,
      kind: KIND,
      selector: job.spec.selector ? selectorFromObject(job.spec.selector) : nothing,
      of: this.#client.resource<Pod>(PODS).in(namespace),
      freshOwner: () => this.#client.resource<Job>(JOBS).in(namespace).find(name),
      ...tracking,
    })
  }
}
