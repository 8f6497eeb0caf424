/**
 * Objects that were written lately, decoded: the next write of one begins with what the last one stored, and shares with
 * it what it does not change. Deployment tools, controllers and leases write the same few objects again and again.
 */
import { Decoding, type JsonObject } from '../codec/codec.ts'
import { setOwn } from '../codec/json-scanner.ts'
import type { Pair } from '../codec/over.ts'
import type { Steps } from '../base/steps.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { HookContext } from '../catalogue/resource.ts'
import { type AlikePart, KnownParts, type WrittenParts } from '../meta/known-parts.ts'
import { copyMetadata } from '../meta/copy-metadata.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import type { WrittenNumbers } from '../codec/written-numbers.ts'
import { misfit, type DecodedObject } from './objects.ts'

/** The decoded form of one stored version. Nobody may change any part of it. */
export class HotObject {
  readonly storage: ResourceEntry
  readonly revision: number
  readonly object: Typed
  /** Parts that passed rules since they are like those of the object before. */
  alike: AlikePart | null = null
  #json: JsonObject | null = null
  /** An earlier version whose JSON is known, from which the JSON of this one is computed on first use. */
  #like: HotObject | null = null
  #bare: Typed | null = null
  #pair: Pair | null = null

  constructor(storage: ResourceEntry, revision: number, object: Typed) {
    this.storage = storage
    this.revision = revision
    this.object = object
  }

