import { forbidden, type StatusError } from '../meta/errors.ts'
import type { Attributes } from './attributes.ts'

/** The refusal of a request by a plugin: 403 with the requested resource and name. */
export const refusalOf = (attributes: Attributes, why: string): StatusError =>
  forbidden(attributes.requestResource, nameOf(attributes), why)

/** The name in refusals: of the request, of the object, its `generateName`, or `Unknown`. */
function nameOf({ name, object }: Attributes): string {
  if (name !== '') return name
  const { metadata } = object?.live ?? {}
  return metadata?.name ?? metadata?.generateName ?? 'Unknown'
}
