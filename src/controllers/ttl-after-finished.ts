import { parseTime } from '../base/time.ts'
import { isNotFound } from '../client/resource-client.ts'
import { placeIn } from '../client/transport.ts'
import type { Job } from '../kinds/batch/job.ts'
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
        try {
          await of.delete(name, { propagationPolicy: 'Foreground', preconditions: { uid } })
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
  if (!job || isTerminating(job)) return null
  const { ttlSecondsAfterFinished: seconds } = job.spec
  const end = job.status?.conditions?.find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  )
  if (seconds === undefined || end?.lastTransitionTime === undefined) return null
  return Math.max(parseTime(end.lastTransitionTime) + seconds * 1000 - nowMs, 0)
}
