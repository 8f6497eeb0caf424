import { finish, type Steps } from '../base/steps.ts'
import { UNRESOLVED, DecodeError, Decoding, type JsonObject } from '../codec/codec.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import { parseJson } from '../codec/json-text.ts'
import { membersWriter } from '../codec/json-writer.ts'
import { badRequest } from '../meta/errors.ts'
import { MAX_VALUES } from '../meta/value-count.ts'
import type { Typed } from '../meta/object-meta.ts'
import { ObjectMeta } from '../meta/object-meta.ts'
import type { HookContext } from '../catalogue/resource.ts'
import type { WrittenNumbers } from '../codec/written-numbers.ts'
import { readHeader, RecordWriter, writeHeader } from '../engine/record.ts'
import { StoredObject } from '../cache/stored-object.ts'

const META_FIELDS = [...ObjectMeta.shape.fields.keys()]
const VERSION_AT = META_FIELDS.indexOf('resourceVersion')
const beforeVersion = membersWriter(ObjectMeta.shape, UNRESOLVED, META_FIELDS.slice(VERSION_AT))
const behindVersion = membersWriter(
  ObjectMeta.shape,
  UNRESOLVED,
  META_FIELDS.slice(0, VERSION_AT + 1),
)

/** Decodes a stored object in its storage version. The caller may change it. */
export function decodeStored<T extends Typed = Typed>(
  served: ResourceEntry,
  version: StoredObject,
  c: HookContext,
): T {
  return decodeDocument<T>(served, parseJson(version.json()), c)
}

/** Decodes a stored object from its JSON value, which is not changed. */
export function decodeDocument<T extends Typed = Typed>(
  served: ResourceEntry,
  document: unknown,
  c: HookContext,
): T {
  return finish(decodeDocumentSteps<T>(served, document, c))
}

/** The same in steps. */
export function* decodeDocumentSteps<T extends Typed = Typed>(
  served: ResourceEntry,
  document: unknown,
  c: HookContext,
): Steps<T> {
  const object = served.storage.codec.decode(document, new Decoding()) as unknown as T
  yield
  served.strategy.setDefaults?.(object, c)
  return object
}

/**
 * Decodes an object of the served version from a JSON value, with defaults. Unknown fields are dropped and reported;
 * `written`: number literals of the JSON text. Throws 400 when the value does not fit.
 */
export function decodeServed(
  served: ResourceEntry,
  value: unknown,
  c: HookContext,
  written?: WrittenNumbers,
): DecodedObject {
  const decoding = requestDecoding(written)
  try {
    const object = served.codec.decode(value, decoding) as unknown as Typed
    fillDefaults(served, object, c)
    return { object, unknown: decoding.unknown }
  } catch (error) {
    throw misfit(served, error)
  }
}

/** An object as it was sent, and the paths of fields that it should not have. */
export interface DecodedObject {
  readonly object: Typed
  readonly unknown: readonly string[]
}

/** Sets the defaults of a kind; those of a version with its own form are those of the storage version. */
function fillDefaults(served: ResourceEntry, object: Typed, c: HookContext): void {
  if (served.conversion === null || served.conversion.same) served.strategy.setDefaults?.(object, c)
}

/** The same in steps. */
export function* decodeServedSteps(
  served: ResourceEntry,
  value: unknown,
  c: HookContext,
  more: { readonly written?: WrittenNumbers | undefined; readonly keepsNull?: true } = {},
): Steps<DecodedObject> {
  const decoding = requestDecoding(more.written, more.keepsNull)
  try {
    const object = served.codec.decode(value, decoding) as unknown as Typed
    yield
    fillDefaults(served, object, c)
    return { object, unknown: decoding.unknown }
  } catch (error) {
    throw misfit(served, error)
  }
}

/** For a value of a client, which the defaults of a schema could make huge. */
const requestDecoding = (written?: WrittenNumbers, keepsNull = false): Decoding =>
  new Decoding({ written, most: MAX_VALUES, isRequest: true, keepsNull })

/** A stored object of the served version, with defaults, from its JSON value. Throws 400 when the value does not fit. */
export function decodeStoredVersion(served: ResourceEntry, value: unknown, c: HookContext): Typed {
  try {
    const object = served.codec.decode(value, new Decoding()) as unknown as Typed
    fillDefaults(served, object, c)
    return object
  } catch (error) {
    throw misfit(served, error)
  }
}

/** The 400 for a value that is not an object of the version; other errors are returned unchanged. */
export const misfit = ({ kind, version }: ResourceEntry, error: unknown): unknown =>
  error instanceof DecodeError
    ? badRequest(
        `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${error.message}`,
      )
    : error

/** Converts an object to the storage version. */
export function convertToStorage(served: ResourceEntry, object: Typed, c: HookContext): Typed {
  const storage = served.conversion ? served.conversion.convertToStorage(object, c) : object
  storage.kind = served.kind
  storage.apiVersion = served.storage.groupVersion
  // Defaults of a version with its own form were not set: they are those of the storage version.
  if (served.conversion && !served.conversion.same) served.strategy.setDefaults?.(storage, c)
  return storage
}

/** Converts an object to the served version; the given one must not be used afterwards. */
export function convertFromStorage(served: ResourceEntry, storage: Typed, c: HookContext): Typed {
  const object = served.conversion ? served.conversion.convertFromStorage(storage, c) : storage
  object.kind = served.kind
  object.apiVersion = served.groupVersion
  return object
}

