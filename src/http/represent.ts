/**
 * Objects, lists and events in the requested form. JSON of the storage version is sent as stored; every other form is
 * made here.
 */
import { hookContext, type HookDependencies } from '../registry/context.ts'
import { decodeStored, convertFromStorage } from '../registry/objects.ts'
import { convertedEvents, type EventForm } from '../registry/event-form.ts'
import { Made, type ListResult, type Result } from '../registry/results.ts'
import { Decoding, type JsonObject } from '../codec/codec.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { HookContext } from '../catalogue/resource.ts'
import { StatusError } from '../meta/errors.ts'
import type { ObjectMeta, Typed } from '../meta/object-meta.ts'
import { formatJson, parseJson } from '../codec/json-text.ts'
import { columnDefinitions } from '../catalogue/table.ts'
import { rowText, TableRows } from '../catalogue/table-rows.ts'
import type { ChangeType } from '../cache/watch-hub.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import type { Form } from './form.ts'

/** JSON of an object in the served version. */
export function objectBytes(
  api: HookDependencies,
  served: ResourceEntry,
  version: StoredObject,
): Buffer {
  if (served.conversion === null) return version.json()
  if (served.conversion.same) {
    return Buffer.concat([served.opening, version.json().subarray(served.storage.opening.length)])
  }
  return Buffer.from(formatJson(converted(api, served, version)))
}

/** The same as a line: the newline of the response is stored after the object, so that no copy is needed. */
export function objectLine(
  api: HookDependencies,
  served: ResourceEntry,
  version: StoredObject,
): Buffer {
  if (served.conversion === null) return version.line()
  if (served.conversion.same) {
    return Buffer.concat([served.opening, version.line().subarray(served.storage.opening.length)])
  }
  return objectBytes(api, served, version)
}

function converted(
  api: HookDependencies,
  served: ResourceEntry,
  version: StoredObject,
): JsonObject {
  const c = hookContext(api)
  return served.codec.plain(
    convertFromStorage(served, decodeStored(served, version, c), c) as unknown as JsonObject,
  )
}

/** One object, stored or made, in any JSON shape. Throws 406 for shapes of lists. */
export function objectJson(
  api: HookDependencies,
  served: ResourceEntry,
  object: StoredObject | Made,
  form: Form,
): Buffer {
  const isStored = 'revision' in object
  switch (form.as) {
    case '':
      return isStored ? objectBytes(api, served, object) : object.json()
    case 'Table':
      return Buffer.concat([
        tableOpening(
          served,
          form,
          versionOnly(isStored ? resourceVersionOf(object) : versionOf(object)),
        ),
        ...rowParts(api, { served, form, c: hookContext(api), kept: null }, object).map(toBuffer),
        CLOSE,
      ])
    case 'PartialObjectMetadata':
      return Buffer.concat(metadataParts(api, { served, form }, object).map(toBuffer))
    case 'PartialObjectMetadataList':
      throw noList(served)
  }
}

const PLAIN: Form = {
  type: 'application/json',
  mediaType: 'application/json',
  as: '',
  asVersion: '',
  includeObject: 'Metadata',
  pretty: false,
}

/** The result of a verb as JSON in the served version, regardless of the requested form. */
export function resultJson(
  api: HookDependencies,
  served: ResourceEntry,
  result: Result,
): { readonly apiVersion: string; readonly json: Buffer } {
  switch (result.is) {
    case 'status':
      return { apiVersion: 'v1', json: Buffer.from(JSON.stringify(result.body)) }
    case 'object':
      return { apiVersion: served.groupVersion, json: objectBytes(api, served, result.version) }
    case 'made':
      return { apiVersion: result.served.groupVersion, json: result.object.json() }
    case 'list': {
      const { opening, item } = listBytes(api, served, result, PLAIN)
      const parts: Part[] = [opening]
      for (const [i, version] of result.items.entries()) {
        if (i > 0) parts.push(COMMA)
        parts.push(...item(version))
      }
      return {
        apiVersion: served.groupVersion,
        json: Buffer.concat([...parts, CLOSE].map(toBuffer)),
      }
    }
  }
}

const wrongShape = (message: string) => new StatusError(406, 'NotAcceptable', message)

/** The failure for a request of metadata lists of a single object. */
export const noList = ({ kind }: ResourceEntry) =>
  wrongShape(
    `you requested PartialObjectMetadataList, but the requested object is not a list (${kind})`,
  )

/** The failure for a request of single metadata of a list. */
export const isList = ({ listKind }: ResourceEntry) =>
  wrongShape(
    `you requested PartialObjectMetadata, but the requested object is a list (${listKind})`,
  )

/** Metadata of a table of one object; after a dry run it has no version. */
const versionOnly = (resourceVersion: string) => (resourceVersion === '' ? {} : { resourceVersion })

