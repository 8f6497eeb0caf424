/** Removes the objects of a kind that is to go. */
import { placeOf, type Api } from '../registry/context.ts'
import { InternalWriter } from '../registry/internal-writer.ts'
import { pause } from '../client/retry.ts'
import { InstancesRemain, type RemoveInstances } from '../controllers/definition-finalizer.ts'
import { definitionOwner } from '../extend/definitions.ts'
import type { ResourceEntry } from '../catalogue/entry.ts'
import { StatusError } from '../meta/errors.ts'

/** Maximum wait for objects with finalizers, and polling interval, milliseconds. */
const WAIT_MS = 60_000
const LOOK_MS = 5_000
/** Maximum number of concurrent deletes. */
const AT_ONCE = 50

/** Removes the objects of a definition from the store, also in versions that are not served. */
export function instanceRemoval(api: Api): RemoveInstances {
  // They go with their definition, whose deletion is a request.
  const writer = new InternalWriter(api, { isPart: true })
  return async ({ metadata: { name = '' }, spec }, signal) => {
    const entry = api.catalogue.now.entry(spec.group, spec.names.plural)
    if (!entry) return
    // Objects of another owner under the same keys do not belong to the definition.
    if (entry.owner !== definitionOwner(name)) return 'overlaps'
    const [stored] = entry.versions
    for (let waited = 0; ; waited += LOOK_MS) {
      await deleteAll(api, writer, stored)
      if ((await keysOf(api, stored)).length === 0) return
      if (waited >= WAIT_MS) throw new InstancesRemain('timed out waiting for the condition')
      await pause(api.clock, LOOK_MS, signal)
    }
  }
}

async function deleteAll(api: Api, writer: InternalWriter, served: ResourceEntry): Promise<void> {
  const keys = await keysOf(api, served)
  for (let i = 0; i < keys.length; i += AT_ONCE)
    await Promise.all(
      keys.slice(i, i + AT_ONCE).map(async (key) => {
        try {
          await writer.delete({ served, ...placeOf(served, key) })
        } catch (error) {
          if (!(error instanceof StatusError && error.code === 404)) throw error
        }
      }),
    )
}

async function keysOf(api: Api, served: ResourceEntry): Promise<readonly string[]> {
  await api.cache.fresh()
  const { items } = await api.cache.list(served, served.keyPrefix)
  return Array.from(items, ({ key }) => key)
}
