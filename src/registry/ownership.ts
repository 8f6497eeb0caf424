/** Field ownership: how every write changes `metadata.managedFields`. */
import { isPrintable } from '../base/printable.ts'
import { paced, type Steps } from '../base/steps.ts'
import { formatTime } from '../base/time.ts'
import { fieldElement, type Path } from '../patch/field-path.ts'
import { FieldSet } from '../patch/field-set.ts'
import type { FirstForms } from '../patch/first-forms.ts'
import { FieldsV1Error } from '../patch/fields-v1.ts'
import { sameJson } from '../patch/json-value.ts'
import {
  knownEntries,
  readManaged,
  writeManaged,
  updateSteps,
  type Writer as FieldWriter,
} from '../patch/managed-fields.ts'
import type { Versions } from '../patch/managers.ts'
import { DEDUCED } from '../notation/topology.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import { Decoding, type JsonObject } from '../codec/codec.ts'
import { invalid, StatusError } from '../meta/errors.ts'
import { FieldErrors } from '../meta/field-errors.ts'
import { copyJson } from '../codec/json-clone.ts'
import type { ManagedFieldsEntry, Typed } from '../meta/object-meta.ts'
import type { HookContext } from '../catalogue/resource.ts'
import { countUpTo, MAX_VALUES } from '../meta/value-count.ts'
import type { Call } from './context.ts'
import { sentForm, untilConverted, type Conversions } from './conversion.ts'
import { documentLike, type HotObject, isLikeable } from './hot-objects.ts'
import { convertFromStorage, misfit } from './objects.ts'
import type { WriteOptions } from './options.ts'

const MAX_MANAGER_BYTES = 128
/** Maximum number of managedFields entries of an object; the reference has no such limit. */
const MAX_ENTRIES = 1000

/** Name of the field manager: from the request, or the first word of its user agent. */
function managerOf(call: Call, options: WriteOptions): string {
  if (options.fieldManager !== '') return options.fieldManager
  const { userAgent } = call
  if (lastManager?.userAgent !== userAgent)
    lastManager = { userAgent, name: managerNamed(userAgent) }
  return lastManager.name
}

/** A busy client repeats its user agent, so the last result is cached. */
let lastManager: { readonly userAgent: string; readonly name: string } | null = null

function managerNamed(userAgent: string): string {
  let name = ''
  let bytes = 0
  for (const char of userAgent.split('/', 1)[0] ?? '') {
    if (!isPrintable(char)) continue
    bytes += Buffer.byteLength(char)
    if (bytes > MAX_MANAGER_BYTES) break
    name += char
  }
  return name === '' ? 'unknown' : name
}

/** Field manager, time and sub-resource of a write. */
export const writerOf = (call: Call, options: WriteOptions, c: HookContext): FieldWriter => ({
  manager: managerOf(call, options),
  subresource: call.subresource,
  now: formatTime(c.now),
})

/** An object of the storage version as JSON of the requested version; without managedFields. */
export function documentOf(
  served: ResourceEntry,
  object: Typed,
  c: HookContext,
  conversions: Conversions | null,
): JsonObject {
  const { conversion, storage } = served
  if (conversion?.waiting)
    return conversions!.get(withoutEntries(storage.codec.plain(object as never)), storage, served)
  if (!conversion) return withoutEntries(served.codec.plain(object as never))
  if (!conversion.same) {
    return withoutEntries(
      served.codec.plain(convertFromStorage(served, copyJson(object), c) as never),
    )
  }
  return withoutEntries({
    ...storage.codec.plain(object as never),
    kind: served.kind,
    apiVersion: served.groupVersion,
  })
}

/** A JSON object without its managedFields; the given one is not changed. */
function withoutEntries(document: JsonObject): JsonObject {
  const metadata = document['metadata'] as JsonObject | undefined
  if (metadata?.['managedFields'] === undefined) return document
  const { managedFields: _, ...rest } = metadata
  return { ...document, metadata: rest }
}

const zeroValues = new WeakMap<ResourceEntry, JsonObject>()

/** The zero value of the served version, as JSON. */
export function zeroValueOf(served: ResourceEntry): JsonObject {
  let zero = zeroValues.get(served)
  if (!zero) zeroValues.set(served, (zero = served.codec.plain({})))
  return zero
}

/**
 * Sets managedFields of an object that a write creates from another, before admission changes it. `before` is the
 * present object, null when there is none. Entries that the client sent count as in the reference. Throws 422 when
 * there are too many.
 */