const OPEN_ITEMS = ',"items":['
const CLOSE = Buffer.from(']}')
/** The end of a list, and of a response. */
const LAST_LINE = Buffer.from(']}\n')
const COMMA = Buffer.from(',')
const BRACE = Buffer.from('{')

/** A piece of JSON; text is UTF-8 on the wire. */
export type Part = Buffer | string

/** The parts of a list's JSON, in order: before the items, the items, after the items. */
export interface ListBytes {
  readonly opening: Buffer
  readonly closing: Buffer
  /** The parts of one item, for forms that make them. */
  item(version: StoredObject): readonly Part[]
  /** Set when items are stored bytes from this offset of their JSON on, after a brace. */
  readonly from: number | null
}

/** The metadata of a list. */
export const listMetadata = (list: ListResult) => ({
  resourceVersion: String(list.revision),
  ...(list.continueToken === '' ? {} : { continue: list.continueToken }),
  ...(list.remaining === undefined ? {} : { remainingItemCount: list.remaining }),
})

/** A list in any JSON shape. Throws 406 for shapes of single objects. */
export function listBytes(
  api: HookDependencies,
  served: ResourceEntry,
  list: ListResult,
  form: Form,
): ListBytes {
  const metadata = listMetadata(list)
  switch (form.as) {
    case '': {
      const head = { kind: served.listKind, apiVersion: served.groupVersion, metadata }
      const opening = Buffer.from(JSON.stringify(head).slice(0, -1) + OPEN_ITEMS)
      if (served.published.is === 'schema') return fullItems(api, served, opening)
      // Items do not repeat kind and apiVersion.
      const sent = served.conversion === null || served.conversion.same
      const cut = served.opening.length
      return {
        opening,
        closing: LAST_LINE,
        from: sent ? served.storage.opening.length : null,
        item: (version) => [BRACE, objectBytes(api, served, version).subarray(cut)],
      }
    }
    case 'Table': {
      const kept = list.isMade === true ? null : rowsOf(api)
      const rows = { served, form, c: hookContext(api), kept }
      return {
        opening: tableOpening(served, form, metadata),
        closing: LAST_LINE,
        from: null,
        item: (version) => rowParts(api, rows, version),
      }
    }
    case 'PartialObjectMetadataList': {
      const head = { kind: 'PartialObjectMetadataList', apiVersion: form.asVersion, metadata }
      return {
        opening: Buffer.from(JSON.stringify(head).slice(0, -1) + OPEN_ITEMS),
        closing: LAST_LINE,
        from: null,
        item: (version) => metadataParts(api, { served, form }, version),
      }
    }
    case 'PartialObjectMetadata':
      throw isList(served)
  }
}

/** Items of kinds with a schema keep kind and apiVersion: the list kind does not determine theirs. */
const fullItems = (api: HookDependencies, served: ResourceEntry, opening: Buffer): ListBytes => ({
  opening,
  closing: LAST_LINE,
  from: served.conversion === null ? BRACE.length : null,
  item: (version) => [objectBytes(api, served, version)],
})

/** The list with its items in table order, where a kind has one. */
export function inTableOrder(
  api: HookDependencies,
  served: ResourceEntry,
  list: ListResult,
  form: Form,
): ListResult {
  const { rowOrder } = served.table
  if (!rowOrder || form.as !== 'Table') return list
  const items = list.items.map((version) => ({ version, object: viewOf(api, served, version) }))
  items.sort((a, b) => rowOrder(a.object, b.object))
  return { ...list, items: items.map(({ version }) => version) }
}

// By far the longest field, and not used by any cell.
const LAST_OF_METADATA = 'managedFields'

/** A stored object for the functions that compute table cells. */
function viewOf(api: HookDependencies, served: ResourceEntry, version: StoredObject): Typed {
  const { table, conversion } = served
  if (table.reads === 'served' && conversion !== null)
    return table.view(objectBytes(api, served, version))
  return table.view(version.json(), {
    from: version.metaStart,
    to: version.metaStart + version.metaLength,
    last: LAST_OF_METADATA,
  })
}

/** The object of a bookmark: nothing but kind and version. */
export function bookmarkObject(served: ResourceEntry, revision: number): Made {
  const metadata = { resourceVersion: String(revision), creationTimestamp: null }
  const object = { kind: served.kind, apiVersion: served.groupVersion, metadata }
  return new Made(object)
}

/** The same with zero values in its other fields, for the table row of a bookmark. */
function zeroObject(served: ResourceEntry, revision: number): Made {
  const { codec } = served.storage
  const sent = { metadata: { resourceVersion: String(revision) } }
  const { metadata, ...zeros } = codec.plain(codec.decode(sent, new Decoding({ fills: false })))
  const object = { kind: served.kind, apiVersion: served.groupVersion, metadata, ...zeros }
  return new Made(object)
}

