import { methodNotAllowed } from '../meta/errors.ts'
import { whenKnown, type NowOrLater } from '../admission/now-or-later.ts'
import { type Body, type WriteDependencies, type Call } from './context.ts'
import { toStored } from './conversion.ts'
import { writeOptions, type WriteOptions } from './options.ts'
import { asJson } from './json-body.ts'
import { objectIn } from './read-body.ts'
import type { Result } from './results.ts'
import { createObject, type CreateOptions } from './create-object.ts'
import type { CreateModel } from './create-model.ts'

/** POST on a collection. Throws and rejects with 4xx. */
export function create(api: WriteDependencies, call: Call): Promise<Result> {
  if (call.subresource !== '') throw methodNotAllowed()
  const options = writeOptions(call.query, api.v, 'CreateOptions')
  return call
    .body()
    .then((body) =>
      whenKnown(asJson(body, call.served, api.v), (one) => created(api, call, one, options)),
    )
}

/** Makes the object of a body, in full or like earlier ones, and takes it through the steps of every create. */
function created(
  api: WriteDependencies,
  call: Call,
  body: Body,
  options: WriteOptions,
): NowOrLater<Result> {
  const c = call.context()
  const { repeatedCreates } = api
  const repeated = repeatedCreates?.find(call, body)
  if (repeated) {
    const { object, model } = repeated
    return whenKnown(toStored(call.served, object, c), (one) =>
      createObject(api, call, one, withModel(options, model)),
    )
  }
  return whenKnown(objectIn(body, { call, options, c }), (object) => {
    repeatedCreates?.heard(call, body)
    return whenKnown(toStored(call.served, object, c), (one) =>
      createObject(api, call, one, options),
    )
  })
}

/** A spread with one more member costs as much as the search for the model. */
const withModel = (
  { dryRun, fieldManager, fieldValidation }: WriteOptions,
  model: CreateModel,
): CreateOptions => ({ dryRun, fieldManager, fieldValidation, model })