export function recordOwners(
  call: Call,
  options: WriteOptions,
  write: OwnedWrite,
): void | Promise<void> {
  const { next, before } = write
  checkCount(call, next, next.metadata.managedFields, before)
  if (before === null && recordFirst(call, options, write)) return
  const recorded = untilConverted(call.served, (conversions) =>
    paced(ownerSteps(call, options, write, conversions)),
  )
  if (!(recorded instanceof Promise) || call.served.conversion !== null) return recorded
  return recorded.catch((error: unknown) => {
    if (!(error instanceof StatusError)) throw error
    return recordInOwnVersion(call, options, write)
  })
}

/**
 * Sets managedFields where those of other versions cannot be converted: they stay as they are. A write in the storage
 * version does not depend on a webhook.
 */
async function recordInOwnVersion(
  call: Call,
  options: WriteOptions,
  write: OwnedWrite,
): Promise<void> {
  const { next, before } = write
  const known = next.metadata.managedFields ?? before?.metadata.managedFields ?? []
  const others = known.filter(({ apiVersion }) => apiVersion !== call.served.groupVersion)
  await paced(ownerSteps(call, options, { ...write, isAlone: true }, null))
  const all = readManaged([...(next.metadata.managedFields ?? []), ...others])
  setEntries(next, writeManaged(all))
}

/** Sets managedFields of a new object with fields that others had before; whether they are known. */
function recordFirst(call: Call, options: WriteOptions, { next, forms, c }: OwnedWrite): boolean {
  const { served } = call
  if (forms === undefined || next.metadata.managedFields !== undefined) return false
  if (served.conversion?.waiting) return false
  const update = {
    versions: ownVersions(served, call.subresource),
    zero: { object: zeroValueOf(served), apiVersion: served.groupVersion },
    next: sentDocument(served, next) ?? documentOf(served, next, c, null),
    forms,
  }
  const entries = knownEntries(update, writerOf(call, options, c))
  if (entries === null) return false
  setEntries(next, entries)
  return true
}

/** A new object as it was sent: its owner does not own what only the storage version fills in. */
function sentDocument(served: ResourceEntry, next: Typed): JsonObject | null {
  const sent = sentForm(next)
  if (sent === undefined) return null
  const { managedFields: _entries, ...metadata } = next.metadata
  return served.codec.plain({ ...sent, metadata } as never)
}

/** The object that a write creates, and the present one. */
interface OwnedWrite {
  readonly next: Typed
  readonly before: Typed | null
  /** The present object where it is known from its last write. */
  readonly hot?: HotObject | null
  /** Field sets of other new objects. */
  readonly forms?: FirstForms | undefined
  /** Entries of other versions are left out. */
  readonly isAlone?: true
  readonly c: HookContext
}

function* ownerSteps(
  call: Call,
  options: WriteOptions,
  { next, before, hot = null, forms, isAlone, c }: OwnedWrite,
  conversions: Conversions | null,
): Steps<void> {
  const { served } = call
  const apiVersion = served.groupVersion
  const like = isLikeable(served) ? hot : null
  const live = before && {
    object: like ? like.json : documentOf(served, before, c, conversions),
    apiVersion,
  }
  yield
  const document =
    (before === null ? sentDocument(served, next) : null) ??
    (like ? documentLike(served, next, like) : documentOf(served, next, c, conversions))
  yield
  const entries = yield* updateSteps(
    {
      versions: isAlone
        ? aloneIn(apiVersion, versionsOf(served, call.subresource, { c, conversions }))
        : versionsOf(served, call.subresource, { c, conversions }),
      live,
      zero: { object: zeroValueOf(served), apiVersion },
      next: document,
      liveEntries: before?.metadata.managedFields,
      sentEntries: next.metadata.managedFields,
      forms,
    },
    writerOf(call, options, c),
  )
  setEntries(next, entries)
}

/**
 * Refuses more managedFields entries than the maximum, unless the object already has as many. Each manager has one for
 * each version and sub-resource, and updates beyond the tenth are merged, so real objects have a few dozen. Throws 422.
 */
export function checkCount(
  { served }: Call,
  object: Typed,
  entries: readonly ManagedFieldsEntry[] | undefined,
  before: Typed | null,
): void {
  const count = entries?.length ?? 0
  if (count <= Math.max(MAX_ENTRIES, before?.metadata.managedFields?.length ?? 0)) return
  const errors = new FieldErrors()
  errors.at('metadata', 'managedFields').tooMany(count, MAX_ENTRIES)
  throw invalid({ group: served.group, kind: served.kind }, object.metadata.name ?? '', errors.list)
}

/**
 * Sets managedFields; none when the list is empty or larger than an object may hold: then no field has an owner, as
 * when an object with managedFields is too large for the store of the reference.
 */
export function setEntries({ metadata }: Typed, entries: readonly ManagedFieldsEntry[]): void {
  if (entries.length === 0 || holdTooMany(entries)) delete metadata.managedFields
  else metadata.managedFields = [...entries]
}

