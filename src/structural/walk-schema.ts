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

const NONE: Readonly<Record<string, never>> = {}
const NO_PARTS: readonly SchemaProps[] = []
const MAPS = ['properties', 'patternProperties', 'definitions'] as const
const ALTERNATIVES = ['allOf', 'oneOf', 'anyOf'] as const

/** Locations of nested schemas, each as steps of a path. */
export function* partsOf(schema: SchemaProps): Generator<[steps: Step[], part: SchemaProps]> {
  const additional = additionalOf(schema)
  if (additional) yield [['additionalProperties'], additional]
  for (const name of MAPS) {
    for (const [key, part] of Object.entries(schema[name] ?? NONE)) yield [[name, { key }], part]
  }
  if (schema.not) yield [['not'], schema.not]
  for (const name of ALTERNATIVES) {
    for (const [i, part] of (schema[name] ?? NO_PARTS).entries()) yield [[name, i], part]
  }
  const { items } = schema
  if (Array.isArray(items)) for (const [i, part] of items.entries()) yield [['items', i], part]
  else if (items) yield [['items'], items]
  for (const [key, part] of Object.entries(schema.dependencies ?? NONE)) {
    if (isSchema(part)) yield [['dependencies', { key }], part]
  }
}

/** Pushes the directly nested schemas of one onto a stack: those of `partsOf`, without the locations. */
function openParts(one: SchemaProps, open: SchemaProps[]): void {
  const additional = additionalOf(one)
  if (additional) open.push(additional)
  for (const name of MAPS) {
    const map = one[name]
    if (map !== undefined) for (const key of Object.keys(map)) open.push(map[key]!)
  }
  if (one.not) open.push(one.not)
  for (const name of ALTERNATIVES) for (const part of one[name] ?? []) open.push(part)
  const { items, dependencies } = one
  if (Array.isArray(items)) for (const part of items) open.push(part)
  else if (items) open.push(items)
  if (dependencies === undefined) return
  for (const part of Object.values(dependencies)) if (isSchema(part)) open.push(part)
}

/** Whether a dependency is a schema; else it is a list of names, or nothing. */
const isSchema = (part: SchemaProps | string[] | null): part is SchemaProps =>
  part !== null && !Array.isArray(part)

/** A step into a schema: a field, an index, or a key of a map. */
export type Step = string | number | { readonly key: string }

/** The schema and all inside. */
export function* everySchema(schema: SchemaProps): Generator<SchemaProps> {
  const open = [schema]
  for (let one = open.pop(); one; one = open.pop()) {
    yield one
    openParts(one, open)
  }
}

/** Whether something holds for the schema or one inside. */
export function someSchema(schema: SchemaProps, holds: (one: SchemaProps) => boolean): boolean {
  const open = [schema]
  for (let one = open.pop(); one; one = open.pop()) {
    if (holds(one)) return true
    openParts(one, open)
  }
  return false
}
