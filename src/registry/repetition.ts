/**
 * Learns from two updates of an object, one after the other, how a third one like them changes it. Nothing is known here of
 * PUT, patches and applies: their bodies differ in some values, their results in some fields, and one tells the other.
 */
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { HookContext } from '../catalogue/resource.ts'
import { Decoding, type JsonObject } from '../codec/codec.ts'
import { parseJson } from '../codec/json-text.ts'
import type { Located } from '../codec/over.ts'
import type { ManagedFieldsEntry, ObjectMeta, Typed } from '../meta/object-meta.ts'
import { sameJson } from '../patch/json-value.ts'
import type { BodyForm, Way } from './body-form.ts'
import { isLikeable, type HotObject } from './hot-objects.ts'
import type { WriteOptions } from './options.ts'
import { sameButTimes } from './ownership.ts'

/** What a place in a body is for: the value of a field, or something of the present object, which it repeats. */
export type Target =
  | {
      readonly is: 'field'
      readonly way: Way
      /** Where the object has it; null where only decoding its JSON tells. */
      readonly located: Located | null
    }
  | { readonly is: 'version' | 'generation' | 'time' }

/** An update that can be repeated: bodies of this form set these fields, and the time of one entry of managedFields. */
export interface Repetition {
  readonly form: BodyForm
  /** For each place of the form. */
  readonly targets: readonly Target[]
  /** Which of them is the resourceVersion; -1: none. */
  readonly versionAt: number
  /** Each of them that is for a field has its place in the object. */
  readonly isLocated: boolean
  readonly options: WriteOptions
  readonly owner: ManagedFieldsEntry
  /** The body is the object, not a patch of it. */
  readonly isWhole: boolean
  /** Members that the stored object has, and that of the body not. */
  readonly absent: Absent
  /** What the audit record says of the object in the body. */
  readonly identity: ObjectMeta | null
}

interface Absent {
  readonly members: readonly string[]
  readonly metadata: readonly string[]
}

/** Two updates of an object: the last, and what is known of the one before. */
export interface TwoUpdates {
  readonly served: ResourceEntry
  readonly c: HookContext
  readonly form: BodyForm
  readonly body: Buffer
  readonly isWhole: boolean
  /** The object before and after the last update. */
  readonly before: HotObject
  readonly after: HotObject
  readonly options: WriteOptions
  readonly identity: ObjectMeta | null
  /** Does the last update again, with its own result. */
  readonly again: () => Promise<Typed>
}

/** The entry of managedFields whose time is all that differs; null: there is none, or more differs. */
export function retimedEntry(
  before: readonly ManagedFieldsEntry[] = [],
  after: readonly ManagedFieldsEntry[] = [],
): { readonly was: ManagedFieldsEntry; readonly is: ManagedFieldsEntry } | null {
  const gone = lackingEntries(before, after)
  const come = lackingEntries(after, before)
  const [was] = gone
  const [is] = come
  if (!was || !is || gone.length > 1 || come.length > 1) return null
  if (was.time === undefined || is.time === undefined || was.time === is.time) return null
  return sameJson({ ...was, time: '' }, { ...is, time: '' }) ? { was, is } : null
}

/** Entries that are not in others; those are other objects where the client has sent all of them. */
const lackingEntries = (
  some: readonly ManagedFieldsEntry[],
  others: readonly ManagedFieldsEntry[],
): readonly ManagedFieldsEntry[] =>
  some.filter((entry) => !others.includes(entry) && !others.some((is) => sameJson(is, entry)))

/**
 * What is to be known to repeat the last of two updates; null where it cannot be told from them. The last one did exactly
 * this: it set fields to the values in its body and the time of its entry, and would change nothing if it came again.
 */
