import {
  hasCondition,
  INSTANCE_CLEANUP,
  withCondition,
  type CustomResourceDefinition,
} from '../kinds/apiextensions/custom-resource-definition.ts'
import type { JsonObject } from '../schema/codec.ts'
import { StatusError } from '../schema/errors.ts'
import { parseJson } from '../schema/json-text.ts'
import type { ObjectMeta } from '../schema/object-meta.ts'
import { workQueue, type Controller } from './controller.ts'
import { followPlaces } from './follow-places.ts'
import { asleep, following } from './following.ts'
import { Writer } from './writer.ts'

const NAME = 'customresourcedefinition-finalizer'
const WORKERS = 5

/** Removes the objects of a kind; resolves when none is left, and throws with the reason when that cannot be told. */
export type RemoveInstances = (definition: CustomResourceDefinition) => Promise<void>

/** Lets a definition go when the objects of its kind are gone. */
export const definitionFinalizer = (removeInstances: RemoveInstances): Controller => ({
  name: NAME,
  async start(world) {
    const { api, source } = world
    const name = {
      group: api.v.spell('apiextensions{api}'),
      resource: 'customresourcedefinitions',
    }
    const duty = api.v.spell(INSTANCE_CLEANUP)
    const served = api.catalogue.find(name.group, 'v1', name.resource)
    const writer = new Writer(api, NAME, '{system}-apiserver')

    /** Names whose status is being written here, which is no news. */
    const writing = new Set<string>()
    const read = (key: string) => source.get<CustomResourceDefinition>(name, '', key)
    /** Writes the status with a condition, and the object without the duty when there is none left. */
    const write = async (
      { metadata, status }: CustomResourceDefinition,
      condition: { status: 'True' | 'False'; reason: string; message: string },
      isDone = false,
    ): Promise<void> => {
      const { name: key = '', resourceVersion = '', finalizers = [] } = metadata
      const change = {
        metadata: {
          resourceVersion,
          ...(isDone ? { finalizers: finalizers.filter((f) => f !== duty) } : {}),
        },
        status: {
          conditions: withCondition(
            status.conditions,
            { type: 'Terminating', ...condition },
            api.clock.now(),
          ),
        },
      }
      writing.add(key)
      try {
        await writer.merge(
          { served: served!, namespace: '', name: key, subresource: 'status' },
          change as unknown as JsonObject,
        )
      } finally {
        writing.delete(key)
      }
    }
    const queue = workQueue(world, NAME, {
      workers: WORKERS,
      async work(key) {
        let definition = await read(key)
        if (!served || !definition || !isDue(definition.metadata, duty)) return
        try {
          await write(definition, {
            status: 'True',
            reason: 'InstanceDeletionInProgress',
            message: 'CustomResource deletion is in progress',
          })
          definition = await read(key)
          if (!definition) return
          if (!hasCondition(definition, 'Established')) {
            const message = 'resource was never established'
            await write(definition, { status: 'False', reason: 'NeverEstablished', message }, true)
            return
          }
          try {
            await removeInstances(definition)
          } catch (error) {
            const why = error instanceof Error ? error.message : String(error)
            const message = `could not delete all objects: ${why}`
            await write(definition, { status: 'True', reason: 'InstanceDeletionFailed', message })
            throw error
          }
          const message = 'removed all instances'
          const reason = 'InstanceDeletionCompleted'
          await write(definition, { status: 'False', reason, message }, true)
        } catch (error) {
          if (!(error instanceof StatusError) || error.code !== 404) throw error
        }
      },
    })
    if (!served) return asleep
    const end = await followPlaces(api, served, {
      set({ name: key }, version) {
        if (writing.has(key)) return
        if (isDue(parseJson(version.metadata()) as ObjectMeta, duty)) queue.add(key)
      },
    })
    return following(queue, writer, [end])
  },
})

const isDue = (metadata: ObjectMeta, duty: string): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(duty) === true