/**
 * The stored form of an object of the storage version (see engine/record.ts). `before`: an object that is not changed from
 * now on, and that may share parts with this one.
 */
export const encodeObject = (
  served: ResourceEntry,
  object: Typed,
  before: Typed | null = null,
): Buffer => writeRecord(served, object, before)

/** The same in steps, with one at the end: the commit may take long as well. */
export function* encodeObjectSteps(served: ResourceEntry, object: Typed): Steps<Buffer> {
  const record = writeRecord(served, object, null)
  yield
  return record
}

function writeRecord(served: ResourceEntry, object: Typed, before: Typed | null): Buffer {
  const { storage } = served
  const meta = object.metadata as unknown as JsonObject
  const metaBefore = before && (before.metadata as unknown as JsonObject)
  const writer = new RecordWriter('', storage.storageTag)
  writeSelectors(served, object, writer)
  writer.jsonHere()
  writer.bytes(storage.opening)
  writer.text('"metadata":')
  const metaStart = writer.length
  writer.byte(OPEN)
  const isFirst = beforeVersion(meta, writer, true, metaBefore)
  writer.text(isFirst ? '"resourceVersion":"' : ',"resourceVersion":"')
  writer.revisionHere()
  writer.byte(QUOTE)
  behindVersion(meta, writer, false, metaBefore)
  writer.byte(CLOSE)
  const metaLength = writer.length - metaStart
  storage.behindMetadata(
    object as unknown as JsonObject,
    writer,
    false,
    before as unknown as JsonObject,
  )
  writer.byte(CLOSE)
  return writer.record(metaStart, metaLength)
}

const OPEN = 0x7b
const CLOSE = 0x7d
const QUOTE = 0x22
const COLON = 0x3a

/** An object that is not stored, as a StoredObject; for dry runs. */
export const asVersion = (record: Buffer, revision: number): StoredObject =>
  StoredObject.of(record, { key: '', revision, created: revision, prev: null }, null)

/** Whether a record has the JSON of a version, apart from the revision. */
export function isRecordOf(record: Buffer, version: StoredObject): boolean {
  const { rvAt, selectorBytes, bytes } = readHeader(record)
  const from = bytes + selectorBytes
  const { rvDigits, jsonBytes } = version
  if (rvAt !== version.rvAt || record.length - from !== jsonBytes - rvDigits) return false
  const json = version.json()
  // What differs is at the end of the metadata, or behind it, most of the time.
  return (
    record.compare(json, rvAt + rvDigits, jsonBytes, from + rvAt) === 0 &&
    record.compare(json, 0, rvAt, from, from + rvAt) === 0
  )
}

/** The JSON behind the metadata in a record. */
export function recordBehindMetadata(record: Buffer): Buffer {
  const { selectorBytes, metaStart, metaLength, bytes } = readHeader(record)
  return record.subarray(bytes + selectorBytes + metaStart + metaLength)
}

const VERSION_OPENING = '"resourceVersion":"'
const COMMA = 0x2c

/** The object of a dry run as a StoredObject without a resourceVersion. */
export function unversioned(record: Buffer): StoredObject {
  const { rvAt, metaStart, metaLength, selectorBytes, bytes } = readHeader(record)
  const json = bytes + selectorBytes
  let from = json + rvAt - VERSION_OPENING.length
  let to = json + rvAt + 1
  if (record[from - 1] === COMMA) from--
  else if (record[to] === COMMA) to++
  const cut = Buffer.concat([record.subarray(0, from), record.subarray(to)])
  writeHeader(cut, {
    rvAt: from - json,
    metaStart,
    metaLength: metaLength - (to - from),
    selectorBytes,
  })
  return asVersion(cut, 0)
}

type Selectable = NonNullable<ResourceEntry['strategy']['selectable']>

interface SelectableField {
  /** The name as JSON, with its colon. */
  readonly opening: string
  readonly read: Selectable[string]
}

const selectableFields = new WeakMap<Selectable, readonly SelectableField[]>()

/** Writes the labels and selectable fields of an object as JSON; nothing when there are none. */
function writeSelectors({ strategy }: ResourceEntry, object: Typed, writer: RecordWriter): void {
  const { labels } = object.metadata
  const fields = strategy.selectable ? fieldsText(strategy.selectable, object) : ''
  const isLabelled = labels !== undefined && writeLabels(labels, writer)
  if (fields !== '') writer.text(`${isLabelled ? ',' : '{'}"f":{${fields}}`)
  if (isLabelled || fields !== '') writer.byte(CLOSE)
}

/** Opens an object, and writes labels into it where there are any; returns whether there are. */
function writeLabels(labels: Readonly<Record<string, string>>, writer: RecordWriter): boolean {
  let isFirst = true
  for (const name in labels) {
    if (isFirst) writer.text('{"l":{')
    else writer.byte(COMMA)
    isFirst = false
    writer.string(name)
    writer.byte(COLON)
    writer.string(labels[name]!)
  }
  if (isFirst) return false
  writer.byte(CLOSE)
  return true
}

function fieldsText(selectable: Selectable, object: Typed): string {
  let fields = selectableFields.get(selectable)
  if (!fields) {
    fields = Object.entries(selectable).map(([name, read]) => ({
      opening: `${JSON.stringify(name)}:`,
      read,
    }))
    selectableFields.set(selectable, fields)
  }
  let text = ''
  for (const { opening, read } of fields) {
    const value = read(object)
    if (value === undefined || value === '') continue
    text += `${text === '' ? '' : ','}${opening}${JSON.stringify(value)}`
  }
  return text
}