export async function repetitionOf(updates: TwoUpdates): Promise<Repetition | null> {
  const { served, c, form, body, isWhole, before, after, options, identity } = updates
  const owner = retimedEntry(
    before.object.metadata.managedFields,
    after.object.metadata.managedFields,
  )
  const changed = owner && changedFields(before.json, after.json)
  if (!changed) return null
  const targets = targetsOf(updates, owner.was, changed)
  if (!targets) return null
  const again = await updates.again()
  const absent = absentIn(updates, again, targets)
  if (!absent) return null
  if (isWhole && readsPlaces(served, c, body, form)) return null
  const versionAt = targets.findIndex(({ is }) => is === 'version')
  const isLocated = targets.every((target) => target.is !== 'field' || target.located !== null)
  const kept = { form, targets, versionAt, isLocated, isWhole }
  return { ...kept, options, owner: owner.is, absent, identity }
}

/** A field with another value than before. */
interface ChangedField {
  readonly way: Way
  readonly value: string | number
}

/** Most fields that one update changes and that are looked at. */
const MOST_FIELDS = 32

/** The texts and numbers that differ in two documents; null where more than that differs. */
function changedFields(before: JsonObject, after: JsonObject): readonly ChangedField[] | null {
  const found: ChangedField[] = []
  const way: (string | number)[] = []
  const differ = (a: unknown, b: unknown): boolean => {
    if (a === b) return true
    if (typeof a !== typeof b || a === null || b === null) return false
    if (typeof b === 'string' || typeof b === 'number') {
      if (isOfServer(way)) return true
      return found.push({ way: [...way], value: b }) <= MOST_FIELDS
    }
    if (typeof a !== 'object' || typeof b !== 'object') return false
    if (Array.isArray(a) !== Array.isArray(b)) return false
    const names = Object.keys(a as object)
    if (names.length !== Object.keys(b as object).length) return false
    return names.every((name) => {
      if (!Object.hasOwn(b as object, name)) return false
      way.push(Array.isArray(a) ? Number(name) : name)
      const isDone = differ((a as JsonObject)[name], (b as JsonObject)[name])
      way.pop()
      return isDone
    })
  }
  return differ(before, after) && found.length > 0 ? found : null
}

/** Fields that each write sets anew. */
const isOfServer = (way: Way): boolean =>
  way.length === 2 &&
  way[0] === 'metadata' &&
  (way[1] === 'resourceVersion' || way[1] === 'generation')

/** What the places are for; null where not each of them is for something, or a field changed without one. */
function targetsOf(
  { served, form, body, isWhole, before }: TwoUpdates,
  owner: ManagedFieldsEntry,
  changed: readonly ChangedField[],
): readonly Target[] | null {
  const values = form.read(body)!
  const { metadata } = before.object
  const left = new Set(changed)
  const targets: Target[] = []
  for (const [i, { way }] of form.places.entries()) {
    const repeats = echoOf(way, metadata, owner)
    if (repeats) {
      if (repeats.value !== values[i]) return null
      targets.push({ is: repeats.is })
      continue
    }
    const isSame = isWhole ? isSameWay : isSameButItems
    const fits = changed.filter((field) => field.value === values[i] && isSame(field.way, way))
    if (fits.length !== 1 || !left.delete(fits[0]!)) return null
    const [field] = fits
    targets.push({ is: 'field', way: field!.way, located: locatedIn(served, field!.way) })
  }
  return left.size === 0 ? targets : null
}

/**
 * Where an object has the text or number at a place of its JSON. In objects of kinds with a schema that is the same place
 * but in metadata: defaults and pruning do not depend on values, and checks come later.
 */
function locatedIn(served: ResourceEntry, way: Way): Located | null {
  if (served.over) return isLikeable(served) ? served.over.locate(way) : null
  const [first, second] = way
  const isText = first === 'metadata' && (second === 'labels' || second === 'annotations')
  const isPlain = isText ? way.length === 3 : !way.includes('metadata')
  return isPlain ? { way, keeps: () => true } : null
}

/** What a place repeats of the present object; null: it sets a field. */
function echoOf(
  way: Way,
  metadata: ObjectMeta,
  owner: ManagedFieldsEntry,
): { readonly is: 'version' | 'generation' | 'time'; readonly value: unknown } | null {
  const [first, name, i, member] = way
  if (first !== 'metadata') return null
  if (way.length === 2 && name === 'resourceVersion')
    return { is: 'version', value: metadata.resourceVersion }
  if (way.length === 2 && name === 'generation')
    return { is: 'generation', value: metadata.generation }
  if (name !== 'managedFields') return null
  const isTime =
    way.length === 4 && member === 'time' && metadata.managedFields?.[Number(i)] === owner
  return { is: 'time', value: isTime ? owner.time : undefined }
}

