/** Reads and writes the entries of `metadata.managedFields`, and updates them on each write. */
import { StatusError } from '../meta/errors.ts'
import type { ManagedFieldsEntry } from '../meta/object-meta.ts'
import { putInOrder } from '../base/in-order.ts'
import { finish, type Steps } from '../base/steps.ts'
import { compareText, fieldElement } from './field-path.ts'
import { FieldSet } from './field-set.ts'
import { firstFieldsSteps, type Unowned } from './first-fields.ts'
import type { FirstForms } from './first-forms.ts'
import { FieldsV1Error, fromFieldsV1, toFieldsV1 } from './fields-v1.ts'
import {
  ApplyConflict,
  applyManagerSteps,
  type Manager,
  type Managers,
  pathTexts,
  updateManagerSteps,
  type Versioned,
  type Versions,
} from './managers.ts'
import { type JsonObject, sameJson } from './json-value.ts'
import { TypedValueError } from './typed-items.ts'
import type { Comparison } from './changes.ts'
import { compareSteps } from './typed-value.ts'

/** Decoded entries of one object. Managers are keyed by the members that all of their writes share. */
export interface Managed {
  readonly managers: Managers
  /** RFC 3339, whole seconds. */
  readonly times: ReadonlyMap<string, string>
}

type Operation = 'Apply' | 'Update'

/** Identifies one manager's entry. */
export interface ManagerIdentity {
  readonly manager: string
  readonly operation: Operation
  /** Empty for apply: one applier has one entry for all versions. */
  readonly apiVersion: string
  readonly subresource: string
}

const UNMANAGED: Managed = { managers: new Map(), times: new Map() }

/** Update entries that an object may have before the oldest become one. */
const MAX_UPDATERS = 10
const ANCIENT = 'ancient-changes'
const BEFORE_FIRST_APPLY = 'before-first-apply'
/** The request itself, until its changes join the entry of its manager. No identity has this text. */
const THIS_WRITE = 'this-write'

const idOf = ({ manager, operation, apiVersion, subresource }: ManagerIdentity): string =>
  JSON.stringify([manager, operation, operation === 'Apply' ? '' : apiVersion, subresource])

function identityOf(id: string): ManagerIdentity {
  // Written by idOf.
  const [manager, operation, apiVersion, subresource] = JSON.parse(id) as [
    string,
    Operation,
    string,
    string,
  ]
  return { manager, operation, apiVersion, subresource }
}

/** The form in which a set was read; it does not change, and most sets outlive a write unchanged. */
const written = new WeakMap<FieldSet, Record<string, unknown>>()

/** What an entry says; most of them outlive a write unchanged. Nobody changes an entry that was read. */
interface ReadEntry {
  readonly id: string
  readonly manager: Manager
}

const readEntries = new WeakMap<ManagedFieldsEntry, ReadEntry>()
const writtenEntries = new WeakMap<Manager, ManagedFieldsEntry>()

/** Decodes entries. Throws FieldsV1Error when one is invalid. */
export function readManaged(entries: readonly ManagedFieldsEntry[] | undefined): Managed {
  const managers = new Map<string, Manager>()
  const times = new Map<string, string>()
  for (const entry of entries ?? []) {
    const known = readEntries.get(entry)
    if (known) {
      managers.set(known.id, known.manager)
      if (entry.time !== undefined) times.set(known.id, entry.time)
      continue
    }
    const { manager = '', operation, apiVersion = '', fieldsType, subresource = '', time } = entry
    if (operation !== 'Apply' && operation !== 'Update') {
      throw new FieldsV1Error(`unknown operation of a field manager: ${operation ?? ''}`)
    }
    if (fieldsType !== 'FieldsV1') {
      throw new FieldsV1Error(`unknown form of managed fields: ${fieldsType ?? ''}`)
    }
    const id = idOf({ manager, operation, apiVersion, subresource })
    const set = fromFieldsV1(entry.fieldsV1 ?? {})
    // The decoded value is an object.
    if (!set.isEmpty) written.set(set, entry.fieldsV1 as Record<string, unknown>)
    const one: Manager = { set, apiVersion, applied: operation === 'Apply' }
    keepEntry(entry, id, one)
    managers.set(id, one)
    if (time !== undefined) times.set(id, time)
  }
  return { managers, times }
}

