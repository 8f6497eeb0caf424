/** Services and the pods behind them, for controllers that work on one service at a time. */
import type { Entry } from '../../client/entry.ts'
import type { Lister } from '../../client/informer.ts'
import type { WorkQueue } from '../../client/work-queue.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import type { Service } from '../../kinds/core/service/service.ts'
import { PODS, SERVICES } from '../addresses.ts'
import { workQueue, type StartingContext } from '../controller.ts'
import { handled } from '../following.ts'
import { ServicePods } from './service-pods.ts'

/** What such a controller works with. */
export interface FollowedServices {
  readonly services: Lister<Service>
  readonly pods: ServicePods
  /** Reads changed pods. */
  readonly reading: WorkQueue
  /** Queues every service, when all is there that the work needs. */
  readonly begin: () => void
  readonly ends: readonly (() => void)[]
}

interface Following {
  readonly name: string
  /** Its keys are those of services. */
  readonly queue: WorkQueue
  /** Delay after changes of pods, so that several of them become one write, milliseconds. */
  readonly batchMs: number
  /** Called for a service that was deleted. */
  readonly gone: (key: string) => void
}

/** Resolves when the pods of all services are known; nothing is queued before `begin` is called. */
export async function followServices(
  context: StartingContext,
  { name, queue, batchMs, gone }: Following,
): Promise<FollowedServices> {
  const { informers, signal } = context
  const services = informers.of<Service>(SERVICES)
  const podInformer = informers.of<Pod>(PODS)
  let hasBegun = false
  // All pods are read after the first services are known.
  let isFirst = true
  const queued = (key: string, afterMs = 0) => {
    if (hasBegun) queue.add(key, afterMs)
  }
  const pods = new ServicePods(podInformer.lister, (key) => queued(key, batchMs))
  const reading = workQueue(context, name, { work: async (key) => pods.refresh(key) })
  const serviceChanged = ({ key, object }: Entry<Service>) => {
    pods.select(object, isFirst)
    queued(key)
  }
  const serviceGone = ({ namespace, key }: Entry<Service>) => {
    pods.drop(namespace, key)
    gone(key)
    queued(key)
  }
  const endServices = await handled(
    services,
    { add: serviceChanged, update: serviceChanged, delete: serviceGone },
    signal,
  )
  isFirst = false
  const podChanged = ({ namespace, key }: Entry<Pod>) => {
    if (pods.isWatched(namespace)) reading.add(key)
  }
  const endPods = await handled(
    podInformer,
    { add: podChanged, update: podChanged, delete: podChanged },
    signal,
  )
  await reading.idle()
  return {
    services: services.lister,
    pods,
    reading,
    begin() {
      hasBegun = true
      for (const { key } of services.lister.entries()) queue.add(key)
    },
    ends: [endServices, endPods],
  }
}
