import type { FieldErrors } from '../meta/field-errors.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { SchemaProps } from './json-schema-props.ts'

// Keywords that the schema of a whole object may have when its status is a sub-resource.
const AT_ROOT: readonly (keyof SchemaProps)[] = [
  'description',
  'type',
  'format',
  'title',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'required',
  'items',
  'properties',
  'externalDocs',
  'example',
  'x-{brand}-preserve-unknown-fields',
  'x-{brand}-validations',
]

/** Rules that hold only for the schema of a whole object, at `errors`. */
export function validateRoot(
  schema: SchemaProps,
  hasStatus: boolean,
  v: Vocabulary,
  errors: FieldErrors,
): void {
  if (hasStatus) validateBesideStatus(schema, v, errors)
  if (schema.nullable) errors.at('nullable').forbidden('nullable cannot be true at the root')
}

/** The first fault; the fields of a schema are in declared order. */
function validateBesideStatus(schema: SchemaProps, v: Vocabulary, errors: FieldErrors): void {
  for (const name of Object.keys(schema) as (keyof SchemaProps)[]) {
    if (name === 'type' && schema.type !== 'object') {
      const text = 'must be object if the status subresource is enabled'
      errors.at('type').invalid(schema.type, text)
      return
    }
    if (!AT_ROOT.includes(name)) {
      const allowed = AT_ROOT.map((field) => v.resolve(field)).join(' ')
      errors.invalid(
        v.resolve(name),
        `only [${allowed}] fields are allowed at the root of the schema if the status subresource is enabled`,
      )
      return
    }
  }
}