function keepEntry(entry: ManagedFieldsEntry, id: string, manager: Manager): void {
  readEntries.set(entry, { id, manager })
  writtenEntries.set(manager, entry)
}

/** Writes entries in their order: by operation, time, manager, version and sub-resource. */
export function writeManaged({ managers, times }: Managed): ManagedFieldsEntry[] {
  const entries = Array.from(managers, ([id, manager]) => {
    const time = times.get(id)
    const known = writtenEntries.get(manager)
    if (known && known.time === time && readEntries.get(known)?.id === id) return known
    const { set, apiVersion, applied } = manager
    const { manager: name, subresource } = identityOf(id)
    const entry = entryOf({
      manager: name,
      subresource,
      operation: applied ? 'Apply' : 'Update',
      apiVersion,
      time,
      fieldsV1: written.get(set) ?? toFieldsV1(set),
    })
    if (!set.isEmpty) {
      written.set(set, entry.fieldsV1 as Record<string, unknown>)
      keepEntry(entry, id, manager)
    }
    return entry
  })
  return putInOrder(entries, byPlace)
}

/**
 * Entries after a write of which it is known that it changes nothing but the time of one of them: the very same list where
 * that stays as well.
 */
export function entriesAt<T extends readonly ManagedFieldsEntry[]>(
  entries: T,
  mine: ManagedFieldsEntry,
  now: string,
): T | ManagedFieldsEntry[] {
  if (mine.time === now) return entries
  const { manager = '', operation, apiVersion = '', fieldsV1, subresource = '' } = mine
  const kept = { manager, operation: operation as Operation, apiVersion, subresource }
  const entry = entryOf({ ...kept, time: now, fieldsV1: fieldsV1 as Record<string, unknown> })
  const known = readEntries.get(mine)
  if (known) keepEntry(entry, known.id, known.manager)
  return putInOrder(
    entries.map((one) => (one === mine ? entry : one)),
    byPlace,
  )
}

function entryOf(of: {
  readonly manager: string
  readonly operation: Operation
  readonly apiVersion: string
  readonly time: string | undefined
  readonly fieldsV1: Record<string, unknown>
  readonly subresource: string
}): ManagedFieldsEntry {
  const { manager, operation, apiVersion, time, fieldsV1, subresource } = of
  // Members in the order of the declaration; spreads would double the cost.
  const entry: ManagedFieldsEntry = { manager, operation, apiVersion }
  if (time !== undefined) entry.time = time
  entry.fieldsType = 'FieldsV1'
  entry.fieldsV1 = fieldsV1
  if (subresource !== '') entry.subresource = subresource
  return entry
}

const ORDER = ['operation', 'time', 'manager', 'apiVersion', 'subresource'] as const

function byPlace(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  for (const key of ORDER) {
    const order = compareText(a[key] ?? '', b[key] ?? '')
    if (order !== 0) return order
  }
  return 0
}

/** The writer, with time and endpoint. */
export interface Writer {
  readonly manager: string
  /** Empty for the object itself. */
  readonly subresource: string
  /** RFC 3339, whole seconds. */
  readonly now: string
}

/** A write that is no apply. Objects are in JSON form, without managedFields. */
export interface Update {
  readonly versions: Versions
  /** The object before; null on create. */
  readonly live: Versioned | null
  /** The zero value of the version. */
  readonly zero: Versioned
  readonly next: unknown
  readonly liveEntries: readonly ManagedFieldsEntry[] | undefined
  /** The entries that the client sent. */
  readonly sentEntries: readonly ManagedFieldsEntry[] | undefined
  /** Field sets of other new objects. */
  readonly forms?: FirstForms | undefined
}

