import { EventRecorder } from '../../client/event-recorder.ts'
import type { Entry } from '../../client/entry.ts'
import { isNotFound, type ResourceClient } from '../../client/resource-client.ts'
import { placeIn } from '../../client/transport.ts'
import type { Endpoints } from '../../kinds/core/endpoints.ts'
import type { Service } from '../../kinds/core/service/service.ts'
import { sameValue } from '../../meta/field-errors.ts'
import { StatusError } from '../../meta/errors.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { ENDPOINTS, PODS, SERVICES } from '../addresses.ts'
import { workQueue, type Controller } from '../controller.ts'
import { asleep, handled } from '../following.ts'
import { followServices } from './following-services.ts'
import { isNamespaceEnding } from './namespace-ending.ts'
import { Newest } from './newest.ts'
import { servedBy } from './pod-addresses.ts'
import { hasNoAddress } from './pod-ports.ts'
import { runningWith } from '../running.ts'
import { selectorOf } from './service-pods.ts'
import { limited, packed } from './subsets.ts'
import { TriggerTimes } from './trigger-times.ts'

const NAME = 'endpoint'
const MOST_FAILURES = 15

/** Keeps the Endpoints of services that have a selector. */
export const endpointsController: Controller = {
  name: NAME,
  async start(context) {
    const { informers, resources, signal, v, clock } = context
    if (!(await resources.serves(PODS, SERVICES, ENDPOINTS))) return asleep
    const { endpointWorkers: workers, endpointBatchMs: batchMs } = context.settings
    const client = context.clientFor('endpoint-controller')
    const recorder = new EventRecorder({ client, component: 'endpoint-controller', clock })
    const informer = informers.of<Endpoints>(ENDPOINTS)
    const newest = new Newest<Endpoints>()
    const triggers = new TriggerTimes()
    const queue = workQueue(context, NAME, {
      workers,
      mostFailures: MOST_FAILURES,
      async work(key) {
        const { namespace, name } = placeIn(key)
        const service = followed.services.get(namespace, name)
        const of = client.resource<Endpoints>(ENDPOINTS).in(namespace)
        if (!service) return removeLeft(of, key)
        if (Object.keys(selectorOf(service)).length === 0) return
        const pods = await followed.pods.of(namespace, key)
        const known = newest.pick(key, informer.lister.get(namespace, name))
        const next = endpointsOf(v, { service, known, served: servedBy(service, pods) })
        // Also where nothing is written: an old cause is none of a later write.
        const trigger = triggers.next(key, service, pods)
        if (known && isSame(known, next)) return
        await write(of, key, withTrigger(v, next, trigger))
      },
    })
    /** Deletes the Endpoints of a service that is gone. */
    const removeLeft = async (of: ResourceClient<Endpoints>, key: string) => {
      const { namespace, name } = placeIn(key)
      if (!newest.pick(key, informer.lister.get(namespace, name))) return
      newest.forget(key)
      try {
        await of.delete(name)
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
    }
    const write = async (of: ResourceClient<Endpoints>, key: string, next: Endpoints) => {
      const isNew = next.metadata.resourceVersion === undefined
      try {
        newest.wrote(key, await (isNew ? of.create(next) : of.update(next)))
      } catch (error) {
        newest.forget(key)
        if (isNew && isNamespaceEnding(error)) return
        tell(recorder, key, next, error)
        throw error
      }
    }
    const heard = ({ key, object }: Entry<Endpoints>) => newest.pick(key, object)
    const followed = await followServices(context, {
      name: NAME,
      queue,
      batchMs,
      gone: (key) => triggers.forget(key),
    })
    const end = await handled(
      informer,
      {
        update: (entry) => void (newest.has(entry.key) && heard(entry)),
        delete({ key, uid }) {
          newest.forget(key, uid)
          queue.add(key)
        },
        relisted: () => newest.clear(),
      },
      signal,
    )
    followed.begin()
    const leader = v.resolve('control-plane.alpha.{label}/leader')
    for (const entry of informer.lister.entries()) {
      const { namespace, name, key } = entry
      // Those of elections have no service.
      if (!followed.services.get(namespace, name) && !entry.mayContain(leader)) queue.add(key)
    }
    return runningWith({
      queues: [followed.reading, queue],
      recorder,
      ends: [...followed.ends, end],
      close: () => client.close(),
    })
  },
}

/** What the Endpoints of a service follow from. */
interface EndpointsSource {
  readonly service: Service
  /** As they are; null: there are none yet. */
  readonly known: Endpoints | null
  readonly served: ReturnType<typeof servedBy>
}

/** The Endpoints that a service should have. */
function endpointsOf(v: Vocabulary, { service, known, served }: EndpointsSource): Endpoints {
  const { subsets, isCut } = limited(packed(served))
  const { name = '', namespace = '' } = service.metadata
  const { [v.resolve('endpoints.{label}/over-capacity')]: _, ...annotations } =
    known?.metadata.annotations ?? {}
  const headless = v.resolve('service.{label}/headless')
  const { [headless]: __, ...labels } = service.metadata.labels ?? {}
  return {
    ...known,
    metadata: {
      ...(known?.metadata ?? { name, namespace }),
      labels: { ...labels, ...(hasNoAddress(service) ? { [headless]: '' } : {}) },
      annotations: {
        ...annotations,
        ...(isCut ? { [v.resolve('endpoints.{label}/over-capacity')]: 'truncated' } : {}),
      },
    },
    subsets: [...subsets],
  }
}

/** Whether nothing has to be written. Times of causes alone are no reason. */
const isSame = (known: Endpoints, next: Endpoints): boolean =>
  sameValue(known.subsets ?? [], next.subsets) &&
  sameValue(known.metadata.labels ?? {}, next.metadata.labels) &&
  sameValue(known.metadata.annotations ?? {}, next.metadata.annotations)

function withTrigger(v: Vocabulary, next: Endpoints, trigger: string | null): Endpoints {
  const key = v.resolve('endpoints.{label}/last-change-trigger-time')
  const { [key]: _, ...others } = next.metadata.annotations ?? {}
  const annotations = trigger === null ? others : { ...others, [key]: trigger }
  return { ...next, metadata: { ...next.metadata, annotations } }
}

function tell(recorder: EventRecorder, key: string, next: Endpoints, error: unknown): void {
  const { name = '', namespace = '', uid, resourceVersion } = next.metadata
  const isNew = resourceVersion === undefined
  const why = error instanceof StatusError ? error.message : String(error)
  recorder.event(
    {
      apiVersion: 'v1',
      kind: 'Endpoints',
      namespace,
      name,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    'Warning',
    isNew ? 'FailedToCreateEndpoint' : 'FailedToUpdateEndpoint',
    isNew
      ? `Failed to create endpoint for service ${key}: ${why}`
      : `Failed to update endpoint ${key}: ${why}`,
  )
}
