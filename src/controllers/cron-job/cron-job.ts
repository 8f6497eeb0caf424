/** Starts jobs by the schedules of cron jobs. */
import { EventRecorder } from '../../client/event-recorder.ts'
import type { Client } from '../../client/client.ts'
import type { Informer } from '../../client/informer.ts'
import { keyOf, placeIn } from '../../client/transport.ts'
import type { WorkQueue } from '../../client/work-queue.ts'
import type { CronJob } from '../../kinds/batch/cron-job.ts'
import type { Job } from '../../kinds/batch/job.ts'
import { CRON_JOBS, JOBS } from '../addresses.ts'
import { workQueue, type Controller, type Running, type StartingContext } from '../controller.ts'
import { asleep, handled } from '../following.ts'
import { runningWith } from '../running.ts'
import { fromFirstObject } from '../workloads/from-first-object.ts'
import { controllerOf, eventReference, namesKind } from '../workloads/owner.ts'
import { KIND, scheduleText, syncCronJob, untilNext } from './cron-sync.ts'
import { readSchedule } from './schedule.ts'

const NAME = 'cronjob'
const ACCOUNT = 'cronjob-controller'

/** Starts jobs of cron jobs. */
export const cronJobs: Controller = {
  name: NAME,
  runsWorkloads: true,
  async start(context) {
    if (!(await context.resources.serves(CRON_JOBS, JOBS))) return asleep
    const client = context.clientFor(ACCOUNT)
    return fromFirstObject(context, {
      name: NAME,
      client,
      resources: [CRON_JOBS],
      start: () => new CronJobController(context, client).start(),
    })
  },
}

/** The running controller. */
class CronJobController {
  readonly #context: StartingContext
  readonly #client: Client
  readonly #cronJobs: Informer<CronJob>
  readonly #jobs: Informer<Job>
  readonly #recorder: EventRecorder
  readonly #queue: WorkQueue
  readonly #hasTimeZones: boolean

  constructor(context: StartingContext, client: Client) {
    const { clock, informers, settings, gate } = context
    this.#context = context
    this.#client = client
    this.#hasTimeZones = gate('CronJobTimeZone')
    this.#recorder = new EventRecorder({ client, component: ACCOUNT, clock })
    this.#cronJobs = informers.of<CronJob>(CRON_JOBS)
    // By the name of the controller alone: its uid is not compared.
    this.#jobs = informers.of<Job>(JOBS, { indexes: { [BY_OWNER]: ownerOf } })
    this.#queue = workQueue(context, NAME, {
      workers: settings.cronJobWorkers,
      work: (key) => this.#sync(key),
    })
  }

  async start(): Promise<Running> {
    const { signal } = this.#context
    await this.#jobs.synced(signal)
    const changed = ({ object }: { readonly object: Job }) => {
      for (const key of ownerOf(object)) this.#queue.add(key)
    }
    const ends = [
      await handled(
        this.#cronJobs,
        {
          add: ({ key }) => this.#queue.add(key),
          update: ({ key, object }, old) => this.#updated(key, object, old?.object ?? null),
          delete: ({ key }) => this.#queue.add(key),
        },
        signal,
      ),
      this.#jobs.addHandler({ add: changed, update: changed, delete: changed }),
    ]
    return runningWith({
      queues: [this.#queue],
      recorder: this.#recorder,
      ends,
      close: () => this.#client.close(),
    })
  }

  /** Another schedule plans the next start; the last one is not made up for. */
  #updated(key: string, cronJob: CronJob, old: CronJob | null): void {
    const { schedule, timeZone } = cronJob.spec
    if (!old || (schedule === old.spec.schedule && timeZone === old.spec.timeZone))
      return this.#queue.add(key)
    try {
      const read = readSchedule(scheduleText(cronJob, this.#hasTimeZones))
      this.#queue.add(key, untilNext(read, this.#context.clock.now()))
    } catch {
      const message = `unparseable schedule for cronjob: ${schedule}`
      const about = eventReference(KIND, cronJob)
      this.#recorder.event(about, 'Warning', 'UnParseableCronJobSchedule', message)
    }
  }

  async #sync(key: string): Promise<number | void> {
    const { namespace, name } = placeIn(key)
    const cronJob = this.#cronJobs.lister.get(namespace, name)
    if (!cronJob) return
    const { clock, v } = this.#context
    return syncCronJob(
      {
        ...{ clock, v, recorder: this.#recorder, hasTimeZones: this.#hasTimeZones },
        cronJobs: this.#client.resource<CronJob>(CRON_JOBS).in(namespace),
        jobs: this.#client.resource<Job>(JOBS).in(namespace),
      },
      cronJob,
      this.#jobs.lister.byIndex(BY_OWNER, key),
    )
  }
}

const BY_OWNER = 'owner'

function ownerOf(job: Job): readonly string[] {
  const owner = controllerOf(job)
  if (!owner || !namesKind(owner, KIND)) return []
  return [keyOf(job.metadata.namespace ?? '', owner.name)]
}
