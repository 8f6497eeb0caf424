/** Rules of whole objects inside of others. */
import { codecOf, DecodeError, Decoding } from '../codec/codec.ts'
import { checkMetadata } from '../meta/check-metadata.ts'
import { debugJson } from '../meta/debug-text.ts'
import type { FieldErrors } from '../meta/field-errors.ts'
import { isDns1035Label, isPathSegmentName } from '../meta/names.ts'
import { ObjectMeta } from '../meta/object-meta.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { Json, SchemaProps } from './json-schema-props.ts'
import { additionalOf, itemsOf, propertyOf } from './walk-schema.ts'

/** Whether the values of a schema are whole objects. */
export const isEmbedded = (schema: SchemaProps): boolean =>
  schema['x-{brand}-embedded-resource'] === true

const isMap = (value: Json): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Rules of metadata, of which the name may be left out. */
export function validateMetadata(value: Json, v: Vocabulary, errors: FieldErrors): void {
  try {
    const read = codecOf(ObjectMeta.shape).decode(value, new Decoding())
    const metadata = read as unknown as ObjectMeta
    // The name may be left out here.
    const named = { ...metadata, name: metadata.name || 'name' }
    const namespaced = metadata.namespace !== undefined
    checkMetadata(named, errors, {
      namespaced,
      nameRule: isPathSegmentName,
      takesPlainFinalizers: true,
      v,
    })
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    errors.invalid(debugJson(value), error.message)
  }
}

/** Rules of the objects inside a value, and of the value itself when it is `whole`. */
export function validateEmbedded(
  value: Json,
  schema: SchemaProps,
  whole: boolean,
  v: Vocabulary,
  errors: FieldErrors,
): void {
  if (Array.isArray(value)) {
    const items = itemsOf(schema)
    if (!items) return
    for (const [i, item] of value.entries()) {
      validateEmbedded(item, items, isEmbedded(items), v, errors.at(i))
    }
    return
  }
  if (!isMap(value)) return
  if (whole) validateObject(value, v, errors)
  const additional = additionalOf(schema)
  for (const [name, inside] of Object.entries(value)) {
    const property = propertyOf(schema, name)
    const part = property ?? additional
    const at = property ? errors.at(name) : errors.key(name)
    if (part) validateEmbedded(inside, part, isEmbedded(part), v, at)
  }
}

function validateObject(object: Record<string, Json>, v: Vocabulary, errors: FieldErrors): void {
  for (const name of ['apiVersion', 'kind']) {
    if (!Object.hasOwn(object, name)) errors.at(name).required('must not be empty')
  }
  for (const name of ['apiVersion', 'kind'] as const) {
    if (!Object.hasOwn(object, name)) continue
    const text = object[name]
    const at = errors.at(name)
    if (typeof text !== 'string') at.invalid(debugJson(text), 'must be a string')
    else if (text === '') at.invalid(text, 'must not be empty')
    else if (name === 'kind') {
      const wrong = isDns1035Label(text.toLowerCase())
      const what = 'may have mixed case, but should otherwise match'
      if (wrong.length > 0) at.invalid(text, `${what}: ${wrong.join(',')}`)
    } else if (text.split('/').length > 2) {
      at.invalid(text, `unexpected GroupVersion string: ${text}`)
    }
  }
  if (Object.hasOwn(object, 'metadata')) {
    validateMetadata(object['metadata'], v, errors.at('metadata'))
  }
}
