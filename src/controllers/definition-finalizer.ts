import {
  hasCondition,
  INSTANCE_CLEANUP,
  setCondition,
  type CustomResourceDefinition,
} from '../kinds/apiextensions/custom-resource-definition.ts'
import { StatusError } from '../schema/errors.ts'
import { workQueue, type Controller } from './controller.ts'
import { following } from './following.ts'
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

    /** Writes the status with a condition, and the object without the duty when there is none left. */
    const write = async (
      definition: CustomResourceDefinition,
      condition: { status: 'True' | 'False'; reason: string; message: string },
      isDone = false,
    ): Promise<CustomResourceDefinition> => {
      const next = structuredClone(definition)
      setCondition(next, { type: 'Terminating', ...condition }, api.clock.now())
      if (isDone) next.metadata.finalizers = next.metadata.finalizers!.filter((f) => f !== duty)
      return writer.update(
        { served: served!, namespace: '', name: next.metadata.name!, subresource: 'status' },
        served!.codec.plain(next as never),
      )
    }
    const queue = workQueue(world, NAME, {
      workers: WORKERS,
      async work(key) {
        let definition = await source.get<CustomResourceDefinition>(name, '', key)
        if (!served || !definition || !isDue(definition, duty)) return
        try {
          definition = await write(definition, {
            status: 'True',
            reason: 'InstanceDeletionInProgress',
            message: 'CustomResource deletion is in progress',
          })
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
    let isLoaded = false
    const end = await source.follow<CustomResourceDefinition>(name, {
      set(definition) {
        if (!isDue(definition, duty)) return
        // What this controller itself writes on the way is no news to it.
        const isNews = !isLoaded || !ON_THE_WAY.has(reasonOf(definition))
        if (isNews) queue.add(definition.metadata.name ?? '')
      },
      removed() {},
    })
    isLoaded = true
    return following(queue, writer, [end])
  },
})

const ON_THE_WAY: ReadonlySet<string> = new Set([
  'InstanceDeletionInProgress',
  'InstanceDeletionFailed',
])

const reasonOf = ({ status }: CustomResourceDefinition): string =>
  status.conditions?.find(({ type }) => type === 'Terminating')?.reason ?? ''

const isDue = ({ metadata }: CustomResourceDefinition, duty: string): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(duty) === true
