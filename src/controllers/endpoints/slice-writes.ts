/** Writes planned slices. */
import type { Client } from '../../client/client.ts'
import { isNotFound } from '../../client/resource-client.ts'
import type { EndpointSlice } from '../../kinds/discovery/endpoint-slice.ts'
import { sameValue } from '../../meta/field-errors.ts'
import type { OwnerReference } from '../../meta/object-meta.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { endpointSlices } from '../addresses.ts'
import { isNamespaceEnding } from './namespace-ending.ts'
import type { PlannedSlice, SlicePlan } from './slice-plan.ts'
import type { ServiceSlices } from './service-slices.ts'

interface SliceWritesParts {
  readonly v: Vocabulary
  readonly client: Client
  readonly slices: ServiceSlices
}

/** What the slices of one object have in common. */
export interface SliceFrame {
  readonly namespace: string
  readonly owner: OwnerReference
  /** All of their labels. */
  readonly labels: Readonly<Record<string, string>>
  /** All of their annotations; without, those that slices have stay. */
  readonly annotations?: Readonly<Record<string, string>>
  /** When the change happened that they follow from. */
  readonly trigger: string | null
  /** Whether new slices may be created. */
  readonly isOpen: boolean
}

/** Brings slices into the planned state. */
export class SliceWrites {
  readonly #parts: SliceWritesParts
  readonly #trigger: string

  constructor(parts: SliceWritesParts) {
    this.#parts = parts
    this.#trigger = parts.v.resolve('endpoints.{label}/last-change-trigger-time')
  }

  /** Writes what differs; rejects with the first refusal, after which it can be planned anew. */
  async write(
    type: EndpointSlice['addressType'],
    { slices, deletes }: SlicePlan,
    frame: SliceFrame,
  ): Promise<void> {
    for (const planned of slices) {
      if (planned.slice) await this.#update(planned.slice, planned, frame)
      else if (frame.isOpen) await this.#create(type, planned, frame)
    }
    for (const slice of deletes) await this.remove(slice)
  }

  /** Deletes a slice; it is no failure if it is gone. */
  async remove(slice: EndpointSlice): Promise<void> {
    const { namespace = '', name = '', uid = '' } = slice.metadata
    this.#parts.slices.removed(slice)
    try {
      await this.#of(namespace).delete(name, { preconditions: { uid } })
    } catch (error) {
      this.#parts.slices.refused(slice)
      if (!isNotFound(error)) throw error
    }
  }

  async #create(
    addressType: EndpointSlice['addressType'],
    { ports, endpoints }: PlannedSlice,
    frame: SliceFrame,
  ): Promise<void> {
    const { namespace, owner, labels, annotations = {} } = frame
    const metadata = {
      generateName: `${owner.name}-`,
      namespace,
      labels: { ...labels },
      annotations: this.#withTrigger(annotations, frame),
      ownerReferences: [owner],
    }
    const slice = { metadata, addressType, endpoints: [...endpoints], ports: [...ports] }
    try {
      this.#parts.slices.wrote(await this.#of(namespace).create(slice))
    } catch (error) {
      if (!isNamespaceEnding(error)) throw error
    }
  }

  async #update(
    slice: EndpointSlice,
    { isChanged, ports, endpoints }: PlannedSlice,
    frame: SliceFrame,
  ): Promise<void> {
    const { labels = {}, annotations = {} } = slice.metadata
    const { annotations: wanted = annotations } = frame
    const isFramed =
      sameValue(labels, frame.labels) &&
      sameValue(this.#untimed(annotations), this.#untimed(wanted))
    const isFilled = !isChanged && sameValue(slice.endpoints, endpoints)
    if (isFramed && isFilled) return
    const next = {
      ...slice,
      metadata: {
        ...slice.metadata,
        labels: { ...frame.labels },
        annotations: this.#withTrigger(wanted, frame),
      },
      endpoints: [...endpoints],
      ports: [...ports],
    }
    try {
      this.#parts.slices.wrote(await this.#of(frame.namespace).update(next))
    } catch (error) {
      this.#parts.slices.refused(slice)
      throw error
    }
  }

  #withTrigger(
    annotations: Readonly<Record<string, string>>,
    { trigger }: SliceFrame,
  ): Record<string, string> {
    return {
      ...this.#untimed(annotations),
      ...(trigger === null ? {} : { [this.#trigger]: trigger }),
    }
  }

  #untimed(annotations: Readonly<Record<string, string>>): Record<string, string> {
    const { [this.#trigger]: _, ...others } = annotations
    return others
  }

  #of(namespace: string) {
    return this.#parts.client.resource<EndpointSlice>(endpointSlices(this.#parts.v)).in(namespace)
  }
}
