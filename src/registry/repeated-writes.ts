/**
 * Updates like the last one of an object: renewals of a lease, reports of a status, another image. The same client sends
 * the same bytes with other values at the same places. From two such updates is learned which fields the values are for
 * (`repetition.ts`); the next ones set these fields, and the time in managedFields, without reading the body, merging, or
 * finding out owners. Admission, checks and the commit are those of every update.
 */
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import { formatTime } from '../base/time.ts'
import { Decoding, type JsonObject } from '../codec/codec.ts'
import { copyJson } from '../codec/json-clone.ts'
import { setOwn } from '../codec/json-scanner.ts'
import type { ManagedFieldsEntry, ObjectMeta, Typed } from '../meta/object-meta.ts'
import { sameJson } from '../patch/json-value.ts'
import { entriesAt } from '../patch/managed-fields.ts'
import { BodyForm, type Way } from './body-form.ts'
import { hookContext, type Body, type Call, type Query, type WriteDependencies } from './context.ts'
import { decodeLike, type HotObject, isLikeable, shallow } from './hot-objects.ts'
import { decodeServed } from './objects.ts'
import { repetitionOf, retimedEntry, type Repetition, type Target } from './repetition.ts'
import type { Result } from './results.ts'
import type { HeardWrite } from './unchanged-writes.ts'
import { updateObject } from './update-object.ts'
import type { Present, Source } from './update-source.ts'

/** What is known of the last update of an object. */
interface Known {
  readonly served: ResourceEntry
  revision: number
  readonly how: How
  /** Its body; null once it can be repeated. */
  readonly body: Buffer | null
  readonly repetition: Repetition | null
  /** Updates in a row from which nothing was learned. */
  readonly misses: number
}

/** How a request came: only the same way is compared. */
type How = Pick<Call, 'subresource' | 'userAgent' | 'query'> & Pick<Body, 'mediaType'>

const APPLY = 'application/apply-patch+yaml'
const WHOLE = ['application/json', '']
const MEDIA_TYPES = [
  ...WHOLE,
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  APPLY,
]

/** Bytes of one generation of bodies and forms. */
const MOST_BYTES = 256 << 10
const LARGEST_BODY = 16 << 10
/** After so many updates without a lesson, only each so-manieth is looked at. */
const PATIENCE = 4
const SELDOM = 64

/** Thrown where an update is none of those before, or the object is another one meanwhile. */
class NotRepeated extends Error {}
const NOT_REPEATED = new NotRepeated('not repeated')

/** The last updates of objects; bounded. */
export class RepeatedWrites {
  #young = new Map<string, Known>()
  #old: ReadonlyMap<string, Known> = new Map()
  #bytes = 0
  readonly #most: number
  /** Updates that were repeated. */
  done = 0

  constructor(most = MOST_BYTES) {
    this.#most = most
  }

  /**
   * Repeats the last update of this version with other values, or does it in full where that is seen to be necessary; null
   * where it is none of those before.
   */
  repeat(
    api: WriteDependencies,
    call: Call,
    body: Body,
    { live, whole }: { readonly live: StoredObject; readonly whole: () => Promise<Result> },
  ): Promise<Result> | null {
    const known = this.#known(live.key)
    const repetition = known?.repetition
    if (!repetition || known.revision !== live.revision || known.served !== call.served) return null
    if (!isSameHow(known.how, call, body)) return null
    const { form, identity, isWhole, options } = repetition
    if (isWhole && body.decoded && !identity) return null
    const values = form.read(body.bytes)
    if (!values) return null
    const source = new RepeatedSource(call, body, { live, known, repetition, values })
    return updateObject(api, call, source, options).then(
      (result) => {
        // What admission added would stay in the next object, although its body does not have it.
        if (result.is === 'object' && source.isSame) known.revision = result.version.revision
        this.done++
        return result
      },
      (error: unknown) => {
        if (error === NOT_REPEATED) return whole()
        throw error
      },
    )
  }

