import type { SchemaProps } from './json-schema-props.ts'

/** Schema of the items, when there is one for all. */
export const itemsOf = ({ items }: SchemaProps): SchemaProps | undefined =>
  Array.isArray(items) ? undefined : items

/** Schema of all further properties, when there is one. */
export const additionalOf = ({
  additionalProperties: more,
}: SchemaProps): SchemaProps | undefined => (typeof more === 'object' ? more : undefined)

/** Schema of a property, when it has one. */
export const propertyOf = ({ properties }: SchemaProps, name: string): SchemaProps | undefined =>
  properties && Object.hasOwn(properties, name) ? properties[name] : undefined

/** The places where schemas may stand further in, each as steps of a path. */
export function* partsOf(schema: SchemaProps): Generator<[steps: Step[], part: SchemaProps]> {
  const additional = additionalOf(schema)
  if (additional) yield [['additionalProperties'], additional]
  for (const name of ['properties', 'patternProperties', 'definitions'] as const) {
    for (const [key, part] of Object.entries(schema[name] ?? {})) yield [[name, { key }], part]
  }
  if (schema.not) yield [['not'], schema.not]
  for (const name of ['allOf', 'oneOf', 'anyOf'] as const) {
    for (const [i, part] of (schema[name] ?? []).entries()) yield [[name, i], part]
  }
  const { items } = schema
  if (Array.isArray(items)) for (const [i, part] of items.entries()) yield [['items', i], part]
  else if (items) yield [['items'], items]
  for (const [key, part] of Object.entries(schema.dependencies ?? {})) {
    if (!Array.isArray(part)) yield [['dependencies', { key }], part]
  }
}

/** A step into a schema: a field, an index, or a key of a map. */
export type Step = string | number | { readonly key: string }

/** The schema and all inside. */
export function* everySchema(schema: SchemaProps): Generator<SchemaProps> {
  const open = [schema]
  for (let one = open.pop(); one; one = open.pop()) {
    yield one
    for (const [, part] of partsOf(one)) open.push(part)
  }
}

/** Whether something holds for the schema or one inside. */
export function someSchema(schema: SchemaProps, holds: (one: SchemaProps) => boolean): boolean {
  const open = [schema]
  for (let one = open.pop(); one; one = open.pop()) {
    if (holds(one)) return true
    for (const [, part] of partsOf(one)) open.push(part)
  }
  return false
}