/** The entries after a write that is no apply; none when the object is not tracked. Never throws for a client's fault. */
export const recordUpdate = (update: Update, writer: Writer): readonly ManagedFieldsEntry[] =>
  finish(updateSteps(update, writer))

/** The same in steps. */
export function* updateSteps(update: Update, writer: Writer): Steps<readonly ManagedFieldsEntry[]> {
  const { versions, live, zero, next } = update
  const liveEntries = update.liveEntries ?? []
  const sent = sentIn(update, writer)
  yield
  if (live !== null && liveEntries.length === 0 && sent === null) return []
  if (live === null && liveEntries.length === 0 && sent === null)
    return yield* firstEntries(update, writer)
  const old = live ?? zero
  const change = yield* changeOf(versions, old, next)
  if (sent === null && (!change || isNothing(change))) return liveEntries
  yield
  const before = sent ?? readable(liveEntries) ?? UNMANAGED
  yield
  if (!change) return writeManaged(before)
  const managers = yield* updateManagerSteps(
    versions,
    old,
    next,
    before.managers,
    THIS_WRITE,
    change,
  )
  yield
  const id = idOf({ ...writer, operation: 'Update', apiVersion: zero.apiVersion })
  const all = capped(joined({ managers, times: before.times }, { id, now: writer.now, before }))
  yield
  return writeManaged(all)
}

/** A new object that has no owners yet. */
export type FirstUpdate = Pick<Update, 'zero' | 'next' | 'forms'> & {
  readonly versions: Pick<Versions, 'topology' | 'ignored'>
}

/** The entries of a new object where `forms` have its fields; null: only `updateSteps` is able to tell. */
export function knownEntries(update: FirstUpdate, writer: Writer): ManagedFieldsEntry[] | null {
  const { versions, zero, next, forms } = update
  const { apiVersion } = zero
  const topology = versions.topology(apiVersion)
  const fieldsV1 = topology && forms?.find(topology, zero.object, next, unownedOf(update))
  return fieldsV1 ? [firstEntry(apiVersion, fieldsV1, writer)] : null
}

/** The entries of a new object. */
function* firstEntries(update: FirstUpdate, writer: Writer): Steps<ManagedFieldsEntry[]> {
  const { versions, zero, next } = update
  const topology = versions.topology(zero.apiVersion)
  if (!topology) return []
  try {
    const known = knownEntries(update, writer)
    if (known) return known
    const fieldsV1 = yield* firstFieldsSteps(topology, zero.object, next, unownedOf(update))
    return fieldsV1 ? [firstEntry(zero.apiVersion, fieldsV1, writer)] : []
  } catch (error) {
    if (error instanceof TypedValueError) return []
    throw error
  }
}

const unownedOf = ({ versions, zero }: FirstUpdate): Unowned => ({
  whole: versions.ignored(zero.apiVersion),
  alone: UNTRACKED,
})

const firstEntry = (
  apiVersion: string,
  fieldsV1: JsonObject,
  { manager, subresource, now }: Writer,
): ManagedFieldsEntry =>
  entryOf({ manager, operation: 'Update', apiVersion, time: now, fieldsV1, subresource })

/** How the objects differ; null when they cannot be compared, for which there must be a list with an item twice. */
function* changeOf(versions: Versions, old: Versioned, next: unknown): Steps<Comparison | null> {
  const topology = versions.topology(old.apiVersion)
  if (!topology) return null
  try {
    return yield* compareSteps(topology, old.object, next)
  } catch (error) {
    if (error instanceof TypedValueError) return null
    throw error
  }
}

const isNothing = ({ added, removed, modified }: Comparison) =>
  added.isEmpty && removed.isEmpty && modified.isEmpty

/** The entries that the client sent; null when they are unchanged, or invalid. */
function sentIn({ liveEntries, sentEntries }: Update, { subresource }: Writer): Managed | null {
  if (subresource !== '' || sentEntries === undefined || sentEntries.length === 0) return null
  if (sentEntries === liveEntries || sameJson(sentEntries, liveEntries)) return null
  if (sentEntries.length === 1 && Object.keys(sentEntries[0]!).length === 0) return UNMANAGED
  return readable(sentEntries)
}