  /** Learns from an update that was done in full. */
  async heard(api: WriteDependencies, write: HeardWrite, heard: Heard): Promise<void> {
    const { body, live, result } = heard
    const { served } = write.call
    if (result.is !== 'object' || !api.hot || !isRepeatable(served) || !write.shown) return
    const { revision } = result.version
    if (revision <= live.revision || !write.isSilent) return
    if (body.bytes.length > LARGEST_BODY || !MEDIA_TYPES.includes(body.mediaType)) return
    const how = howOf(write.call, body)
    const known = this.#known(live.key)
    const isNext =
      known?.revision === live.revision &&
      known.served === served &&
      isSameHow(known.how, write.call, body)
    const last = isNext ? known : null
    const lesson = last && (await lessonOf(api, write, heard, last))
    const repetition = lesson?.repetition ?? null
    const misses = repetition ? 0 : (last?.misses ?? 0) + (lesson ? 1 : 0)
    const bytes = repetition ? null : Buffer.from(body.bytes)
    this.#keep(live.key, { served, revision, how, body: bytes, repetition, misses })
  }

  #known(key: string): Known | undefined {
    const young = this.#young.get(key)
    if (young) return young
    const known = this.#old.get(key)
    if (known) this.#keep(key, known)
    return known
  }

  #keep(key: string, known: Known): void {
    this.#bytes += sizeOf(known) - sizeOf(this.#young.get(key))
    this.#young.set(key, known)
    if (this.#bytes < this.#most) return
    this.#old = this.#young
    this.#young = new Map()
    this.#bytes = 0
  }
}

/** An update that may be repeated. */
interface Repeated {
  readonly live: StoredObject
  readonly known: Known
  readonly repetition: Repetition
  readonly values: readonly (string | number)[]
}

/** Makes the object of a repeated update. */
class RepeatedSource implements Source {
  readonly tracked = true
  readonly isRepeated = true
  readonly key: string
  readonly sharesParts: boolean
  readonly versionless: boolean
  readonly fresh: (() => Promise<Typed>) | null
  /** Whether admission left the object as it was made. */
  isSame = true
  /** The values were set in the object, not in its JSON. */
  #isLocated = false
  readonly #call: Call
  readonly #body: Body
  readonly #repeated: Repeated
  readonly #resourceVersion: string | undefined

  constructor(call: Call, body: Body, repeated: Repeated) {
    const { known, repetition, values } = repeated
    const { versionAt: at, isWhole } = repetition
    this.key = repeated.live.key
    this.#call = call
    this.#body = body
    this.#repeated = repeated
    this.#resourceVersion = at === -1 ? undefined : String(values[at])
    this.sharesParts = !call.served.over
    this.versionless = !isWhole && at === -1
    const isCreating =
      known.how.mediaType === APPLY || (isWhole && call.served.strategy.createOnUpdate)
    this.fresh = isCreating ? notRepeated : null
  }

