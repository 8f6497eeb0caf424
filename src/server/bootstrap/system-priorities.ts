import type { Api } from '../../registry/context.ts'
import { ensureObject } from './ensure-object.ts'
import { SYSTEM_CLASSES } from '../../kinds/scheduling/priority-class.ts'

/** Creates the missing priority classes that system pods refer to. */
export async function ensureSystemPriorities(api: Api): Promise<void> {
  const served = api.catalogue.find(api.v.resolve('scheduling{api}'), 'v1', 'priorityclasses')
  if (!served) return
  await Promise.all(
    [...SYSTEM_CLASSES].map(([name, { value, description }]) =>
      ensureObject(api, served, {
        namespace: '',
        object: { metadata: { name }, value, description },
      }),
    ),
  )
}