function readable(entries: readonly ManagedFieldsEntry[] | undefined): Managed | null {
  try {
    return readManaged(entries)
  } catch (error) {
    if (error instanceof FieldsV1Error) return null
    throw error
  }
}

/** Times with that of a writer; the very same map where it wrote in the same second before. */
const timesWith = (times: Managed['times'], id: string, now: string): Managed['times'] =>
  times.get(id) === now ? times : new Map(times).set(id, now)

/** The identifier and time of a writer, and the managers before its write. */
interface Joining {
  readonly id: string
  readonly now: string
  readonly before: Managed
}

/** Adds the changes of this write to the entry of its manager. */
function joined({ managers, times }: Managed, { id, now, before }: Joining): Managed {
  const all = new Map(managers)
  const mine = all.get(THIS_WRITE)
  all.delete(THIS_WRITE)
  const set = mine?.set.difference(UNTRACKED) ?? FieldSet.empty
  if (!mine || set.isEmpty) return { managers: all, times }
  const previous = all.get(id)
  const both = previous ? previous.set.union(set) : set
  // Most writes change fields that their manager owns already: its entry is written down already.
  const was = before.managers.get(id)
  const isSame = was?.apiVersion === mine.apiVersion && was.set.equals(both)
  all.set(id, isSame ? was : { ...mine, set: both })
  return { managers: all, times: timesWith(times, id, now) }
}

const metadata = fieldElement('metadata')

/** Fields that identify an object or belong to the server. */
const UNTRACKED = FieldSet.ofPaths(
  [fieldElement('apiVersion')],
  [fieldElement('kind')],
  [metadata],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => [metadata, fieldElement(name)]),
)

/** Merges the oldest updates into one entry per version while there are too many of them. */
function capped({ managers, times }: Managed): Managed {
  if (managers.size <= MAX_UPDATERS) return { managers, times }
  const updaters = [...managers].filter(([, { applied }]) => !applied)
  if (updaters.length <= MAX_UPDATERS) return { managers, times }
  updaters.sort(
    ([a], [b]) => compareText(times.get(a) ?? '', times.get(b) ?? '') || compareText(a, b),
  )
  const all = new Map(managers)
  const at = new Map(times)
  const oldest = new Map<string, string>()
  const parts = new Map<string, FieldSet[]>()
  let count = updaters.length
  for (const [id, { set, apiVersion }] of updaters) {
    if (count <= MAX_UPDATERS) break
    const first = oldest.get(apiVersion)
    if (first === undefined) {
      oldest.set(apiVersion, id)
      continue
    }
    if (id === first) continue
    const bucket = idOf({ manager: ANCIENT, operation: 'Update', apiVersion, subresource: '' })
    const merged = parts.get(bucket) ?? []
    for (const old of [first, bucket]) {
      if (!parts.has(old) && all.has(old)) merged.push(all.get(old)!.set)
    }
    merged.push(set)
    parts.set(bucket, merged)
    for (const old of [first, id]) if (all.delete(old)) count--
    if (!all.has(bucket)) count++
    all.set(bucket, { set, apiVersion, applied: false })
    oldest.set(apiVersion, bucket)
    const time = times.get(id)
    if (time !== undefined) at.set(bucket, time)
  }
  for (const [bucket, sets] of parts) {
    all.set(bucket, { ...all.get(bucket)!, set: FieldSet.unionOf(sets) })
  }
  return { managers: all, times: at }
}

/** An apply. Objects are in JSON form, without managedFields. */
export interface Apply {
  readonly versions: Versions
  /** The object before; the zero one when there is none. */
  readonly live: Versioned
  /** The zero value of the version. */
  readonly zero: Versioned
  readonly config: unknown
  readonly liveEntries: readonly ManagedFieldsEntry[] | undefined
  readonly force: boolean
}

