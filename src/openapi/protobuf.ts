/** Helpers to write the messages in which the public tools for this format keep documents. */
import protobuf, { type Writer } from 'protobufjs/minimal.js'
import { formatJson } from '../codec/json-text.ts'
import type { Json } from './document.ts'

/** An empty writer. */
export const newWriter = (): Writer => protobuf.Writer.create()

/** Writes the fields of a message. */
export type WriteMessage<T> = (writer: Writer, value: T) => void

const TEXT = 2
const VARINT = 0
const FIXED64 = 1

/** A text field; absent texts are left out. */
export function text(writer: Writer, number: number, value: unknown): void {
  if (typeof value === 'string' && value !== '') {
    writer.uint32((number << 3) | TEXT).string(value)
  }
}

/** Documentation elsewhere. */
export const EXTERNAL_DOCS: Fields = [
  ['description', 1, text],
  ['url', 2, text],
]

/** Bounds of values, whose fields follow each other in both versions; `first` is that of `multipleOf`. */
export const boundFields = (first: number): Fields => [
  ['multipleOf', first, double],
  ['maximum', first + 1, double],
  ['exclusiveMaximum', first + 2, flag],
  ['minimum', first + 3, double],
  ['exclusiveMinimum', first + 4, flag],
  ['maxLength', first + 5, count],
  ['minLength', first + 6, count],
  ['pattern', first + 7, text],
  ['maxItems', first + 8, count],
  ['minItems', first + 9, count],
  ['uniqueItems', first + 10, flag],
  ['maxProperties', first + 11, count],
  ['minProperties', first + 12, count],
]

/** A list of texts. */
export function texts(writer: Writer, number: number, values: unknown): void {
  for (const value of (values ?? []) as readonly string[]) {
    writer.uint32((number << 3) | TEXT).string(value)
  }
}

/** A field that is written only when true. */
export function flag(writer: Writer, number: number, value: unknown): void {
  if (value === true) writer.uint32((number << 3) | VARINT).bool(true)
}

/** A floating-point field; zero is left out. */
function double(writer: Writer, number: number, value: unknown): void {
  if (typeof value === 'number' && value !== 0) writer.uint32((number << 3) | FIXED64).double(value)
}

/** An integer field; zero is left out. */
function count(writer: Writer, number: number, value: unknown): void {
  if ((typeof value === 'number' || typeof value === 'bigint') && Number(value) !== 0)
    writer.uint32((number << 3) | VARINT).int64(Number(value))
}

/** A schema, or a boolean in its place. */
export const schemaOrFlag = (schema: WriteMessage<Json>): WriteMessage<unknown> => {
  return (writer, value) => {
    if (typeof value === 'boolean') flag(writer, 2, value)
    else message(writer, 1, value as Json, schema)
  }
}

/** A message field; absent ones are left out. */
export function message<T>(
  writer: Writer,
  number: number,
  value: T | undefined,
  write: WriteMessage<T>,
): void {
  if (value === undefined) return
  writer.uint32((number << 3) | TEXT).fork()
  write(writer, value)
  writer.ldelim()
}

/** A map, which is a list of messages with name and value. */
function named<T>(
  writer: Writer,
  number: number,
  entries: Iterable<readonly [string, T]>,
  write: WriteMessage<T>,
): void {
  for (const entry of entries) message(writer, number, entry, entryWriter(write))
}

/** The message of one entry of a map. */
export const entryWriter =
  <T>(write: WriteMessage<T>): WriteMessage<readonly [string, T]> =>
  (writer, [name, value]) => {
    text(writer, 1, name)
    message(writer, 2, value, write)
  }

/** Any value, as the text of its JSON form (which is YAML). */
export const any: WriteMessage<unknown> = (writer, value) => text(writer, 2, formatJson(value))

/** Writes a field under its number; absent values are left out. */
export type WriteField = (writer: Writer, number: number, value: unknown) => void

/** Fields of a message that are members of an object, in the order in which they are written. */
export type Fields = readonly (readonly [member: string, number: number, write: WriteField])[]

/** Writes the members of an object that have fields, and its `x-` entries where those have a number. */
export function members(
  writer: Writer,
  object: Json,
  known: Fields,
  extensionsNumber?: number,
): void {
  for (const [member, number, write] of known) write(writer, number, object[member])
  if (extensionsNumber === undefined) return
  const entries = Object.entries(object).filter(([name]) => name.startsWith('x-'))
  named(writer, extensionsNumber, entries, any)
}

/** A field with a message. */
export const one =
  <T>(write: WriteMessage<T>): WriteField =>
  (writer, number, value) =>
    message(writer, number, value as T | undefined, write)

/** A field with a message for each value of a list. */
export const each =
  <T>(write: WriteMessage<T>): WriteField =>
  (writer, number, values) => {
    for (const value of (values ?? []) as readonly T[]) message(writer, number, value, write)
  }

/** A message with a single field: another message, or a map of them. */
export const around =
  (number: number, write: WriteField): WriteMessage<unknown> =>
  (writer, value) =>
    write(writer, number, value)

/** A field with a map of messages. */
export const map =
  <T>(write: WriteMessage<T>): WriteField =>
  (writer, number, value) => {
    if (value !== undefined)
      named(writer, number, Object.entries(value as Record<string, T>), write)
  }

/** A message of its own as bytes of a field, so that long documents are written piece by piece. */
export function field<T>(number: number, value: T, write: WriteMessage<T>): Uint8Array {
  const writer = newWriter()
  message(writer, number, value, write)
  return writer.finish()
}

/** The entries of a map, each as bytes of its own, in steps. */
export function* fields<T>(
  number: number,
  map: Readonly<Record<string, T>>,
  write: WriteMessage<readonly [string, T]>,
): Generator<void, Uint8Array[]> {
  const parts: Uint8Array[] = []
  for (const entry of Object.entries(map)) {
    parts.push(field(number, entry, write))
    yield
  }
  return parts
}

/** Bytes of a document around its two maps. */
export interface Around {
  readonly before: Uint8Array
  readonly between: Uint8Array
  readonly after: Uint8Array
}

/** The beginning of a message field whose bytes are there already. */
export const opening = (number: number, length: number): Uint8Array =>
  newWriter()
    .uint32((number << 3) | TEXT)
    .uint32(length)
    .finish()

/** Bytes in all parts. */
export const lengthOf = (parts: readonly Uint8Array[]): number =>
  parts.reduce((sum, part) => sum + part.length, 0)
