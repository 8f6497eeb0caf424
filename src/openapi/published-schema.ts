/** Published schemas of custom resources. */
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { sorted, type Json } from './document.ts'
import { extension } from './extensions.ts'

const BRANDED = /^x-\{brand\}-/
/** Keywords that version 2 of the format does not have. */
const NOT_IN_V2 = ['allOf', 'oneOf', 'anyOf', 'not', 'nullable']

/**
 * A schema as published. Keywords are resolved in the vocabulary; names of properties belong to the user, and stay as
 * they are. In version 2 nullable values and values with unknown fields have no type.
 */
export function publishedSchema(schema: Json, v: Vocabulary, format: 'v2' | 'v3'): Json {
  const part = (inner: unknown): unknown =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? publishedSchema(inner as Json, v, format)
      : inner
  const out: Json = {}
  for (const [name, value] of Object.entries(shownIn(schema, format))) {
    if (BRANDED.test(name)) Object.assign(out, extension(v, name.replace(BRANDED, ''), value))
    else if (name === 'properties') out[name] = propertiesOf(value as Json, part)
    else if (name === 'items' || name === 'additionalProperties' || name === 'not')
      out[name] = part(value)
    else if (Array.isArray(value) && NOT_IN_V2.includes(name)) out[name] = value.map(part)
    else out[name] = value
  }
  return out
}

const propertiesOf = (properties: Json, part: (inner: unknown) => unknown): Json =>
  sorted(Object.entries(properties).map(([name, inner]) => [name, part(inner) as Json] as const))

function shownIn(schema: Json, format: 'v2' | 'v3'): Json {
  if (format === 'v3') return schema
  const hidden = [...NOT_IN_V2]
  const isClosed = schema['x-{brand}-preserve-unknown-fields'] !== true
  if (!isClosed) hidden.push('properties', 'additionalProperties', 'items', 'required')
  if (!isClosed || schema['nullable'] === true) hidden.push('type')
  if (schema['nullable'] === true) hidden.push('properties', 'additionalProperties', 'items')
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !hidden.includes(name)))
}
