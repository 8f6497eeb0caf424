/** One sync of a CronJob: its jobs, and the start that is due. */
import type { Clock } from '../../base/clock.ts'
import { formatTime, parsedTime } from '../../base/time.ts'
import type { EventRecorder } from '../../client/event-recorder.ts'
import { isNotFound, type ResourceClient } from '../../client/resource-client.ts'
import type { CronJob } from '../../kinds/batch/cron-job.ts'
import { isTimeZone } from '../../kinds/batch/cron-schedule.ts'
import type { Job } from '../../kinds/batch/job.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { isNamespaceEnding } from '../endpoints/namespace-ending.ts'
import { finishOf } from '../job/job-facts.ts'
import { controllerReference, eventReference, isEnding } from '../workloads/owner.ts'
import { messageOf } from '../workloads/pod-writes.ts'
import { dueStart } from './cron-due.ts'
import { readSchedule, type Schedule } from './schedule.ts'

/** Kind of the objects whose jobs these are. */
export const KIND = { apiVersion: 'batch/v1', kind: 'CronJob' } as const
/** After a start the next one is looked at so much later, so that it is due. */
const MARGIN_MS = 100
const MANY_MISSED = 100

/** Dependencies of a sync. */
export interface CronSyncParts {
  readonly clock: Pick<Clock, 'now'>
  readonly v: Vocabulary
  /** The jobs of the namespace. */
  readonly cronJobs: ResourceClient<CronJob>
  readonly jobs: ResourceClient<Job>
  readonly recorder: Pick<EventRecorder, 'event'>
  /** Whether `spec.timeZone` counts. */
  readonly hasTimeZones: boolean
}

type Active = NonNullable<CronJob['status']['active']>

/** Milliseconds from now until the next start. */
export const untilNext = (schedule: Schedule, nowMs: number): number =>
  schedule.next(nowMs) + MARGIN_MS - nowMs

/** The schedule with the zone of the object. */
export const scheduleText = ({ spec }: CronJob, hasTimeZones: boolean): string =>
  hasTimeZones && spec.timeZone !== undefined && !spec.schedule.includes('TZ')
    ? `TZ=${spec.timeZone} ${spec.schedule}`
    : spec.schedule

/** Takes the next step; returns milliseconds until the next start, if there is one. Throws what could not be written. */
export async function syncCronJob(
  parts: CronSyncParts,
  cronJob: CronJob,
  jobs: readonly Job[],
): Promise<number | void> {
  const sync = new CronSync(parts, cronJob, jobs)
  const afterMs = await sync.start()
  await sync.finish()
  return afterMs
}

class CronSync {
  readonly #parts: CronSyncParts
  readonly #jobs: readonly Job[]
  #cronJob: CronJob
  #isChanged = false

  constructor(parts: CronSyncParts, cronJob: CronJob, jobs: readonly Job[]) {
    this.#parts = parts
    this.#cronJob = { ...cronJob, status: { ...cronJob.status } } as CronJob
    this.#jobs = jobs
  }

