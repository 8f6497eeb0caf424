import type { Entry } from '../../client/entry.ts'
import { EventRecorder } from '../../client/event-recorder.ts'
import { placeIn } from '../../client/transport.ts'
import type { Node } from '../../kinds/core/node/node.ts'
import type { EndpointSlice } from '../../kinds/discovery/endpoint-slice.ts'
import { endpointSlices, NODES, PODS, SERVICES } from '../addresses.ts'
import { workQueue, type Controller } from '../controller.ts'
import { asleep, handled } from '../following.ts'
import { runningWith } from '../running.ts'
import { followServices } from './following-services.ts'
import { NodeZones } from './node-zones.ts'
import { readSlices, ServiceSlices } from './service-slices.ts'
import { SliceWork } from './slice-work.ts'

const NAME = 'endpointslice'
const LEAST_MS = 1_000
const MOST_MS = 100_000
const MOST_FAILURES = 15
/** Others may change many slices at once. */
const AFTER_OTHERS_MS = 1_000

/** Keeps the endpoint slices of services that have a selector. */
export const endpointSliceController: Controller = {
  name: NAME,
  async start(context) {
    const { informers, resources, signal, v, clock } = context
    const address = endpointSlices(v)
    if (!(await resources.serves(PODS, SERVICES, NODES, address))) return asleep
    const {
      endpointSliceWorkers: workers,
      maxEndpointsPerSlice: most,
      endpointSliceBatchMs: batchMs,
    } = context.settings
    const client = context.clientFor('endpointslice-controller')
    const recorder = new EventRecorder({ client, component: 'endpoint-slice-controller', clock })
    const informer = informers.of<EndpointSlice>(address)
    const managedBy = v.resolve('endpointslice-controller{api}')
    const slices = new ServiceSlices({ v, lister: informer.lister, managedBy })
    const zones = new NodeZones(v)
    const parts = { v, gate: context.gate, client, recorder, slices, nodes: zones, most }
    const work = new SliceWork(parts)
    const queue = workQueue(context, NAME, {
      workers,
      leastMs: LEAST_MS,
      mostMs: MOST_MS,
      mostFailures: MOST_FAILURES,
      async work(key) {
        const { namespace, name } = placeIn(key)
        const service = followed.services.get(namespace, name)
        if (service) await work.work(service, await followed.pods.of(namespace, key))
      },
    })
    const nodes = informers.of<Node>(NODES)
    const readingNodes = workQueue(context, NAME, {
      async work(name) {
        const node = nodes.lister.get('', name)
        const isNew = node !== null && zones.zoneOf(name) === null
        const haveMoved = zones.refresh(name, node)
        if (haveMoved) for (const key of work.hinted) queue.add(key)
        if (isNew) for (const key of work.waiting) queue.add(key)
      },
    })
    const nodeChanged = ({ name }: Entry<Node>) => readingNodes.add(name)
    const endNodes = await handled(
      nodes,
      { add: nodeChanged, update: nodeChanged, delete: nodeChanged },
      signal,
    )
    await readingNodes.idle()
    const followed = await followServices(context, {
      name: NAME,
      queue,
      batchMs,
      gone: (key) => work.gone(key),
    })
    const reading = await readSlices(context, NAME, { slices, informer }, (key) =>
      queue.add(key, Math.max(batchMs, AFTER_OTHERS_MS)),
    )
    followed.begin()
    return runningWith({
      queues: [followed.reading, reading.queue, readingNodes, queue],
      recorder,
      ends: [...followed.ends, endNodes, reading.end],
      close: () => client.close(),
    })
  },
}
