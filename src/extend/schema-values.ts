/**
 * Applies a schema to the values of an object: unknown fields are pruned and reported, null is dropped where it is not
 * allowed, absent fields get their defaults. Values of a wrong type stay, for validation to report. Fields have only
 * the names that users declared.
 */
import { isEmbedded } from '../structural/embedded-rules.ts'
import type { Json, SchemaProps } from '../structural/json-schema-props.ts'
import { additionalOf, itemsOf, propertyOf } from '../structural/walk-schema.ts'
import { UNRESOLVED, codecOf, sortedKeys, type Decoding, type JsonObject } from '../codec/codec.ts'
import { setOwn } from '../codec/json-scanner.ts'
import { debugJson } from '../meta/debug-text.ts'
import { renderValue } from '../meta/field-errors.ts'
import { ObjectMeta } from '../meta/object-meta.ts'
import { tooManyFilled } from '../meta/value-count.ts'

/** The codec of metadata, which is the same for all kinds. */
export const metadataCodec = codecOf(ObjectMeta.shape, UNRESOLVED)

/** Fields of every whole object, whether its schema declares them or not. */
export const OBJECT_FIELDS: readonly string[] = ['apiVersion', 'kind', 'metadata']

/** Whether unknown fields are preserved. */
export const preserves = (schema: SchemaProps | undefined): boolean =>
  schema?.['x-{brand}-preserve-unknown-fields'] === true

/** Whether a schema of objects says nothing of their fields, none of which is kept then; yet none is wrong. */
export const isNameless = (schema: SchemaProps): boolean =>
  schema.type === 'object' &&
  schema.additionalProperties === undefined &&
  !preserves(schema) &&
  !isEmbedded(schema) &&
  Object.keys(schema.properties ?? {}).length === 0

/** Whether a value is a JSON object. */
export const isMap = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A value in the form of its schema, with members in order of their names. The given one is not changed. */
function readValue(value: Json, schema: SchemaProps | undefined, decoding: Decoding): Json {
  if (Array.isArray(value)) return readList(value, schema, decoding)
  if (isMap(value)) {
    const embedded = schema !== undefined && isEmbedded(schema)
    const object = readMembers(value, schema, decoding, embedded ? OBJECT_FIELDS : [])
    return embedded ? withType(value, object, { schema, decoding }) : object
  }
  return typeof value === 'bigint' ? readInteger(value) : value
}

/** A configuration of a whole object without the fields that no object keeps. The given one is not changed. */
export function keptConfiguration(config: JsonObject, schema: SchemaProps): JsonObject {
  if (!isNameless(schema)) return keptPart(config, schema) as JsonObject
  return Object.fromEntries(Object.entries(config).filter(([name]) => OBJECT_FIELDS.includes(name)))
}

function keptPart(value: Json, schema: SchemaProps): Json {
  if (Array.isArray(value)) {
    const items = itemsOf(schema)
    return items ? value.map((item: Json) => keptPart(item, items)) : value
  }
  if (!isMap(value)) return value
  if (isNameless(schema)) return {}
  const additional = additionalOf(schema)
  let kept: JsonObject | null = null
  for (const name of Object.keys(value)) {
    const part = propertyOf(schema, name) ?? additional
    if (!part) continue
    const inside = keptPart(value[name], part)
    if (inside !== value[name]) setOwn((kept ??= { ...value }), name, inside)
  }
  return kept ?? value
}

/** The members of an object but those that are passed over; in order of their names. */
export function readMembers(
  object: JsonObject,
  schema: SchemaProps | undefined,
  decoding: Decoding,
  passed: readonly string[],
): JsonObject {
  const read: JsonObject = {}
  for (const name of namesOf(object, schema, decoding)) {
    if (passed.includes(name)) continue
    const property = schema && propertyOf(schema, name)
    const given = Object.hasOwn(object, name) ? object[name] : undefined
    if (!property && preserves(schema)) {
      setOwn(read, name, keptValue(given))
      continue
    }
    const inner = property ?? (schema && additionalOf(schema))
    if (!inner && !takesMore(schema)) {
      decoding.unknownField(name)
      continue
    }
    if (--decoding.room < 0) throw tooManyFilled()
    const absent = given === undefined || (given === null && inner && !inner.nullable)
    const isFilled = absent && decoding.fills && inner?.default !== undefined
    if (absent && !isFilled && (given === undefined || !decoding.keepsNull)) continue
    decoding.path.push(name)
    setOwn(read, name, readValue(isFilled ? inner.default : given, inner, decoding))
    decoding.path.pop()
  }
  return read
}