/** Result of an apply to an object. */
export interface Recorded {
  /** null: the object stays as it is. */
  readonly object: unknown
  readonly entries: ManagedFieldsEntry[]
}

/** Applies a configuration. Throws ApplyConflict and TypedValueError. */
export const recordApply = (apply: Apply, writer: Writer): Recorded =>
  finish(applySteps(apply, writer))

/** The same in steps. */
export function* applySteps(apply: Apply, writer: Writer): Steps<Recorded> {
  const { versions, live, config, force } = apply
  const before = yield* beforeApply(apply, writer.now)
  yield
  const id = idOf({ ...writer, operation: 'Apply', apiVersion: '' })
  const applied = yield* timed(
    before,
    applyManagerSteps(versions, live, config, before.managers, {
      manager: id,
      force,
      untracked: UNTRACKED,
    }),
  )
  yield
  const managers = new Map(applied.managers)
  const mine = managers.get(id)
  const set = mine?.set.difference(UNTRACKED) ?? FieldSet.empty
  const previous = before.managers.get(id)
  // Its written form is there already.
  if (mine && previous?.set.equals(set))
    managers.set(
      id,
      mine.apiVersion === previous.apiVersion ? previous : { ...mine, set: previous.set },
    )
  else if (mine && !set.isEmpty) managers.set(id, { ...mine, set })
  else managers.delete(id)
  // An apply without a change gets an entry without a time, or keeps its former time.
  const times = applied.object === null ? before.times : timesWith(before.times, id, writer.now)
  yield
  return { object: applied.object, entries: writeManaged({ managers, times }) }
}

/** Conflicts with the times of the owners' entries. */
function* timed<T>({ times }: Managed, apply: Steps<T>): Steps<T> {
  try {
    return yield* apply
  } catch (error) {
    throw error instanceof ApplyConflict ? new ApplyConflict(error.conflicts, times) : error
  }
}

/** The entries before an apply: of an object that is not tracked, one that has all there is. */
function* beforeApply({ versions, live, zero, liveEntries }: Apply, now: string): Steps<Managed> {
  const read = readable(liveEntries) ?? UNMANAGED
  if (read.managers.size > 0) return read
  yield
  const managers = yield* updateManagerSteps(versions, zero, live.object, read.managers, THIS_WRITE)
  const identity = { manager: BEFORE_FIRST_APPLY, apiVersion: live.apiVersion, subresource: '' }
  const id = idOf({ ...identity, operation: 'Update' })
  return joined({ managers, times: read.times }, { id, now, before: read })
}

/** Fields of one owner that a conflict lists; it limits the size of the response. */
const MAX_SHOWN = 2_000

/** The 409 for an apply that would change fields of other managers. */
export function applyConflict({ conflicts, times }: ApplyConflict): StatusError {
  const all = Array.from(conflicts, ([id, set]) => ({
    who: shown(id, times.get(id)),
    fields: pathTexts(set, MAX_SHOWN),
    count: set.size,
  }))
  const count = all.reduce((sum, one) => sum + one.count, 0)
  all.sort((a, b) => compareText(a.who, b.who))
  const causes = all.flatMap(({ who, fields }) =>
    fields.map((field) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${who}`,
      field,
    })),
  )
  const text =
    count === 1
      ? `1 conflict: ${causes[0]!.message}: ${causes[0]!.field}`
      : `${count} conflicts: ${all
          .map(({ who, fields }) => [`conflicts with ${who}:`, ...fields.map((f) => `- ${f}`)])
          .flat()
          .join('\n')}`
  return new StatusError(409, 'Conflict', `Apply failed with ${text}`, { causes })
}

function shown(id: string, time: string | undefined): string {
  const { manager, operation, apiVersion, subresource } = identityOf(id)
  const where = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`
  const when = time === undefined ? '' : ` at ${time}`
  const how = operation === 'Update' ? ` using ${apiVersion}${when}` : ''
  return `${JSON.stringify(manager)}${where}${how}`
}
