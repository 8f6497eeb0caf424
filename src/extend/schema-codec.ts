/** Reads and writes objects of kinds that are described by a schema: plain JSON, with metadata as every kind has it. */
import type { SchemaProps } from '../structural/json-schema-props.ts'
import {
  DecodeError,
  sortedKeys,
  type Codec,
  type Decoding,
  type JsonObject,
} from '../codec/codec.ts'
import { setOwn } from '../codec/json-scanner.ts'
import { formatJson } from '../codec/json-text.ts'
import type { JsonOut, WriteMembers } from '../codec/json-writer.ts'
import { metadataCodec, OBJECT_FIELDS, readMembers } from './schema-values.ts'

/** The codec of one version. Unknown fields are reported in order of their paths. */
export function schemaCodec(schema: SchemaProps): Codec {
  return {
    decode(value, decoding) {
      if (value === null || value === undefined) value = {}
      if (typeof value !== 'object' || Array.isArray(value))
        throw decoding.failure('expected an object')
      const given = value as JsonObject
      const object: JsonObject = {}
      for (const name of ['kind', 'apiVersion']) {
        const word = given[name] ?? ''
        if (typeof word !== 'string')
          throw new DecodeError([...decoding.path, name], 'expected a string')
        if (word !== '') object[name] = word
      }
      object['metadata'] = readMetadata(given['metadata'], decoding)
      const members = readMembers(given, schema, decoding, OBJECT_FIELDS)
      for (const name of Object.keys(members)) setOwn(object, name, members[name])
      decoding.unknown.sort()
      return object
    },
    plain(object) {
      const plain: JsonObject = {}
      for (const name of ['kind', 'apiVersion'])
        if (object[name] !== undefined) plain[name] = object[name]
      plain['metadata'] = metadataCodec.plain((object['metadata'] ?? {}) as JsonObject)
      for (const name of sortedKeys(object)) {
        if (OBJECT_FIELDS.includes(name) || object[name] === undefined) continue
        setOwn(plain, name, object[name])
      }
      return plain
    },
  }
}

function readMetadata(value: unknown, decoding: Decoding): JsonObject {
  decoding.path.push('metadata')
  const metadata = metadataCodec.decode(value, decoding)
  decoding.path.pop()
  return metadata
}

/** Writes the members after type and metadata, in order of the names. */
export const writeSchemaMembers: WriteMembers = (object, out, isFirst) => {
  let first = isFirst
  for (const name of sortedKeys(object)) {
    if (OBJECT_FIELDS.includes(name) || object[name] === undefined) continue
    if (!first) out.byte(COMMA)
    first = false
    out.string(name)
    out.byte(COLON)
    writeValue(object[name], out)
  }
  return first
}

// Sorted at every depth: equal objects are equal bytes, regardless of their origin.
function writeValue(value: unknown, out: JsonOut): void {
  if (typeof value === 'string') out.string(value)
  else if (typeof value !== 'object' || value === null) out.text(formatJson(value))
  else if (Array.isArray(value)) {
    out.byte(OPEN_LIST)
    for (const [i, item] of value.entries()) {
      if (i > 0) out.byte(COMMA)
      writeValue(item, out)
    }
    out.byte(CLOSE_LIST)
  } else {
    let first = true
    out.byte(OPEN)
    for (const name of sortedKeys(value)) {
      const member = (value as JsonObject)[name]
      if (member === undefined) continue
      if (!first) out.byte(COMMA)
      first = false
      out.string(name)
      out.byte(COLON)
      writeValue(member, out)
    }
    out.byte(CLOSE)
  }
}

const OPEN = 0x7b
const CLOSE = 0x7d
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const COMMA = 0x2c
const COLON = 0x3a
