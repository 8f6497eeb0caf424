import type { Client } from '../../client/client.ts'
import type { Entry } from '../../client/entry.ts'
import { EventRecorder } from '../../client/event-recorder.ts'
import { keyOf, placeIn } from '../../client/transport.ts'
import type { Endpoints } from '../../kinds/core/endpoints.ts'
import type { Service } from '../../kinds/core/service/service.ts'
import type { EndpointSlice } from '../../kinds/discovery/endpoint-slice.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { ENDPOINTS, endpointSlices, SERVICES } from '../addresses.ts'
import { workQueue, type Controller } from '../controller.ts'
import { isTerminating } from '../finalizer.ts'
import { asleep, handled } from '../following.ts'
import { runningWith } from '../running.ts'
import { mirrored } from './mirrored.ts'
import { readSlices, ServiceSlices, sliceLabels } from './service-slices.ts'
import { planSlices } from './slice-plan.ts'
import { SliceWrites, type SliceFrame } from './slice-writes.ts'

const NAME = 'endpointslicemirroring'
const MANAGER = 'endpointslicemirroring-controller{api}'
const LEAST_MS = 1_000
const MOST_MS = 100_000
const MOST_FAILURES = 15

/** Keeps slices for Endpoints that somebody writes for a service without a selector. */
export const mirroringController: Controller = {
  name: NAME,
  async start(context) {
    const { informers, resources, signal, v, clock } = context
    const address = endpointSlices(v)
    if (!(await resources.serves(SERVICES, ENDPOINTS, address))) return asleep
    const {
      mirroringWorkers: workers,
      mirroringMaxEndpointsPerSubset: most,
      mirroringBatchMs: batchMs,
    } = context.settings
    const client = context.clientFor('endpointslicemirroring-controller')
    const component = 'endpoint-slice-mirroring-controller'
    const recorder = new EventRecorder({ client, component, clock })
    const informer = informers.of<EndpointSlice>(address)
    const endpoints = informers.of<Endpoints>(ENDPOINTS)
    const services = informers.of<Service>(SERVICES)
    const slices = new ServiceSlices({ v, lister: informer.lister, managedBy: v.resolve(MANAGER) })
    const mirror = new Mirror({ v, client, recorder, slices, most })
    const queue = workQueue(context, NAME, {
      workers,
      leastMs: LEAST_MS,
      mostMs: MOST_MS,
      mostFailures: MOST_FAILURES,
      async work(key) {
        const { namespace, name } = placeIn(key)
        const service = services.lister.get(namespace, name)
        const isFor = service !== null && Object.keys(service.spec.selector ?? {}).length === 0
        const source = isFor ? endpoints.lister.get(namespace, name) : null
        await (source && isMirrored(v, source) ? mirror.write(source) : mirror.remove(key))
      },
    })
    let hasBegun = false
    const queued = (key: string, afterMs: number) => {
      if (hasBegun) queue.add(key, afterMs)
    }
    const soon = ({ key }: Entry<Service>) => queued(key, 0)
    const later = ({ key }: Entry<Endpoints>) => queued(key, batchMs)
    const ends = [
      await handled(services, { add: soon, update: soon, delete: soon }, signal),
      await handled(endpoints, { add: later, update: later, delete: later }, signal),
    ]
    const reading = await readSlices(context, NAME, { slices, informer }, (key) =>
      queue.add(key, batchMs),
    )
    hasBegun = true
    for (const { key } of endpoints.lister.entries()) queue.add(key)
    for (const key of slices.services()) queue.add(key)
    return runningWith({
      queues: [reading.queue, queue],
      recorder,
      ends: [...ends, reading.end],
      close: () => client.close(),
    })
  },
}

/** Whether Endpoints are meant to be mirrored: those of elections are not. */
function isMirrored(v: Vocabulary, { metadata }: Endpoints): boolean {
  const { labels = {}, annotations = {} } = metadata
  return (
    labels[v.resolve('endpointslice.{label}/skip-mirror')] !== 'true' &&
    !Object.hasOwn(annotations, v.resolve('control-plane.alpha.{label}/leader'))
  )
}

interface MirrorParts {
  readonly v: Vocabulary
  readonly client: Client
  readonly recorder: EventRecorder
  readonly slices: ServiceSlices
  readonly most: number
}

/** Writes the slices of Endpoints. */
class Mirror {
  readonly #parts: MirrorParts
  readonly #writes: SliceWrites

  constructor(parts: MirrorParts) {
    this.#parts = parts
    this.#writes = new SliceWrites(parts)
  }

  async write(source: Endpoints): Promise<void> {
    try {
      await this.#write(source)
    } catch (error) {
      const { namespace, name } = source.metadata
      const why = error instanceof Error ? error.message : String(error)
      const message = `Error updating Endpoint Slices for Endpoints ${namespace}/${name}: ${why}`
      this.#warn(source, 'FailedToUpdateEndpointSlices', message)
      throw error
    }
  }

  async #write(source: Endpoints): Promise<void> {
    const { slices, most } = this.#parts
    const { namespace = '', name = '', uid } = source.metadata
    const { groups, invalid, skipped } = mirrored(source, most)
    this.#tell(source, invalid, skipped)
    const frame = this.#frameOf(source)
    const known = slices.of(keyOf(namespace, name))
    const isOwn = ({ metadata }: EndpointSlice) =>
      (metadata.ownerReferences ?? []).some((one) => one.controller === true && one.uid === uid)
    for (const [type, wanted] of groups) {
      const existing = known.filter((one) => isOwn(one) && one.addressType === type)
      const plan = planSlices(existing, wanted, { most, keepsOne: false })
      await this.#writes.write(type, plan, frame)
    }
    for (const slice of known) if (!isOwn(slice)) await this.#writes.remove(slice)
  }

  /** Deletes the slices of Endpoints that are gone, or are not mirrored any more. */
  async remove(key: string): Promise<void> {
    for (const slice of this.#parts.slices.of(key)) await this.#writes.remove(slice)
  }

  #tell(source: Endpoints, invalid: number, skipped: number): void {
    if (invalid > 0)
      this.#warn(
        source,
        'InvalidIPAddress',
        `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`,
      )
    if (skipped > 0)
      this.#warn(
        source,
        'TooManyAddressesToMirror',
        `A max of ${this.#parts.most} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`,
      )
  }

  #warn({ metadata }: Endpoints, reason: string, message: string): void {
    const { namespace = '', name = '', uid = '' } = metadata
    const about = { apiVersion: 'v1', kind: 'Endpoints', namespace, name, uid }
    this.#parts.recorder.event(about, 'Warning', reason, message)
  }

  #frameOf(source: Endpoints): SliceFrame {
    const { v } = this.#parts
    const { namespace = '', name = '', uid = '', labels = {}, annotations = {} } = source.metadata
    const { service, managedBy } = sliceLabels(v)
    const {
      [v.resolve('endpoints.{label}/last-change-trigger-time')]: _,
      [v.resolve('{cli}.{label}/last-applied-configuration')]: __,
      ...copied
    } = annotations
    return {
      namespace,
      owner: {
        apiVersion: 'v1',
        kind: 'Endpoints',
        name,
        uid,
        controller: true,
        blockOwnerDeletion: true,
      },
      labels: { ...labels, [service]: name, [managedBy]: v.resolve(MANAGER) },
      annotations: copied,
      trigger: null,
      isOpen: !isTerminating(source),
    }
  }
}