  /** The JSON of the storage version, without managedFields. */
  get json(): JsonObject {
    if (this.#json) return this.#json
    const bare = this.bare as unknown as JsonObject
    this.#json = jsonLike(this.storage, bare, this.#like)
    this.#like = null
    return this.#json
  }

  /** The JSON will be made from that of another object, with which this one shares most parts. */
  likeness(before: HotObject): this {
    this.#like = before.#json ? before : before.#like
    return this
  }

  /** Both forms, without managedFields. */
  get pair(): Pair {
    return (this.#pair ??= { object: this.bare as unknown as JsonObject, json: this.json })
  }

  /** The object without managedFields. */
  get bare(): Typed {
    return (this.#bare ??= bareOf(this.object))
  }
}

/** JSON bytes of the objects of one generation; decoded they take several times as much. */
const MOST_BYTES = 256 << 10
/** Part of these bytes that one object may take. */
const LARGEST = 1 / 4

/** Decoded objects of the newest writes; bounded by their JSON bytes. */
export class HotObjects {
  #young = new Map<string, HotObject>()
  #old: ReadonlyMap<string, HotObject> = new Map()
  #bytes = 0
  readonly #most: number
  /** Parts of the objects that passed rules. */
  readonly #parts = new KnownParts()

  constructor(most = MOST_BYTES) {
    this.#most = most
  }

  /** The decoded form of a stored version; null: it has to be decoded. */
  find({ storage }: Pick<ResourceEntry, 'storage'>, live: StoredObject): HotObject | null {
    const hot = this.#young.get(live.key) ?? this.#old.get(live.key)
    return hot?.revision === live.revision && hot.storage === storage ? hot : null
  }

  /**
   * The same for a new object that may share parts with others, `like` one that passed; what `canonicalize` sets lies less deep
   * than they do.
   */
  newPartsFor(served: ResourceEntry, like: Typed | null): WrittenParts | undefined {
    return isLikeable(served, 'create') && !served.strategy.allocate
      ? this.#parts.begin(like)
      : undefined
  }

  /** For the checks of an object that may share parts with the present one; undefined: all of it has to be checked. */
  partsFor(served: ResourceEntry, present: HotObject | null): WrittenParts | undefined {
    const { allocate, canonicalize } = served.strategy
    // These change the object after its checks.
    if (!isLikeable(served) || allocate || canonicalize) return undefined
    return this.#parts.begin(null, present && present.alike)
  }

  /** Keeps the object that a write stored as this version; it must not be changed by others from now on. Null: it is too large. */
  keep(
    { storage }: Pick<ResourceEntry, 'storage'>,
    version: StoredObject,
    stored: Typed,
    before: HotObject | null,
  ): HotObject | null {
    const { key, revision, bytes } = version
    if (bytes > this.#most * LARGEST) return null
    stored.metadata.resourceVersion = String(revision)
    const hot = new HotObject(storage, revision, stored)
    if (!this.#young.has(key)) this.#bytes += bytes
    this.#young.set(key, before ? hot.likeness(before) : hot)
    if (this.#bytes < this.#most) return hot
    this.#old = this.#young
    this.#young = new Map()
    this.#bytes = 0
    return hot
  }
}

/** The JSON of an object of the storage version without managedFields; parts of `before` that it has are shared. */
export function documentLike(
  storage: ResourceEntry,
  object: Typed,
  before: HotObject | null,
): JsonObject {
  return jsonLike(storage, bareOf(object) as unknown as JsonObject, before)
}

const jsonLike = (storage: ResourceEntry, bare: JsonObject, before: HotObject | null): JsonObject =>
  before && storage.over && isLikeable(storage)
    ? storage.over.plain(bare, before.pair)
    : storage.codec.plain(bare)

function bareOf(object: Typed): Typed {
  const bare = { ...object }
  bare.metadata = copyMetadata(object.metadata, undefined)
  return bare
}

/** How a document is decoded. */
interface LikeDecoding {
  readonly c: HookContext
  /** Number literals of the JSON text. */
  readonly written: WrittenNumbers | undefined
}

/** As `decodeServedSteps`, of a document that shares parts with that of `before`. Throws 400. */
export function* decodeLikeSteps(
  served: ResourceEntry,
  value: unknown,
  before: HotObject,
  { c, written }: LikeDecoding,
): Steps<DecodedObject> {
  const decoding = new Decoding({ written })
  try {
    const object = objectLike(served, value, before, decoding)
    yield
    served.strategy.setDefaults?.(object, c)
    return { object, unknown: decoding.unknown }
  } catch (error) {
    throw misfit(served, error)
  }
}

/** The same at once. */
export function decodeLike(
  served: ResourceEntry,
  value: unknown,
  before: HotObject,
  { c, written }: LikeDecoding,
): DecodedObject {
  const decoding = new Decoding({ written })
  try {
    const object = objectLike(served, value, before, decoding)
    served.strategy.setDefaults?.(object, c)
    return { object, unknown: decoding.unknown }
  } catch (error) {
    throw misfit(served, error)
  }
}

/** The object of a document, with the managedFields of `before`, and without defaults. */
function objectLike(
  served: ResourceEntry,
  value: unknown,
  before: HotObject,
  decoding: Decoding,
): Typed {
  const decoded = served.over!.decode(value, before.pair, decoding) as unknown as Typed
  return shallow(decoded, before.bare, before.object.metadata.managedFields)
}

/** Whether writes through an endpoint may share parts with the present object, or creates with each other. */
export const isLikeable = (
  { conversion, over, strategy: { sharesParts } }: ResourceEntry,
  on?: 'create',
): boolean =>
  !conversion && !!over && (sharesParts === true || (on !== undefined && sharesParts === on))

/** An object from a body, with the parts of the present one that it repeats. The given one must not be used afterwards. */
export const sharing = (object: Typed, { object: before }: HotObject): Typed =>
  shallow(withPartsOf(object, before) as Typed, before)

/** The value before where both are equal, else the value itself, in which all parts that stay are those from before. */
export function withPartsOf(value: unknown, before: unknown): unknown {
  if (typeof value !== 'object' || typeof before !== 'object') return value
  if (value === null || before === null) return value
  if (Array.isArray(value)) return Array.isArray(before) ? withItemsOf(value, before) : value
  if (!isPlain(value) || !isPlain(before)) return value
  let same = 0
  let count = 0
  for (const key in value) {
    count++
    if (!Object.hasOwn(before, key)) continue
    const was = before[key]
    const part = withPartsOf(value[key], was)
    if (part !== value[key]) value[key] = part
    if (part === was) same++
  }
  if (same !== count) return value
  for (const _ in before) count--
  return count === 0 ? before : value
}

function withItemsOf(value: unknown[], before: readonly unknown[]): readonly unknown[] {
  let same = value.length === before.length
  for (let i = 0; i < value.length && i < before.length; i++) {
    const part = withPartsOf(value[i], before[i])
    if (part !== value[i]) value[i] = part
    if (part !== before[i]) same = false
  }
  return same ? before : value
}

/** Other objects, such as bytes, are no JSON. */
const isPlain = (value: object): value is JsonObject =>
  Object.getPrototypeOf(value) === Object.prototype

/**
 * A copy of an object for a write, whose own members and theirs can be set. What lies deeper is shared with `before`, and
 * must be replaced instead of changed. `entries`: managedFields of the copy, by default those of the object. Without `isSet`
 * its members are shared as well.
 */
export function shallow(
  object: Typed,
  before: Typed,
  entries = object.metadata.managedFields,
  isSet = true,
): Typed {
  const from = object as unknown as JsonObject
  const others = before as unknown as JsonObject
  // Setting the members of a copy takes twice as long: objects have many shapes.
  const copy: JsonObject = {}
  for (const name in from) {
    const value = from[name]
    const isShared = isSet && value === others[name] && isPart(value)
    if (name === 'metadata') copy[name] = copyMetadata(object.metadata, entries)
    else setOwn(copy, name, isShared ? { ...value } : value)
  }
  return copy as unknown as Typed
}

/** Takes the members of `before` back where a write has changed no member of their copies. */
export function shareAgain(object: Typed, before: Typed): void {
  const own = object as unknown as JsonObject
  const others = before as unknown as JsonObject
  for (const name in own) {
    const value = own[name]
    const was = others[name]
    if (value !== was && name !== 'metadata' && isPart(value) && isPart(was) && hasSame(value, was))
      own[name] = was
  }
}

/** Whether two objects have the very same members. */
function hasSame(a: object, b: object): boolean {
  let count = 0
  for (const name in a) {
    if (!Object.hasOwn(b, name)) return false
    if ((a as JsonObject)[name] !== (b as JsonObject)[name]) return false
    count++
  }
  for (const _ in b) count--
  return count === 0
}

const isPart = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
