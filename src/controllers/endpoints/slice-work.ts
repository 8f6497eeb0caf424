/** The work on the slices of one service. */
import type { Client } from '../../client/client.ts'
import type { EventRecorder } from '../../client/event-recorder.ts'
import { keyOf } from '../../client/transport.ts'
import type { Service } from '../../kinds/core/service/service.ts'
import type { EndpointSlice } from '../../kinds/discovery/endpoint-slice.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { isTerminating } from '../finalizer.ts'
import type { NodeZones } from './node-zones.ts'
import type { PodFacts } from './pod-facts.ts'
import { hasNoAddress } from './pod-ports.ts'
import { selectorOf } from './service-pods.ts'
import { sliceLabels, type ServiceSlices } from './service-slices.ts'
import { addressTypesOf, endpointGroups } from './slice-endpoints.ts'
import { planSlices } from './slice-plan.ts'
import { SliceWrites, type SliceFrame } from './slice-writes.ts'
import { TriggerTimes } from './trigger-times.ts'
import { withHints } from './zone-hints.ts'

interface SliceWorkParts {
  readonly v: Vocabulary
  readonly gate: (name: string) => boolean
  readonly client: Client
  readonly recorder: EventRecorder
  readonly slices: ServiceSlices
  readonly nodes: NodeZones
  /** Endpoints in one slice. */
  readonly most: number
}

/** Keeps the slices of services. */
export class SliceWork {
  readonly #parts: SliceWorkParts
  readonly #writes: SliceWrites
  readonly #triggers = new TriggerTimes()
  /** Services whose endpoints have hints for zones. */
  readonly hinted = new Set<string>()
  /** Services with pods whose nodes are not there. */
  readonly waiting = new Set<string>()

  constructor(parts: SliceWorkParts) {
    this.#parts = parts
    this.#writes = new SliceWrites(parts)
  }

  /** Forgets a service. Its slices go with it, since it owns them. */
  gone(key: string): void {
    this.#triggers.forget(key)
    this.hinted.delete(key)
    this.waiting.delete(key)
  }

  /** Brings the slices of a service into the right state; without a selector they are somebody else's. */
  async work(service: Service, pods: readonly PodFacts[]): Promise<void> {
    if (Object.keys(selectorOf(service)).length === 0) return
    try {
      await this.#write(service, pods)
    } catch (error) {
      const { namespace = '', name = '', uid = '' } = service.metadata
      this.#parts.recorder.event(
        { apiVersion: 'v1', kind: 'Service', namespace, name, uid },
        'Warning',
        'FailedToUpdateEndpointSlices',
        `Error updating Endpoint Slices for Service ${namespace}/${name}: ${messageOf(error)}`,
      )
      throw error
    }
  }

  async #write(service: Service, pods: readonly PodFacts[]): Promise<void> {
    const { gate, slices, nodes, most } = this.#parts
    const { namespace = '', name = '', uid } = service.metadata
    const key = keyOf(namespace, name)
    const types = addressTypesOf(service)
    const [own, foreign] = parted(
      slices.of(key),
      (slice) => types.includes(slice.addressType) && isOwnedBy(slice, uid),
    )
    const frame = this.#frameOf(service, this.#triggers.next(key, service, pods))
    const takesHints = gate('TopologyAwareHints') && this.#wantsHints(service)
    this.#remember(this.hinted, key, takesHints)
    const surroundings = {
      zoneOf: (node: string) => nodes.zoneOf(node),
      tellsTermination: gate('EndpointSliceTerminatingCondition'),
    }
    let isWaiting = false
    for (const type of types) {
      const found = endpointGroups(service, pods, type, surroundings)
      if (found.isNodeMissing) isWaiting = true
      const existing = own.filter(({ addressType }) => addressType === type)
      const plan = planSlices(existing, found.groups, { most, keepsOne: true })
      const shares = takesHints ? nodes.shares : null
      await this.#writes.write(type, { ...plan, slices: withHints(plan.slices, shares) }, frame)
    }
    for (const slice of foreign) await this.#writes.remove(slice)
    this.#remember(this.waiting, key, isWaiting)
  }

  #remember(keys: Set<string>, key: string, isIn: boolean): void {
    if (isIn) keys.add(key)
    else keys.delete(key)
  }

  #wantsHints({ metadata }: Service): boolean {
    const key = this.#parts.v.resolve('service.{label}/topology-aware-hints')
    return ['Auto', 'auto'].includes(metadata.annotations?.[key] ?? '')
  }

  #frameOf(service: Service, trigger: string | null): SliceFrame {
    const { v } = this.#parts
    const labels = sliceLabels(v)
    const { namespace = '', name = '', uid = '' } = service.metadata
    const {
      [labels.headless]: _,
      [labels.service]: __,
      [labels.managedBy]: ___,
      ...ofService
    } = service.metadata.labels ?? {}
    return {
      namespace,
      owner: {
        apiVersion: 'v1',
        kind: 'Service',
        name,
        uid,
        controller: true,
        blockOwnerDeletion: true,
      },
      labels: {
        ...ofService,
        ...(hasNoAddress(service) ? { [labels.headless]: '' } : {}),
        [labels.service]: name,
        [labels.managedBy]: v.resolve('endpointslice-controller{api}'),
      },
      trigger,
      isOpen: !isTerminating(service),
    }
  }
}

const isOwnedBy = ({ metadata }: EndpointSlice, uid: string | undefined): boolean =>
  (metadata.ownerReferences ?? []).some((one) => one.controller === true && one.uid === uid)

function parted<T>(all: readonly T[], test: (one: T) => boolean): [T[], T[]] {
  return [all.filter(test), all.filter((one) => !test(one))]
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
