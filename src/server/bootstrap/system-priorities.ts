import { keyOf, type Api, type WriteDependencies } from '../../registry/context.ts'
import type { NewObject } from '../../registry/internal-writer.ts'
import { commitAll } from '../../registry/object-changes.ts'
import { ensureObject, type DesiredObject } from './ensure-object.ts'
import { SYSTEM_CLASSES } from '../../kinds/scheduling/priority-class.ts'
import type { Preparation } from './prepared-objects.ts'

/** Creates the missing priority classes that system pods refer to, of prepared forms where there are. */
export async function ensureSystemPriorities(
  api: Api,
  prepared: Preparation = () => null,
): Promise<void> {
  const served = servedClasses(api)
  if (!served) return
  const table = await api.cache.resourceCache(served.storage)
  const missing = systemPriorities(api).filter(
    ({ object }) => !table.get(keyOf(served, '', object.metadata.name)),
  )
  if (missing.length === SYSTEM_CLASSES.size) {
    const changes = prepared()?.creations(api, served)
    if (changes && (await commitAll(api.cache, changes))) return
  }
  await Promise.all(missing.map((one) => ensureObject(api, served, one)))
}

const servedClasses = ({ catalogue, v }: Pick<WriteDependencies, 'catalogue' | 'v'>) =>
  catalogue.find(v.resolve('scheduling{api}'), 'v1', 'priorityclasses')

/** The priority classes of the system; none when they are not served. */
export function systemPriorities(
  api: Pick<WriteDependencies, 'catalogue' | 'v'>,
): (NewObject & DesiredObject)[] {
  const served = servedClasses(api)
  if (!served) return []
  return [...SYSTEM_CLASSES].map(([name, { value, description }]) => ({
    served,
    namespace: '',
    object: { metadata: { name }, value, description },
  }))
}