const isSameWay = (a: Way, b: Way): boolean =>
  a.length === b.length && a.every((step, i) => step === b[i])

/** Patches name items by their keys. */
const isSameButItems = (a: Way, b: Way): boolean =>
  a.length === b.length &&
  a.every((step, i) => step === b[i] || (typeof step === 'number' && typeof b[i] === 'number'))

/** What the last update, made again, lacks of its result; null where it makes something else. */
function absentIn(
  { isWhole, before, after }: TwoUpdates,
  again: Typed,
  targets: readonly Target[],
): Absent | null {
  const isEcho = (is: Target['is']) => targets.some((target) => target.is === is)
  const own = after.object.metadata
  const { managedFields, resourceVersion, generation, ...metadata } = again.metadata
  const entries = isWhole ? before.object.metadata.managedFields : own.managedFields
  const isSteady = isWhole && !isEcho('time') && isReplaced(managedFields)
  if (managedFields && !isSteady && !(isWhole ? sameJson : sameButTimes)(managedFields, entries))
    return null
  const isVersionKnown = isWhole
    ? resourceVersion === undefined || isEcho('version')
    : resourceVersion === own.resourceVersion || isEcho('version')
  if (!isVersionKnown) return null
  if (generation !== undefined && generation !== own.generation && !isEcho('generation'))
    return null
  const inMetadata = lacking({ ...metadata, resourceVersion, generation }, own, ECHOED)
  const members = lacking(again as unknown as JsonObject, after.object as unknown as JsonObject, [
    'metadata',
  ])
  if (!inMetadata || !members) return null
  if (!isWhole && inMetadata.length + members.length > 0) return null
  return { members, metadata: inMetadata }
}

/**
 * Whether entries that a client sends are replaced by others that depend on nothing but them, the writer, and which
 * fields change: entries of an earlier version, such as those of a client that keeps its copy of the object. When there
 * are many, their times decide as well.
 */
const isReplaced = (sent: readonly ManagedFieldsEntry[] | undefined): boolean =>
  sent !== undefined && sent.length < MOST_SENT

const MOST_SENT = 10

const ECHOED = ['managedFields', 'resourceVersion', 'generation']

/** Names of members that one object has, and another, which is the same else, has not; null: they differ. */
function lacking(some: object, all: object, apart: readonly string[]): readonly string[] | null {
  const names = new Set([...Object.keys(some), ...Object.keys(all)])
  const absent: string[] = []
  for (const name of names) {
    const is = (some as JsonObject)[name]
    const whole = (all as JsonObject)[name]
    if (is === undefined && whole !== undefined && name !== 'managedFields') absent.push(name)
    else if (!apart.includes(name) && !sameJson(is, whole)) return null
  }
  return absent
}

/**
 * Whether defaults of the object in a body depend on the values at places of its form. They do not when setting them
 * reads none: then they are the same whatever these values are.
 */
export function readsPlaces(
  served: ResourceEntry,
  c: HookContext,
  body: Buffer,
  form: BodyForm,
): boolean {
  const { strategy, codec } = served
  if (!strategy.setDefaults) return false
  const places = new Set(form.places.map(({ way }) => way.join('\n')))
  let isRead = false
  const watched = (value: unknown, way: string): unknown => {
    if (typeof value === 'object' && value !== null)
      return new Proxy(value, {
        get: (target, name) => {
          const member = Reflect.get(target, name) as unknown
          if (typeof name === 'symbol' || typeof member === 'function') return member
          return watched(member, way === '' ? name : `${way}\n${name}`)
        },
      })
    // Names of the brand are written in another way.
    if (places.has(way) || way.includes('{')) isRead = true
    return value
  }
  const object = codec.decode(parseJson(body), new Decoding())
  strategy.setDefaults(watched(object, '') as never, c)
  return isRead
}