  next({ hot, live }: Present): Typed {
    const { repetition, values } = this.#repeated
    if (!hot || live !== this.#repeated.live) throw NOT_REPEATED
    this.#isLocated = keepsAll(repetition, values)
    const object = nextOf(this.#call, hot, repetition, { values, isLocated: this.#isLocated })
    if (!object) throw NOT_REPEATED
    const { identity } = repetition
    if (identity) this.#body.decoded?.(identifiedBy(identity, this.#resourceVersion))
    return object
  }

  /** A text or number that is decoded as itself is written as itself. */
  differs(next: Typed, old: Typed): boolean {
    const { repetition, values } = this.#repeated
    const { targets } = repetition
    const i = this.#isLocated ? targets.findIndex(isField) : -1
    if (i === -1) return false
    const { way } = (targets[i] as FieldTarget).located!
    return valueAt(next, way) === values[i] && valueAt(old, way) !== values[i]
  }

  replaced(sent: Typed, by: Typed): void {
    this.isSame = sameJson(sent, by)
  }
}

const notRepeated = () => Promise.reject<Typed>(NOT_REPEATED)

const identifiedBy = (identity: ObjectMeta, resourceVersion: string | undefined): ObjectMeta =>
  resourceVersion === undefined ? identity : { ...identity, resourceVersion }

/** An update that was done in full. */
interface Heard {
  readonly body: Body
  /** The version before it. */
  readonly live: StoredObject
  readonly result: Result
  /** The same, decoded. */
  readonly before: HotObject | null
}

/** Bytes besides those of a body. */
const OVERHEAD = 512

const sizeOf = (known: Known | undefined): number =>
  known ? OVERHEAD + (known.body?.length ?? 0) + (known.repetition?.form.bytes ?? 0) : 0

const howOf = (
  { subresource, userAgent, query }: Call,
  { mediaType }: Pick<Body, 'mediaType'>,
): How => ({ subresource, userAgent, query, mediaType })

const isSameHow = (
  how: How,
  { subresource, userAgent, query }: Call,
  { mediaType }: Pick<Body, 'mediaType'>,
): boolean =>
  how.mediaType === mediaType &&
  how.userAgent === userAgent &&
  how.subresource === subresource &&
  isSameQuery(how.query, query)

/** Whether two requests have the same parameters. */
export function isSameQuery(a: Query, b: Query): boolean {
  if (a.size !== b.size) return false
  for (const [name, values] of a) {
    const others = b.get(name)
    if (others?.length !== values.length || values.some((value, i) => value !== others[i]))
      return false
  }
  return true
}

/** What two updates teach; null: they were not looked at. */
async function lessonOf(
  { hot, ...api }: WriteDependencies,
  write: HeardWrite,
  { body, before, result }: Heard,
  last: Known,
): Promise<{ readonly repetition: Repetition | null } | null> {
  const { call, shown, identity } = write
  if (!last.body || !before || result.is !== 'object') return null
  const { served } = call
  const after = hot?.find(served, result.version)
  if (!after) return null
  const entries = [before, after].map(({ object }) => object.metadata.managedFields)
  if (!retimedEntry(entries[0], entries[1])) return null
  if (last.misses >= PATIENCE && result.version.revision % SELDOM !== 0) return null
  const form = BodyForm.of(last.body, body.bytes)
  if (!form) return { repetition: null }
  write.isOver = true
  const repetition = await repetitionOf({
    served,
    c: hookContext(api, call.user, served),
    form,
    body: body.bytes,
    isWhole: WHOLE.includes(body.mediaType),
    before,
    after,
    options: shown!.options,
    identity,
    again: () => shown!.next(after, result.version),
  }).catch(() => null)
  return { repetition: write.isSilent ? repetition : null }
}

/** Whether all values of fields are decoded as themselves, so that they can be set in the object. */
function keepsAll(
  { targets, isLocated }: Repetition,
  values: readonly (string | number)[],
): boolean {
  if (!isLocated) return false
  for (let i = 0; i < targets.length; i++) {
    const target = targets[i]!
    if (target.is === 'field' && !target.located!.keeps(values[i]!)) return false
  }
  return true
}

/** The object that an update makes of the present one; null where that has to be found out in full. */
function nextOf(
  call: Call,
  hot: HotObject,
  repetition: Repetition,
  { values, isLocated }: { readonly values: readonly (string | number)[]; isLocated: boolean },
): Typed | null {
  const { targets, owner, absent } = repetition
  const before = hot.object.metadata.managedFields
  const mine = before && entryOf(before, owner)
  if (!mine) return null
  for (let i = 0; i < targets.length; i++) {
    const { is } = targets[i]!
    if (is !== 'field' && values[i] !== repeatedOf(is, hot, mine)) return null
  }
  const entries = entriesAt(before, mine, formatTime(call.context().now))
  const object = isLocated
    ? changedObject(call, hot, repetition, { values, entries })
    : decodedObject(call, hot, repetition, { values, entries })
  if (!object) return null
  for (const name of absent.members) delete (object as unknown as JsonObject)[name]
  for (const name of absent.metadata) delete (object.metadata as JsonObject)[name]
  return object
}

function entryOf(
  entries: readonly ManagedFieldsEntry[],
  owner: ManagedFieldsEntry,
): ManagedFieldsEntry | null {
  for (let i = 0; i < entries.length; i++) if (isSameOwner(entries[i]!, owner)) return entries[i]!
  return null
}

/** What the next object has: values at the places of the form, and managedFields. */
interface NextValues {
  readonly values: readonly (string | number)[]
  readonly entries: ManagedFieldsEntry[]
}

/** The object with other values at places of its own. */
function changedObject(
  { served, subresource, context }: Call,
  { object: before }: HotObject,
  { targets, isWhole }: Repetition,
  { values, entries }: NextValues,
): Typed | null {
  const object = shallow(before, before, entries, subresource !== '' || setsMembers(served))
  for (let i = 0; i < targets.length; i++) {
    const target = targets[i]!
    if (target.is === 'field' && !setValue(object, before, target.located!.way, values[i]!))
      return null
  }
  // Defaults of a body were set when it was learned what it says.
  if (served.over && !isWhole) served.strategy.setDefaults?.(object, context())
  return hasValues(object, targets, values, ({ located }) => located!.way) ? object : null
}

/** Whether hooks of an update may set members of the parts of an object. */
const setsMembers = ({ over, strategy }: ResourceEntry): boolean =>
  !over || !!strategy.setDefaults || !!strategy.prepareForUpdate || !!strategy.canonicalize

/** The object of the JSON with other values. */
function decodedObject(
  call: Call,
  hot: HotObject,
  { targets, isWhole }: Repetition,
  { values, entries }: NextValues,
): Typed | null {
  let document = hot.json
  for (const [i, target] of targets.entries()) {
    if (target.is !== 'field') continue
    const changed = withValue(document, target.way, values[i]!)
    if (!changed) return null
    document = changed
  }
  const object = decodedLike(call, document, hot, isWhole)
  // Where another text means the same, no field changes.
  if (!object || !hasValues(object, targets, values, ({ way }) => way)) return null
  object.metadata.managedFields = [...entries]
  return object
}

type FieldTarget = Extract<Target, { readonly is: 'field' }>

const isField = ({ is }: Target): boolean => is === 'field'

function hasValues(
  object: Typed,
  targets: readonly Target[],
  values: readonly (string | number)[],
  wayOf: (target: FieldTarget) => Way,
): boolean {
  for (let i = 0; i < targets.length; i++) {
    const target = targets[i]!
    if (target.is === 'field' && valueAt(object, wayOf(target)) !== values[i]) return false
  }
  return true
}

const isSameOwner = (a: ManagedFieldsEntry, b: ManagedFieldsEntry): boolean =>
  a.manager === b.manager &&
  a.operation === b.operation &&
  a.subresource === b.subresource &&
  a.apiVersion === b.apiVersion

function repeatedOf(
  is: 'version' | 'generation' | 'time',
  { object: { metadata } }: HotObject,
  mine: ManagedFieldsEntry,
): unknown {
  switch (is) {
    case 'version':
      return metadata.resourceVersion
    case 'generation':
      return metadata.generation
    case 'time':
      return mine.time
  }
}

/**
 * Sets another value at a place of an object, whose parts are copied where they are those of `before`; false where it has
 * none there, or that value.
 */
function setValue(object: Typed, before: Typed, way: Way, value: string | number): boolean {
  let target = object as unknown as JsonObject
  let known = before as unknown as JsonObject | undefined
  const last = way.length - 1
  for (let i = 0; i < last; i++) {
    const step = way[i] as string
    let part = target[step] as JsonObject
    if (typeof part !== 'object' || part === null) return false
    const was = known?.[step] as JsonObject | undefined
    if (part === was) {
      part = copyPart(part)
      setOwn(target, step, part)
    }
    target = part
    known = was
  }
  const was = target[way[last] as string]
  if (was === value || typeof was !== typeof value) return false
  setOwn(target, way[last] as string, value)
  return true
}

const copyPart = (part: JsonObject): JsonObject =>
  Array.isArray(part) ? (part.slice() as unknown as JsonObject) : { ...part }

/** A document with another value at a place; null where it has none there, or that value. */
function withValue(
  document: JsonObject,
  [step, ...others]: Way,
  value: string | number,
): JsonObject | null {
  const was = document[step!]
  let is: unknown = value
  if (others.length > 0) {
    if (typeof was !== 'object' || was === null) return null
    is = withValue(was as JsonObject, others, value)
    if (!is) return null
  } else if (was === value || typeof was !== typeof value) return null
  const copy = copyPart(document)
  setOwn(copy, step as string, is)
  return copy
}

function valueAt(object: Typed, way: Way): unknown {
  let value: unknown = object
  for (let i = 0; i < way.length; i++) value = (value as JsonObject | undefined)?.[way[i]!]
  return value
}

/** The object of a document, as the full way makes it; null where it does not fit. */
function decodedLike(
  { served, context }: Call,
  document: JsonObject,
  hot: HotObject,
  isWhole: boolean,
): Typed | null {
  try {
    // Defaults of a body were set when it was learned what it says.
    if (!isLikeable(served)) {
      const own = copyJson(document)
      return isWhole
        ? (served.codec.decode(own, new Decoding()) as unknown as Typed)
        : decodeServed(served, own, context()).object
    }
    if (!isWhole)
      return decodeLike(served, document, hot, { c: context(), written: undefined }).object
    const decoded = served.over!.decode(document, hot.pair, new Decoding())
    return shallow(decoded as unknown as Typed, hot.bare)
  } catch {
    return null
  }
}

/** Whether the JSON of the stored object is that which clients see. */
const isRepeatable = ({ conversion }: ResourceEntry): boolean => !conversion
