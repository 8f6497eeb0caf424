import { methodNotAllowed } from '../meta/errors.ts'
import { type WriteDependencies, type Call } from './context.ts'
import { toStored } from './conversion.ts'
import { writeOptions } from './options.ts'
import { readObject } from './read-body.ts'
import type { Result } from './results.ts'
import { createObject } from './create-object.ts'

/** POST on a collection. Throws 4xx. */
export async function create(api: WriteDependencies, call: Call): Promise<Result> {
  if (call.subresource !== '') throw methodNotAllowed()
  const options = writeOptions(call.query, api.v, 'CreateOptions')
  const c = call.context()
  const object = await readObject(call, options, c)
  const stored = toStored(call.served, object, c)
  return createObject(api, call, stored instanceof Promise ? await stored : stored, options)
}