const parsed = (object: Made): Typed => parseJson(object.json()) as Typed

/** Separator of list items. */
export const itemSeparator = COMMA
/** Start of an item that is sent without its kind and apiVersion. */
export const itemBrace = BRACE

function versionOf(object: Made): string {
  const { resourceVersion = '' } = JSON.parse(object.metadata().toString('utf8')) as ObjectMeta
  return resourceVersion
}

function resourceVersionOf(version: StoredObject): string {
  const json = version.json()
  return json.toString('latin1', version.rvAt, version.rvAt + version.rvDigits)
}

function tableOpening(
  served: ResourceEntry,
  form: Form,
  metadata: object,
  definitions = true,
): Buffer {
  const head = {
    kind: 'Table',
    apiVersion: form.asVersion,
    metadata,
    columnDefinitions: definitions ? columnDefinitions(served) : null,
  }
  return Buffer.from(`${JSON.stringify(head).slice(0, -1)},"rows":[`)
}

/** Common state of all rows of a table. */
interface Rows {
  readonly served: ResourceEntry
  readonly form: Form
  readonly c: HookContext
  /** Rows of stored objects; null: none are kept. */
  readonly kept: TableRows | null
}

const rowsOfServers = new WeakMap<HookDependencies, TableRows>()

/** The rows that a server keeps. */
function rowsOf(api: HookDependencies): TableRows {
  let rows = rowsOfServers.get(api)
  if (rows === undefined) rowsOfServers.set(api, (rows = new TableRows()))
  return rows
}

function rowParts(
  api: HookDependencies,
  { served, form, c, kept }: Rows,
  source: StoredObject | Made,
): Part[] {
  const head =
    'revision' in source && kept !== null
      ? kept.text(served, source, () => viewOf(api, served, source), c)
      : rowText(served, 'revision' in source ? viewOf(api, served, source) : parsed(source), c)
  switch (form.includeObject) {
    case 'None':
      return [`${head}null}`]
    case 'Object':
      return [head, objectJson(api, served, source, { ...form, as: '' }), '}']
    case 'Metadata':
      return metadataParts(api, { served, form, before: head, after: '}' }, source)
  }
}

/** Metadata as an object of its own, between what surrounds it: few parts, since each costs. */
function metadataParts(
  api: HookDependencies,
  {
    served,
    form,
    before = '',
    after = '',
  }: Pick<Rows, 'served' | 'form'> & { readonly before?: string; readonly after?: string },
  source: StoredObject | Made,
): Part[] {
  const opening = `${before}{"kind":"PartialObjectMetadata","apiVersion":"${form.asVersion}","metadata":`
  // A version may use annotations for fields that it does not have.
  const metadata =
    'revision' in source && served.conversion !== null && !served.conversion.same
      ? formatJson(converted(api, served, source).metadata)
      : source.metadata()
  return [opening, metadata, `}${after}`]
}

const toBuffer = (part: Part): Buffer => (typeof part === 'string' ? Buffer.from(part) : part)

/** Encoding of watch events. */
export function eventForm(api: HookDependencies, served: ResourceEntry, form: Form): EventForm {
  const waiting = served.conversion?.waiting
  if (waiting) return convertedEvents(waiting, eventForm(api, waiting.shown, form))
  // Only the first event of a table stream contains the columns, so such streams share no frames.
  let first = true
  const isTable = form.as === 'Table'
  const shown: Form = form.as === '' ? form : { ...form, as: 'PartialObjectMetadata' }
  const inner = (seen: StoredObject | Made, revision: number): Buffer => {
    if (!isTable) return objectJson(api, served, seen, shown)
    const opening = tableOpening(served, form, { resourceVersion: String(revision) }, first)
    first = false
    return Buffer.concat([
      opening,
      ...rowParts(api, { served, form, c: hookContext(api), kept: null }, seen).map(toBuffer),
      CLOSE,
    ])
  }
  return {
    id: `${served.groupVersion}\0${form.as}\0${form.asVersion}`,
    perStream: isTable,
    event: (type, version, revision) =>
      frame(
        type,
        inner(version.revision === revision ? version : version.withRevision(revision), revision),
      ),
    bookmark: (revision) =>
      frame('BOOKMARK', inner((isTable ? zeroObject : bookmarkObject)(served, revision), revision)),
    error: (status) => frame('ERROR', Buffer.from(JSON.stringify(status))),
  }
}

const EVENT_END = Buffer.from('}\n')
const STARTS = new Map(
  ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'].map((type) => [
    type,
    Buffer.from(`{"type":"${type}","object":`),
  ]),
)

const frame = (type: ChangeType | 'BOOKMARK' | 'ERROR', object: Buffer) =>
  Buffer.concat([STARTS.get(type)!, object, EVENT_END])