  /** Looks at the jobs, and starts one when it is due. */
  async start(): Promise<number | void> {
    for (const job of this.#jobs) await this.#lookAt(job)
    await this.#forgetMissing()
    if (isEnding(this.#cronJob)) return
    const schedule = this.#schedule()
    return schedule ? this.#startDue(schedule) : undefined
  }

  /** Deletes old jobs and stores the status. */
  async finish(): Promise<void> {
    await this.#deleteOld('Complete', this.#cronJob.spec.successfulJobsHistoryLimit)
    await this.#deleteOld('Failed', this.#cronJob.spec.failedJobsHistoryLimit)
    if (this.#isChanged) await this.#parts.cronJobs.sub('status').update(this.#cronJob)
  }

  get #active(): Active {
    return this.#cronJob.status.active ?? ([] as unknown as Active)
  }

  #set(change: Partial<CronJob['status']>): void {
    this.#isChanged = true
    this.#cronJob = { ...this.#cronJob, status: { ...this.#cronJob.status, ...change } } as CronJob
  }

  #isActive = ({ metadata }: Job, active = this.#active): boolean =>
    active.some(({ uid }) => uid === metadata.uid)

  #dropActive(wanted: (uid: string | undefined) => boolean): void {
    const active = this.#active.filter(({ uid }) => wanted(uid))
    if (active.length < this.#active.length) this.#set({ active: active as Active })
  }

  async #lookAt(job: Job): Promise<void> {
    const { name = '', uid } = job.metadata
    const end = finishOf(job)
    if (!end) {
      if (this.#isActive(job)) return
      // Another sync may have stored it since.
      const live = await this.#parts.cronJobs.find(this.#cronJob.metadata.name ?? '')
      if (live && this.#isActive(job, live.status.active ?? [])) return void (this.#cronJob = live)
      const message = `Saw a job that the controller did not create or forgot: ${name}`
      return this.#event('Warning', 'UnexpectedJob', message)
    }
    if (this.#isActive(job)) {
      this.#dropActive((one) => one !== uid)
      const message = `Saw completed job: ${name}, status: ${end.type}`
      return this.#event('Normal', 'SawCompletedJob', message)
    }
    const { completionTime } = job.status
    const doneMs = parsedTime(completionTime)
    const lastMs = parsedTime(this.#cronJob.status.lastSuccessfulTime)
    if (doneMs !== null && (lastMs === null || doneMs > lastMs))
      this.#set({ lastSuccessfulTime: completionTime! })
  }

  async #forgetMissing(): Promise<void> {
    const known = new Set(this.#jobs.map(({ metadata }) => metadata.uid))
    for (const { name = '', uid } of this.#active) {
      if (known.has(uid) || (await this.#parts.jobs.find(name))) continue
      this.#event('Normal', 'MissingJob', `Active job went missing: ${name}`)
      this.#dropActive((one) => one !== uid)
    }
  }

  /** Null: it starts nothing. */
  #schedule(): Schedule | null {
    const { spec } = this.#cronJob
    const { hasTimeZones, v } = this.#parts
    const { timeZone } = spec
    if (hasTimeZones && timeZone !== undefined && !isTimeZone(timeZone)) {
      const why = `invalid timeZone: ${JSON.stringify(timeZone)}: unknown time zone ${timeZone}`
      this.#event('Warning', 'UnknownTimeZone', why)
      return null
    }
    if (spec.suspend === true) return null
    if (spec.schedule.includes('TZ')) {
      const page = v.resolve('https://{label}/docs/concepts/workloads/controllers/cron-jobs/')
      const message = `CRON_TZ or TZ used in schedule ${JSON.stringify(spec.schedule)} is not officially supported, see ${page} for more details`
      this.#event('Warning', 'UnsupportedSchedule', message)
    }
    const text = scheduleText(this.#cronJob, hasTimeZones)
    try {
      return readSchedule(text)
    } catch (error) {
      const message = `unparseable schedule: ${JSON.stringify(text)} : ${messageOf(error)}`
      this.#event('Warning', 'UnparseableSchedule', message)
      return null
    }
  }

  async #startDue(schedule: Schedule): Promise<number | void> {
    const nowMs = this.#parts.clock.now()
    const { spec, status } = this.#cronJob
    const nextMs = untilNext(schedule, nowMs)
    const atMs = this.#dueAt(schedule, nowMs)
    if (atMs === undefined) return
    if (atMs === null) return nextMs
    const deadline = spec.startingDeadlineSeconds
    if (deadline !== undefined && atMs + Number(deadline) * 1000 < nowMs) {
      const time = new Date(atMs).toUTCString().replace('GMT', '+0000')
      this.#event('Warning', 'MissSchedule', `Missed scheduled time to start a job: ${time}`)
      return nextMs
    }
    const name = this.#nameAt(atMs)
    const isStarted = this.#active.some((one) => one.name === name)
    if (isStarted || parsedTime(status.lastScheduleTime) === atMs) return nextMs
    if (spec.concurrencyPolicy === 'Forbid' && this.#active.length > 0) {
      const message =
        'Not starting job because prior execution is running and concurrency policy is Forbid'
      this.#event('Normal', 'JobAlreadyActive', message)
      return nextMs
    }
    if (spec.concurrencyPolicy === 'Replace') await this.#deleteActive()
    await this.#create(name, atMs)
    return nextMs
  }

  /** Null: nothing is due; undefined: nothing ever will be. */
  #dueAt(schedule: Schedule, nowMs: number): number | null | undefined {
    try {
      const due = dueStart(this.#cronJob, schedule, nowMs)
      if (due && due.missed > MANY_MISSED) {
        const message = `too many missed start times: ${due.missed}. Set or decrease .spec.startingDeadlineSeconds or check clock skew`
        this.#event('Warning', 'TooManyMissedTimes', message)
      }
      return due ? due.atMs : null
    } catch (error) {
      const message = `invalid schedule: ${this.#cronJob.spec.schedule} : ${messageOf(error)}`
      this.#event('Warning', 'InvalidSchedule', message)
      return undefined
    }
  }

  #nameAt(atMs: number): string {
    return `${this.#cronJob.metadata.name}-${Math.floor(atMs / 60_000)}`
  }

  async #create(name: string, atMs: number): Promise<void> {
    const { metadata, spec } = this.#cronJob.spec.jobTemplate
    const { labels, annotations } = metadata ?? {}
    const ownerReferences = [controllerReference(KIND, this.#cronJob)]
    const job = { metadata: { name, labels, annotations, ownerReferences }, spec }
    let created: Job
    try {
      created = await this.#parts.jobs.create(job as unknown as Job)
    } catch (error) {
      // It would be refused for ever.
      if (isNamespaceEnding(error)) return
      const isThere = (error as { readonly reason?: string }).reason === 'AlreadyExists'
      if (!isThere)
        this.#event('Warning', 'FailedCreate', `Error creating job: ${messageOf(error)}`)
      throw error
    }
    this.#event('Normal', 'SuccessfulCreate', `Created job ${name}`)
    const { namespace, uid, resourceVersion } = created.metadata
    const reference = { kind: 'Job', namespace, name, uid, apiVersion: 'batch/v1', resourceVersion }
    const active = [...this.#active, reference] as Active
    this.#set({ active, lastScheduleTime: formatTime(atMs) } as Partial<CronJob['status']>)
  }

  async #deleteActive(): Promise<void> {
    const { namespace } = this.#cronJob.metadata
    for (const { name = '' } of this.#active) {
      let job: Job
      try {
        job = await this.#parts.jobs.get(name)
      } catch (error) {
        this.#event('Warning', 'FailedGet', `Get job: ${messageOf(error)}`)
        throw error
      }
      if (!(await this.#delete(job))) throw new Error(`could not replace job ${namespace}/${name}`)
    }
  }

  async #delete({ metadata: { name = '', uid } }: Job): Promise<boolean> {
    try {
      await this.#parts.jobs.delete(name, { propagationPolicy: 'Background' })
    } catch (error) {
      if (isNotFound(error)) return true
      this.#event('Warning', 'FailedDelete', `Deleted job: ${messageOf(error)}`)
      return false
    }
    this.#dropActive((one) => one !== uid)
    this.#event('Normal', 'SuccessfulDelete', `Deleted job ${name}`)
    return true
  }

  /** Deletes the oldest finished jobs beyond a limit. */
  async #deleteOld(type: 'Complete' | 'Failed', limit: number | undefined): Promise<void> {
    if (limit === undefined) return
    const ended = this.#jobs.filter((job) => finishOf(job)?.type === type).sort(byStart)
    for (const job of ended.slice(0, Math.max(ended.length - limit, 0))) await this.#delete(job)
  }

  #event(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#parts.recorder.event(eventReference(KIND, this.#cronJob), type, reason, message)
  }
}

/** Jobs without a start last. */
function byStart(a: Job, b: Job): number {
  const [left, right] = [a, b].map(({ status }) => parsedTime(status?.startTime) ?? Infinity)
  if (left !== right) return left! - right!
  const [one, other] = [a.metadata.name ?? '', b.metadata.name ?? '']
  return one < other ? -1 : Number(one > other)
}
