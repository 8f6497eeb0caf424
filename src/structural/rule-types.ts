import {
  bytes,
  DATE,
  type DeclaredType,
  type FieldType,
  INT_OR_TEXT,
  list,
  type ListMerge,
  map,
  type ObjectType,
  scalar,
  SPAN,
  text,
  TIME,
} from '../cel/declared-type.ts'
import type { SchemaProps } from './json-schema-props.ts'
import { additionalOf, itemsOf, propertyOf } from './walk-schema.ts'

/** Types of the values of a schema and of all nested ones, for rules. */
export type RuleTypes = ReadonlyMap<SchemaProps, DeclaredType>

/** Types for the schema of a whole custom resource. */
export function ruleTypes(schema: SchemaProps): RuleTypes {
  const types = new Map<SchemaProps, DeclaredType>()
  typeOf(schema, true, types)
  return types
}

/** The type of the values of a structural schema; null where rules have no access. */
function typeOf(
  schema: SchemaProps,
  root: boolean,
  types: Map<SchemaProps, DeclaredType>,
): DeclaredType | null {
  const type = freshType(schema, root, types)
  if (type) types.set(schema, type)
  return type
}

function freshType(
  schema: SchemaProps,
  root: boolean,
  types: Map<SchemaProps, DeclaredType>,
): DeclaredType | null {
  if (schema['x-{brand}-int-or-string']) return INT_OR_TEXT
  switch (schema.type) {
    case 'boolean':
      return scalar('bool')
    case 'integer':
      return scalar('int')
    case 'number':
      return scalar('double')
    case 'string':
      return textOf(schema)
    case 'array': {
      const items = itemsOf(schema)
      const of = items && typeOf(items, false, types)
      return of ? list(of, schema.maxItems, mergeOf(schema)) : null
    }
    case 'object': {
      const additional = additionalOf(schema)
      if (!additional) {
        return objectOf(schema, root || schema['x-{brand}-embedded-resource'] === true, types)
      }
      const of = typeOf(additional, false, types)
      return of ? map(of, schema.maxProperties) : null
    }
    default:
      return null
  }
}

function textOf({ format, maxLength }: SchemaProps): DeclaredType {
  switch (format) {
    case 'byte':
      return bytes(maxLength)
    case 'duration':
      return SPAN
    case 'date':
      return DATE
    case 'date-time':
      return TIME
    default:
      return text(maxLength)
  }
}

function mergeOf(schema: SchemaProps): ListMerge {
  switch (schema['x-{brand}-list-type']) {
    case 'set':
      return { by: 'value' }
    case 'map':
      return { by: 'keys', keys: schema['x-{brand}-list-map-keys'] ?? [] }
    default:
      return { by: 'place' }
  }
}

const TEXT: DeclaredType = text()

const NAMES: ObjectType = {
  is: 'object',
  fields: new Map([
    ['name', { type: TEXT, takesSpace: false }],
    ['generateName', { type: TEXT, takesSpace: false }],
  ]),
}

function objectOf(
  schema: SchemaProps,
  whole: boolean,
  types: Map<SchemaProps, DeclaredType>,
): ObjectType {
  const fields = new Map<string, FieldType>()
  const takesSpace = (name: string, property?: SchemaProps) =>
    schema.required?.includes(name) === true && property?.default === undefined
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const type = typeOf(property, false, types)
    if (type) fields.set(name, { type, takesSpace: takesSpace(name, property) })
  }
  if (whole && !declaresNames(schema)) {
    // They count as the others do, although every object has them.
    for (const name of ['apiVersion', 'kind', 'metadata'])
      fields.set(name, {
        type: name === 'metadata' ? NAMES : TEXT,
        takesSpace: takesSpace(name),
      })
  }
  return { is: 'object', fields }
}

/** Whether a schema declares all that rules see of each whole object; then it is what they see. */
function declaresNames(schema: SchemaProps): boolean {
  const metadata = propertyOf(schema, 'metadata')
  return (
    metadata?.type === 'object' &&
    ['apiVersion', 'kind'].every((name) => propertyOf(schema, name)?.type === 'string') &&
    ['name', 'generateName'].every((name) => propertyOf(metadata, name)?.type === 'string')
  )
}
