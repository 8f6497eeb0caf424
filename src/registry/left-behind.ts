/** Objects that were created while their kind was removed. */
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import { createWhileLeaving } from '../meta/errors.ts'
import type { WriteDependencies } from './context.ts'
import type { Result } from './results.ts'

/**
 * The result of a create, unless its kind is being removed: then nothing might look for the object any more, so it is
 * removed. A server that shares its store may learn of the end of a kind only together with its own commit, and nothing
 * that was decided before counts. Throws 405.
 */
export async function unlessLeft(
  api: WriteDependencies,
  served: ResourceEntry,
  { key, made }: { readonly key: string; readonly made: Result | null },
): Promise<Result> {
  if (made?.is !== 'object') throw new Error('an object of a kind with a schema allocates nothing')
  const entry = api.catalogue.now.entry(served.group, served.resource)
  if (entry && !entry.served.some(({ isLeaving }) => isLeaving)) return made
  // A writer that changed it meanwhile saw the same, and the removal of all objects may have seen it.
  await api.cache.commit([{ key, value: null, ifChangedAt: made.version.revision }])
  throw createWhileLeaving(served)
}
