/** Keeps the FlowSchemas and priority levels that every server has. Imported on demand. */
import { StatusError } from '../../meta/errors.ts'
import type { Typed } from '../../meta/object-meta.ts'
import type { ResourceEntry } from '../../catalogue/catalogue.ts'
import { Decoding, type JsonObject } from '../../codec/codec.ts'
import {
  bootstrapObjects,
  type BootstrapObject,
  type FlowResource,
} from '../../flowcontrol/bootstrap-objects.ts'
import {
  AUTO_UPDATE,
  isLeftOver,
  upkeepOf,
  type StoredFlowObject,
  type Upkeep,
} from '../../flowcontrol/upkeep.ts'
import type { Api } from '../../registry/context.ts'
import { InternalWriter } from '../../registry/internal-writer.ts'
import { FLOW_GROUP, type FlowConfiguration } from '../flow-configuration.ts'

const MANAGER = 'api-priority-and-fairness-config-producer-v1'
const RESOURCES = ['flowschemas', 'prioritylevelconfigurations'] as const

/** Creates, repairs and removes objects of the bootstrap set; writes nothing when all are as they should be. */
export class FlowObjects {
  readonly #api: Api
  readonly #present: FlowConfiguration
  readonly #writer: InternalWriter
  readonly #set: readonly BootstrapObject[]
  readonly #annotation: string

  constructor(api: Api, present: FlowConfiguration) {
    this.#api = api
    this.#present = present
    this.#writer = new InternalWriter(api, { manager: MANAGER })
    this.#annotation = api.v.resolve(AUTO_UPDATE)
    this.#set = bootstrapObjects(api.v)
  }

  /** One attempt at everything; throws an AggregateError after it. A server that serves no such objects has none. */
  async keep(): Promise<void> {
    const served = this.#served()
    if (!served) return
    if (RESOURCES.every((resource) => this.#present[resource].size === 0)) {
      const objects = this.#set.map((one) => ({
        served: served[one.resource],
        namespace: '',
        object: this.#objectOf(one),
      }))
      if (await this.#writer.createAll(objects)) return
    }
    const errors = [
      ...(await this.#all(served, (object) => !object.isMandatory)),
      ...(await this.#all(served, (object) => object.isMandatory)),
      ...(await this.#removeLeftOvers(served)),
    ]
    if (errors.length > 0)
      throw new AggregateError(errors, `${errors.length} refused: ${errors[0]}`)
  }

  async #all(
    served: Record<FlowResource, ResourceEntry>,
    isChosen: (object: BootstrapObject) => boolean,
  ): Promise<unknown[]> {
    const work = this.#set
      .filter(isChosen)
      .map((object) => this.#keepOne(served[object.resource], object))
    return failures(await Promise.allSettled(work))
  }

  async #keepOne(served: ResourceEntry, object: BootstrapObject): Promise<void> {
    const stored = this.#present[object.resource].get(object.name) ?? null
    const upkeep = upkeepOf(object, stored, this.#annotation)
    if (upkeep.is === 'none') return
    if (upkeep.is === 'create') {
      await unless('AlreadyExists', () =>
        this.#writer.create({ served, namespace: '', object: this.#objectOf(object) }),
      )
      return
    }
    await unless('NotFound', () =>
      this.#writer.change<Typed & StoredFlowObject>(
        { served, namespace: '', name: object.name },
        (found) => {
          const now = upkeepOf(object, found, this.#annotation)
          return now.is === 'update' ? this.#repaired(served, found, now) : found
        },
      ),
    )
  }

  #repaired(
    served: ResourceEntry,
    found: Typed & StoredFlowObject,
    { annotation, spec }: Extract<Upkeep, { is: 'update' }>,
  ): Typed & StoredFlowObject {
    const { metadata } = found
    const annotations = { ...metadata.annotations, [this.#annotation]: annotation }
    const kept = { ...found, metadata: { ...metadata, annotations } }
    if (!spec) return kept
    const { kind, groupVersion: apiVersion } = served
    const decoded = served.codec.decode(
      { kind, apiVersion, spec: spec as JsonObject },
      new Decoding(),
    ) as unknown as StoredFlowObject
    return { ...kept, spec: decoded.spec }
  }

  async #removeLeftOvers(served: Record<FlowResource, ResourceEntry>): Promise<unknown[]> {
    const work = RESOURCES.flatMap((resource) =>
      [...this.#present[resource].values()]
        .filter((object) => isLeftOver(object, this.#annotation))
        .filter(({ metadata: { name } }) => !this.#isOfSet(resource, name ?? ''))
        .map(({ metadata: { name = '', uid = '' } }) =>
          unless('NotFound', () =>
            this.#writer.delete(
              { served: served[resource], namespace: '', name },
              { preconditions: { uid } },
            ),
          ),
        ),
    )
    return failures(await Promise.allSettled(work))
  }

  #isOfSet(resource: FlowResource, name: string): boolean {
    return this.#set.some((one) => one.resource === resource && one.name === name)
  }

  #objectOf({ name, spec }: BootstrapObject): object {
    return { metadata: { name, annotations: { [this.#annotation]: 'true' } }, spec }
  }

  #served(): Record<FlowResource, ResourceEntry> | null {
    const { catalogue, v } = this.#api
    const group = v.resolve(FLOW_GROUP)
    const [flowschemas, prioritylevelconfigurations] = RESOURCES.map(
      (resource) => catalogue.entry(group, resource)?.versions[0],
    )
    return flowschemas && prioritylevelconfigurations
      ? { flowschemas, prioritylevelconfigurations }
      : null
  }
}

const failures = (results: readonly PromiseSettledResult<unknown>[]): unknown[] =>
  results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))

/** Another server may have been faster, which is as good. */
async function unless(reason: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof StatusError) || (error.reason !== reason && error.reason !== 'Conflict'))
      throw error
  }
}
