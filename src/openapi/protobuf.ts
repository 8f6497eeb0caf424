/** Helpers to write the messages in which the public tools for this format keep documents. */
import protobuf, { type Writer } from 'protobufjs/minimal.js'
import type { Json } from './document.ts'

/** An empty writer. */
export const newWriter = (): Writer => protobuf.Writer.create()

/** Writes the fields of a message. */
export type WriteMessage<T> = (writer: Writer, value: T) => void

const TEXT = 2
const VARINT = 0

/** A text field; absent texts are left out. */
export function text(writer: Writer, number: number, value: unknown): void {
  if (typeof value === 'string' && value !== '') {
    writer.uint32((number << 3) | TEXT).string(value)
  }
}

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
export const any: WriteMessage<unknown> = (writer, value) => text(writer, 2, JSON.stringify(value))

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

/** A message field around bytes that are there already. */
export function wrapped(number: number, parts: readonly Uint8Array[]): Uint8Array[] {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const head = newWriter()
    .uint32((number << 3) | TEXT)
    .uint32(length)
    .finish()
  return [head, ...parts]
}
