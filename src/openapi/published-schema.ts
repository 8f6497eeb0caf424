/** Published schemas of custom resources. */
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { sorted, type Json } from './document.ts'
import { extension } from './extensions.ts'

const BRANDED = /^x-\{brand\}-/
/** Keywords that version 2 of the format does not have, or that clients of it do not expect. */
const NOT_IN_V2 = ['allOf', 'oneOf', 'anyOf', 'not', 'nullable', 'default']
/** Keywords that are for readers of the definition. */
const NOT_PUBLISHED = ['example', 'externalDocs']

/** How schemas are published. */
export interface Publishing {
  readonly v: Vocabulary
  readonly format: 'v2' | 'v3'
  /** Properties of every whole object, which embedded ones get. */
  readonly wholeProperties: () => Json
}

/**
 * A schema as published. Keywords are resolved in the vocabulary; names of properties belong to the user, and stay as
 * they are. In version 2 nullable values and values with unknown fields have no type. Embedded objects have the type and
 * metadata of every object; an integer or a text has both as alternatives.
 */
export function publishedSchema(schema: Json, how: Publishing): Json {
  const part = (inner: unknown): unknown =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? publishedSchema(inner as Json, how)
      : inner
  const out: Json = {}
  for (const [name, value] of Object.entries(shownIn(schema, how.format))) {
    if (BRANDED.test(name)) Object.assign(out, extension(how.v, name.replace(BRANDED, ''), value))
    else if (name === 'properties') out[name] = propertiesOf(value as Json, part)
    else if (name === 'items' || name === 'additionalProperties' || name === 'not')
      out[name] = part(value)
    else if (Array.isArray(value) && ALTERNATIVES.includes(name)) out[name] = value.map(part)
    else out[name] = value
  }
  return isOpenIn(schema, how.format) ? out : withType(schema, out, how)
}

const ALTERNATIVES = ['allOf', 'oneOf', 'anyOf']

const propertiesOf = (properties: Json, part: (inner: unknown) => unknown): Json =>
  sorted(Object.entries(properties).map(([name, inner]) => [name, part(inner) as Json] as const))

const isOpen = (schema: Json): boolean => schema['x-{brand}-preserve-unknown-fields'] === true

/** Whether nothing is said of the content of a value. */
const isOpenIn = (schema: Json, format: 'v2' | 'v3'): boolean => format === 'v2' && isOpen(schema)

/** An embedded object with type and metadata. */
function withType(schema: Json, out: Json, { wholeProperties }: Publishing): Json {
  if (schema['x-{brand}-embedded-resource'] !== true) return out
  const properties = { ...(out['properties'] as Json | undefined), ...wholeProperties() }
  const required = (out['required'] as readonly string[] | undefined) ?? []
  const more = ['kind', 'apiVersion'].filter((name) => !required.includes(name))
  return {
    ...out,
    properties: sorted(Object.entries(properties) as [string, Json][]),
    required: [...required, ...more],
  }
}

function shownIn(schema: Json, format: 'v2' | 'v3'): Json {
  const shown = (of: Json, hidden: readonly string[]) =>
    Object.fromEntries(Object.entries(of).filter(([name]) => !hidden.includes(name)))
  if (format === 'v3') return shown(withAlternatives(schema), NOT_PUBLISHED)
  const hidden = [...NOT_PUBLISHED, ...NOT_IN_V2]
  if (isOpen(schema)) hidden.push('properties', 'additionalProperties', 'items', 'required')
  if (isOpen(schema) || schema['nullable'] === true) hidden.push('type')
  if (schema['nullable'] === true) hidden.push('properties', 'additionalProperties', 'items')
  return shown(withoutNullable(schema), hidden)
}

/** Properties that may be null are not required in version 2, where they could not be null. */
function withoutNullable(schema: Json): Json {
  const { required, properties } = schema as { required?: readonly string[]; properties?: Json }
  if (!required || !properties) return schema
  const isNullable = (name: string) =>
    Object.hasOwn(properties, name) && (properties[name] as Json)['nullable'] === true
  const left = required.filter((name) => !isNullable(name))
  if (left.length === required.length) return schema
  const { required: _required, ...rest } = schema
  return left.length === 0 ? rest : { ...rest, required: left }
}

const EITHER = [{ type: 'integer' }, { type: 'string' }]

/** An integer or a text with its alternatives, which a definition may leave out. */
function withAlternatives(schema: Json): Json {
  if (schema['x-{brand}-int-or-string'] !== true) return schema
  const { anyOf, allOf = [] } = schema as { anyOf?: readonly Json[]; allOf?: readonly Json[] }
  const isEither = (parts: unknown) => JSON.stringify(parts) === JSON.stringify(EITHER)
  if (isEither(anyOf) || isEither(allOf[0]?.['anyOf'])) return schema
  return anyOf === undefined
    ? { ...schema, anyOf: EITHER }
    : { ...schema, allOf: [{ anyOf: EITHER }, ...allOf] }
}
