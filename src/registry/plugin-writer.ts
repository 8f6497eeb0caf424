import type { ObjectWriter } from '../admission/object-writer.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import { noSuchResource } from '../meta/errors.ts'
import type { ResourceName } from '../meta/resource-name.ts'
import type { WriteDependencies } from './context.ts'
import { InternalWriter } from './internal-writer.ts'

/** Writes of admission plugins: under the server's own user name, in the storage version of the kind. */
export function pluginWriter(api: () => WriteDependencies): ObjectWriter {
  const storedForm = ({ group, resource }: ResourceName): ResourceEntry => {
    const storage = api().catalogue.entry(group, resource)?.versions[0]
    if (!storage) throw noSuchResource()
    return storage
  }
  return {
    create: async (resource, namespace, object) =>
      new InternalWriter(api()).create({ served: storedForm(resource), namespace, object }),
    change: async (resource, place, change) =>
      new InternalWriter(api()).change({ served: storedForm(resource), ...place }, change),
  }
}
