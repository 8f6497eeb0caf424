import { whenKnown, type NowOrLater } from '../admission/now-or-later.ts'
import { badRequest } from '../meta/errors.ts'
import { type WriteDependencies, type Call } from './context.ts'
import { Scale } from '../kinds/autoscaling/scale.ts'
import { scaleKind, updateScale } from './scale.ts'
import { toStored } from './conversion.ts'
import { isLikeable, sharing } from './hot-objects.ts'
import { writeOptions } from './options.ts'
import { readObject } from './read-body.ts'
import type { Result } from './results.ts'
import { unlessUnchanged } from './unchanged-writes.ts'
import { updateObject } from './update-object.ts'
import type { Present } from './update-source.ts'
import { takeNamespace } from './write.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { ScaleSubresource } from '../catalogue/resource.ts'

/** PUT on an object or a status-like sub-resource. Throws 4xx. */
export const update = (api: WriteDependencies, call: Call): Promise<Result> =>
  unlessUnchanged(api, call, updateOnce)

async function updateOnce(api: WriteDependencies, call: Call): Promise<Result> {
  const options = writeOptions(call.query, api.v, 'UpdateOptions')
  const c = call.context()
  // Each attempt decodes the body again: hooks change the object that they get.
  const read = () =>
    readObject(call, options, c).then((body) => {
      checkName(call, body)
      takeNamespace(call, body)
      return toStored(call.served, body, c, call.subresource)
    })
  const sent = await read()
  let unused = true
  const next = (present?: Present): NowOrLater<Typed> => {
    const object = unused ? sent : read()
    unused = false
    const hot = present?.hot
    if (!hot || !isLikeable(call.served)) return object
    return whenKnown(object, (one) => sharing(one, hot))
  }
  const { createOnUpdate } = call.served.strategy
  const fresh = createOnUpdate === true ? () => next() : null
  return updateObject(api, call, { next, fresh, uid: sent.metadata.uid }, options)
}

/** PUT on `scale`. Throws 4xx. */
export async function putScale(
  api: WriteDependencies,
  call: Call,
  scale: ScaleSubresource<Typed>,
): Promise<Result> {
  const options = writeOptions(call.query, api.v, 'UpdateOptions')
  const own = { ...call, served: scaleKind(api) }
  const sent = (await readObject(own, options, call.context())) as Scale
  checkName(call, sent)
  takeNamespace(call, sent)
  const { uid, resourceVersion } = sent.metadata
  return updateScale(
    api,
    { ...call, versionless: resourceVersion === undefined },
    { scale, next: () => structuredClone(sent), uid },
    options,
  )
}

/** The name in a body must be that of the URL. Throws 400. */
export function checkName(call: Call, object: Typed): void {
  const { name } = object.metadata
  if (name === undefined) {
    throw badRequest(
      `the name of the object (${call.name} based on URL) was undeterminable: name must be provided`,
    )
  }
  if (name !== call.name) {
    throw badRequest(
      `the name of the object (${name}) does not match the name on the URL (${call.name})`,
    )
  }
}