/** Values in the fields of entries; most of them outlive a write unchanged. */
const counts = new WeakMap<object, number>()

function holdTooMany(entries: readonly ManagedFieldsEntry[]): boolean {
  let left = MAX_VALUES
  for (const entry of entries) {
    const { fieldsV1 } = entry
    left--
    for (const name in entry) if (name !== 'fieldsV1') left--
    if (!fieldsV1) continue
    let count = counts.get(fieldsV1)
    if (count === undefined) counts.set(fieldsV1, (count = countUpTo(fieldsV1, MAX_VALUES)))
    left -= count + 1
  }
  return left < 0
}

/** Whether two lists of entries differ only in times. */
export function sameButTimes(
  a: readonly ManagedFieldsEntry[] | undefined,
  b: readonly ManagedFieldsEntry[] | undefined,
): boolean {
  if (a === b) return true
  if (!a || !b || a.length !== b.length) return false
  const keyOf = ({ manager, operation, apiVersion, subresource }: ManagedFieldsEntry) =>
    JSON.stringify([manager, operation, apiVersion, subresource])
  const left = new Map(a.map((entry) => [keyOf(entry), entry.fieldsV1]))
  return b.every((entry) => {
    const key = keyOf(entry)
    return left.has(key) && sameJson(left.get(key), entry.fieldsV1)
  })
}

/** Why managedFields entries are invalid; null when they are valid. */
export function faultOfEntries(entries: readonly ManagedFieldsEntry[] | undefined): string | null {
  try {
    readManaged(entries)
    return null
  } catch (error) {
    if (error instanceof FieldsV1Error) return error.message
    throw error
  }
}

const known = new WeakMap<ResourceEntry, Map<string, Omit<Versions, 'convert'>>>()

/** The versions of a kind, as writes through an endpoint see them; conversion throws 400 for an invalid object. */
export function versionsOf(
  served: ResourceEntry,
  subresource: string,
  how: { readonly c: HookContext; readonly conversions: Conversions | null },
): Versions {
  const { topology, ignored } = ownVersions(served, subresource)
  return {
    topology,
    ignored,
    convert: (object, from, to) =>
      converted(object, versionNamed(served, from)!, versionNamed(served, to)!, how),
  }
}

/** One of the versions, as if there were no others. */
const aloneIn = (apiVersion: string, versions: Versions): Versions => ({
  ...versions,
  topology: (version) => (version === apiVersion ? versions.topology(version) : null),
})

/** What does not depend on the request. */
function ownVersions(served: ResourceEntry, subresource: string): Omit<Versions, 'convert'> {
  let ofServed = known.get(served)
  if (!ofServed) known.set(served, (ofServed = new Map()))
  let versions = ofServed.get(subresource)
  if (!versions) ofServed.set(subresource, (versions = knownVersions(served, subresource)))
  return versions
}

function knownVersions(served: ResourceEntry, subresource: string): Omit<Versions, 'convert'> {
  const unowned = FieldSet.ofPaths(...unownedPaths(served, subresource))
  return {
    topology: (apiVersion) => {
      const version = versionNamed(served, apiVersion)
      return version ? (version.topology ?? DEDUCED) : null
    },
    ignored: () => unowned,
  }
}

const versionNamed = (served: ResourceEntry, apiVersion: string): ResourceEntry | undefined =>
  served.groupVersion === apiVersion
    ? served
    : served.versions.find((version) => version.groupVersion === apiVersion)

// Defaults are not set: a field that was removed from an object must stay removed.
function converted(
  object: unknown,
  from: ResourceEntry,
  to: ResourceEntry,
  { c, conversions }: { readonly c: HookContext; readonly conversions: Conversions | null },
): unknown {
  if (conversions) return conversions.get(object as JsonObject, from, to)
  const isSame = (version: ResourceEntry) => !version.conversion || version.conversion.same
  if (isSame(from) && isSame(to)) {
    return { ...(object as JsonObject), apiVersion: to.groupVersion }
  }
  let decoded: Typed
  try {
    decoded = from.codec.decode(object, new Decoding({ fills: false })) as unknown as Typed
  } catch (error) {
    throw misfit(from, error)
  }
  const storage = from.conversion ? from.conversion.convertToStorage(decoded, c) : decoded
  return to.codec.plain(convertFromStorage(to, storage, c) as never)
}

/** Fields that an endpoint resets, so that they get no owner there. */
function unownedPaths({ strategy, subresources }: ResourceEntry, subresource: string): Path[] {
  const part = subresources.get(subresource)
  const paths =
    part?.serves === 'part'
      ? (part.unowned ?? ['spec'])
      : (strategy.unowned ?? (subresources.has('status') ? ['status'] : []))
  return paths.map((path) => path.split('.').map(fieldElement))
}
