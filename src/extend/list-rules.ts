/** Items of lists that are sets or maps may be there once only. */
import type { Json, SchemaProps } from '../structural/json-schema-props.ts'
import { additionalOf, itemsOf, propertyOf } from '../structural/walk-schema.ts'
import type { JsonObject } from '../codec/codec.ts'
import { debugJson } from '../meta/debug-text.ts'
import type { FieldErrors } from '../meta/field-errors.ts'
import { formatJson } from '../codec/json-text.ts'
import { setOwn } from '../codec/json-scanner.ts'
import { isMap } from './schema-values.ts'

/** Reports duplicate items, in a value and in all nested ones. */
export function listRules(value: Json, schema: SchemaProps, errors: FieldErrors): void {
  if (Array.isArray(value)) {
    const items = itemsOf(schema)
    onceOnly(value, schema, errors)
    if (items) for (const [i, item] of value.entries()) listRules(item, items, errors.at(i))
    return
  }
  if (!isMap(value)) return
  const additional = additionalOf(schema)
  for (const [name, member] of Object.entries(value)) {
    const property = propertyOf(schema, name)
    if (property) listRules(member, property, errors.at(name))
    else if (additional) listRules(member, additional, errors.key(name))
  }
}

function onceOnly(list: readonly Json[], schema: SchemaProps, errors: FieldErrors): void {
  const type = schema['x-{brand}-list-type']
  if (type !== 'set' && type !== 'map') return
  if (type === 'map') {
    // Null counts as an object without keys; a value that is neither ends the check of the list.
    const other = list.findIndex((item) => item !== null && !isMap(item))
    if (other >= 0) {
      const text = 'must be an object for an array of list-type map'
      errors.at(other).invalid(debugJson(list[other]), text)
      return
    }
  }
  const keys = schema['x-{brand}-list-map-keys'] ?? []
  /** Number of occurrences; each duplicate is reported once. */
  const seen = new Map<string, number>()
  for (const [i, item] of list.entries()) {
    const id = type === 'map' ? keyOf(isMap(item) ? item : {}, keys) : item
    const text = formatJson(id)
    const count = (seen.get(text) ?? 0) + 1
    seen.set(text, count)
    if (count === 2) errors.at(i).duplicate(debugJson(id))
  }
}

function keyOf(item: JsonObject, keys: readonly string[]): JsonObject {
  const key: JsonObject = {}
  for (const name of keys) if (Object.hasOwn(item, name)) setOwn(key, name, item[name])
  return key
}
