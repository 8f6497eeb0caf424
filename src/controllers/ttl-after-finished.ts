import { parsedTime } from '../base/time.ts'
import { isNotFound } from '../client/resource-client.ts'
import { placeIn } from '../client/transport.ts'
import type { Job } from '../kinds/batch/job.ts'
import { jobDeletionDelay } from '../metrics/declared/clients.ts'
import { JOBS } from './addresses.ts'
import { workQueue, type Controller } from './controller.ts'
import { isTerminating } from './finalizer.ts'
import { asleep, following, handled, onChange } from './following.ts'

const NAME = 'ttl-after-finished'

/** Deletes finished jobs when their time to live is over. */
export const ttlAfterFinished: Controller = {
  name: NAME,
  async start(context) {
    const { informers, resources, signal, clock } = context
    if (!(await resources.serves(JOBS))) return asleep
    const client = context.clientFor(`${NAME}-controller`)
    const jobs = informers.of<Job>(JOBS)
    const delay = context.metrics?.of(jobDeletionDelay).with({})
    const queue = workQueue(context, NAME, {
      workers: context.settings.finishedJobWorkers,
      async work(key) {
        const { namespace, name } = placeIn(key)
        const leftMs = leftOf(jobs.lister.get(namespace, name), clock.now())
        if (leftMs === null || leftMs > 0) return leftMs ?? undefined
        // The job may have been given more time.
        const of = client.resource<Job>(JOBS).in(namespace)
        const live = await of.find(name)
        const stillMs = leftOf(live, clock.now())
        if (stillMs === null || stillMs > 0) return stillMs ?? undefined
        const { uid = '' } = live!.metadata
        const afterMs = clock.now() - endOf(live!)!
        try {
          await of.delete(name, { propagationPolicy: 'Foreground', preconditions: { uid } })
          delay?.observe(afterMs / 1000)
        } catch (error) {
          if (!isNotFound(error)) throw error
        }
      },
    })
    return following(queue, client, [
      await handled(
        jobs,
        onChange(({ key }) => queue.add(key)),
        signal,
      ),
    ])
  },
}

/** Milliseconds until a job is to be deleted; null when it is not. */
function leftOf(job: Job | null, nowMs: number): number | null {
  const endMs = job && !isTerminating(job) ? endOf(job) : null
  return endMs === null ? null : Math.max(endMs - nowMs, 0)
}

/** When the life of a job ends; null: it does not, or not yet. */
function endOf(job: Job): number | null {
  const { ttlSecondsAfterFinished: seconds } = job.spec
  const end = job.status?.conditions?.find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  )
  const endedMs = parsedTime(end?.lastTransitionTime)
  return seconds === undefined || endedMs === null ? null : endedMs + seconds * 1000
}