const takesMore = (schema: SchemaProps | undefined): boolean =>
  schema?.additionalProperties !== undefined && schema.additionalProperties !== false

/** Names of members that are there or come to be there by default, in order. */
function namesOf(
  object: JsonObject,
  schema: SchemaProps | undefined,
  { fills }: Decoding,
): readonly string[] {
  const given = sortedKeys(object)
  if (!fills || !schema?.properties) return given
  const more = defaulted(schema)
  if (more.length === 0) return given
  return given.length === 0 ? more : merged(given, more)
}

/** The names of two lists in order. */
function merged(a: readonly string[], b: readonly string[]): readonly string[] {
  const all: string[] = []
  let [i, j] = [0, 0]
  while (i < a.length && j < b.length) {
    const [left, right] = [a[i]!, b[j]!]
    if (left <= right) i++
    if (right <= left) j++
    all.push(left < right ? left : right)
  }
  for (; i < a.length; i++) all.push(a[i]!)
  for (; j < b.length; j++) all.push(b[j]!)
  return all
}

const withDefaults = new WeakMap<SchemaProps, readonly string[]>()

/** Names of the properties that have a default, in order. */
function defaulted(schema: SchemaProps): readonly string[] {
  let names = withDefaults.get(schema)
  if (names === undefined) {
    names = Object.entries(schema.properties ?? {})
      .flatMap(([name, property]) => (property.default === undefined ? [] : name))
      .sort()
    withDefaults.set(schema, names)
  }
  return names
}

function readList(
  list: readonly Json[],
  schema: SchemaProps | undefined,
  decoding: Decoding,
): Json[] {
  const items = schema && itemsOf(schema)
  if (!items && preserves(schema)) return list.map(keptValue)
  // Items stay where they are, also as null where none is allowed: a position may have a meaning.
  const standard = decoding.fills && items && !items.nullable ? items.default : undefined
  if ((decoding.room -= list.length) < 0) throw tooManyFilled()
  return list.map((item, i) => {
    decoding.path.push(i)
    const isAbsent = item === null && standard !== undefined
    const read = readValue(isAbsent ? standard : item, items, decoding)
    decoding.path.pop()
    return read
  })
}

/** Type and metadata of an object inside of another, before its members. */
function withType(
  given: JsonObject,
  members: JsonObject,
  { schema, decoding }: { readonly schema: SchemaProps; readonly decoding: Decoding },
): JsonObject {
  const object: JsonObject = {}
  for (const name of OBJECT_FIELDS) {
    decoding.path.push(name)
    const value = typeMember(given, name, propertyOf(schema, name), decoding)
    decoding.path.pop()
    if (value !== undefined) object[name] = value
  }
  for (const name of Object.keys(members)) setOwn(object, name, members[name])
  return object
}

/** Type or metadata of an embedded object; undefined where there is none. */
function typeMember(
  given: JsonObject,
  name: string,
  property: SchemaProps | undefined,
  decoding: Decoding,
): Json {
  let value = Object.hasOwn(given, name) ? given[name] : undefined
  if (value === null && property !== undefined && property.nullable !== true) value = undefined
  if (value === undefined && decoding.fills) value = property?.default
  if (value === undefined) return undefined
  if (name !== 'metadata') {
    if (typeof value === 'string') return value
    if (!decoding.isRequest) return undefined
    throw decoding.failure(`Invalid value: ${renderValue(debugJson(value))}: must be a string`)
  }
  if (value === null) return undefined
  const metadata = metadataCodec.plain(metadataCodec.decode(value, decoding))
  if (metadata['creationTimestamp'] === null) delete metadata['creationTimestamp']
  return metadata
}

/** A value without a schema, unchanged, with members in order of their names. */
function keptValue(value: Json): Json {
  if (typeof value === 'bigint') return readInteger(value)
  if (Array.isArray(value)) return value.map(keptValue)
  if (!isMap(value)) return value
  const kept: JsonObject = {}
  for (const name of sortedKeys(value)) setOwn(kept, name, keptValue(value[name]))
  return kept
}

/** Integers have 64 bits; larger numbers become floating-point, as in the reference. */
const readInteger = (value: bigint): number | bigint =>
  BigInt.asIntN(64, value) === value ? value : Number(value)
