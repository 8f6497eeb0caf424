import type { Entry } from '../client/entry.ts'
import { ENDING } from '../client/member-names.ts'
import { isNotFound } from '../client/resource-client.ts'
import {
  hasCondition,
  INSTANCE_CLEANUP,
  withCondition,
  type CustomResourceDefinition,
} from '../kinds/apiextensions/custom-resource-definition.ts'
import type { ObjectMeta } from '../meta/object-meta.ts'
import { definitions } from './addresses.ts'
import { workQueue, type Controller } from './controller.ts'
import { asleep, following, handled } from './following.ts'

const NAME = 'customresourcedefinition-finalizer'
const WORKERS = 5

/**
 * Removes the objects of a kind; resolves when none is left, and throws with the reason when that is unknown.
 * `overlaps`: they are those of another kind, and stay.
 */
export type RemoveInstances = (
  definition: CustomResourceDefinition,
  signal: AbortSignal,
) => Promise<'overlaps' | void>

/** Finalizes a definition after all objects of its kind are deleted. */
export const definitionFinalizer = (removeInstances: RemoveInstances): Controller => ({
  name: NAME,
  async start(context) {
    const { informers, resources, signal, clock, v } = context
    const address = definitions(v)
    if (!(await resources.serves(address))) return asleep
    const duty = v.resolve(INSTANCE_CLEANUP)
    const client = context.clientFor(NAME)
    const informer = informers.of<CustomResourceDefinition>(address)

    /** Names whose status is being written here: their notifications are ignored. */
    const writing = new Set<string>()
    const read = (key: string) => informer.lister.get('', key)
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
            clock.now(),
          ),
        },
      }
      writing.add(key)
      try {
        // The response is not needed.
        await client
          .resource(address)
          .metadata()
          .sub('status')
          .patch(key, change, { type: 'merge' })
      } finally {
        writing.delete(key)
      }
    }
    const queue = workQueue(context, NAME, {
      workers: WORKERS,
      async work(key) {
        let definition = read(key)
        if (!definition || !isDue(definition.metadata, duty)) return
        try {
          await write(definition, {
            status: 'True',
            reason: 'InstanceDeletionInProgress',
            message: 'CustomResource deletion is in progress',
          })
          definition = read(key)
          if (!definition) return
          if (!hasCondition(definition, 'Established')) {
            const message = 'resource was never established'
            await write(definition, { status: 'False', reason: 'NeverEstablished', message }, true)
            return
          }
          let overlaps: boolean
          try {
            overlaps = (await removeInstances(definition, signal)) === 'overlaps'
          } catch (error) {
            await write(definition, { status: 'True', ...failureOf(error) })
            throw error
          }
          await write(definition, { status: 'False', ...(overlaps ? OVERLAPPING : REMOVED) }, true)
        } catch (error) {
          if (!isNotFound(error)) throw error
        }
      },
    })
    const changed = (entry: Entry<CustomResourceDefinition>) => {
      if (writing.has(entry.name) || !entry.mayHave(ENDING)) return
      if (isDue(entry.object.metadata, duty)) queue.add(entry.name)
    }
    return following(queue, client, [
      await handled(informer, { add: changed, update: changed }, signal),
    ])
  },
})

/** All objects were asked to go, and some are still there. */
export class InstancesRemain extends Error {}

function failureOf(error: unknown) {
  const why = error instanceof Error ? error.message : String(error)
  return error instanceof InstancesRemain
    ? {
        reason: 'InstanceDeletionCheck',
        message: `could not confirm zero CustomResources remaining: ${why}`,
      }
    : { reason: 'InstanceDeletionFailed', message: `could not delete all objects: ${why}` }
}

const REMOVED = { reason: 'InstanceDeletionCompleted', message: 'removed all instances' }
const OVERLAPPING = {
  reason: 'OverlappingBuiltInResource',
  message: 'instances overlap with built-in resources in storage',
}

const isDue = (metadata: ObjectMeta, duty: string): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(duty) === true
