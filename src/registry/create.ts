import { methodNotAllowed } from '../meta/errors.ts'
import { whenKnown } from '../admission/now-or-later.ts'
import { type WriteDependencies, type Call } from './context.ts'
import { toStored } from './conversion.ts'
import { writeOptions } from './options.ts'
import { readObject } from './read-body.ts'
import type { Result } from './results.ts'
import { createObject } from './create-object.ts'

/** POST on a collection. Throws and rejects with 4xx. */
export function create(api: WriteDependencies, call: Call): Promise<Result> {
  if (call.subresource !== '') throw methodNotAllowed()
  const options = writeOptions(call.query, api.v, 'CreateOptions')
  return readObject(call, options, call.context()).then((object) => {
    const stored = toStored(call.served, object, call.context())
    return whenKnown(stored, (one) => createObject(api, call, one, options))
  })
}
