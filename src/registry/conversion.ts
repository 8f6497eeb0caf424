/**
 * Versions with asynchronous conversion, such as by a webhook. Callers wait for such objects here, many at a time,
 * before the synchronous part of their work; kinds with synchronous conversion pass through without a promise.
 */
import { LRUCache } from 'lru-cache'
import { Pace } from '../base/event-loop.ts'
import { Decoding, type JsonObject } from '../codec/codec.ts'
import type { Convertible, ResourceEntry, WaitingConversion } from '../catalogue/entry.ts'
import { internalError, invalid, StatusError } from '../meta/errors.ts'
import { copyJson } from '../codec/json-clone.ts'
import { formatJson, parseJson } from '../codec/json-text.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { HookContext } from '../catalogue/resource.ts'
import { StoredObject } from '../cache/stored-object.ts'
import type { Result } from './results.ts'
import { findViolations, noteViolations } from './own-rules.ts'
import { encodeObject, convertFromStorage, convertToStorage, unversioned } from './objects.ts'

/** Maximum bytes of JSON in one conversion request for a list; a larger list takes several. */
const MOST_BYTES = 64 << 20
/** Objects that are converted at once where they are sent or stored before all are there, and bytes of their JSON. */
const BATCH = 500
const BATCH_BYTES = 4 << 20
/** Bytes of converted objects that are cached for each version of a kind. */
const KEPT_BYTES = 32 << 20
/** For how long: other views of a change share it, and a webhook that was mended shows at once. */
const KEPT_MS = 1_000

type Results = LRUCache<string, Promise<StoredObject>>

/** Converted objects, as long as the entry of the version exists. */
const results = new WeakMap<WaitingConversion, Results>()

function resultsOf(waiting: WaitingConversion): Results {
  let found = results.get(waiting)
  if (!found) results.set(waiting, (found = new LRUCache({ maxSize: KEPT_BYTES, ttl: KEPT_MS })))
  return found
}

/**
 * The object in the storage version; a promise with asynchronous conversion. `subresource`: the part that is written, of
 * which the rules of the whole object say nothing before it is put together. Throws or rejects with StatusError.
 */
export function toStored(
  served: ResourceEntry,
  object: Typed,
  c: HookContext,
  subresource = '',
): Typed | Promise<Typed> {
  const waiting = served.conversion?.waiting
  if (!waiting) return remembered(served, object, convertToStorage(served, object, c))
  const stored =
    subresource === ''
      ? checkedAndConverted(served, waiting, object, c)
      : convertedObject(served, waiting, object)
  return stored.then((one) => remembered(served, object, one))
}

/** Objects as they were sent, by what they were converted to. */
const sentForms = new WeakMap<Typed, Typed>()

/** An object in the version in which it was sent, where that is not the storage version of a kind with a schema. */
export const sentForm = (stored: Typed): Typed | undefined => sentForms.get(stored)

function remembered({ strategy }: ResourceEntry, sent: Typed, stored: Typed): Typed {
  if (stored !== sent && strategy.needsType) sentForms.set(stored, sent)
  return stored
}

/** An object that breaks the rules of its version is refused for that, also when it cannot be converted. */
async function checkedAndConverted(
  from: ResourceEntry,
  waiting: WaitingConversion,
  object: Typed,
  c: HookContext,
): Promise<Typed> {
  const found = await findViolations(waiting.shown, object, c)
  try {
    const stored = await convertedObject(from, waiting, object)
    noteViolations(stored, found)
    return stored
  } catch (error) {
    if (found.length === 0 || !(error instanceof StatusError)) throw error
    throw invalid({ group: from.group, kind: from.kind }, object.metadata.name ?? '', found)
  }
}

/**
 * An object of the storage version as JSON of another version, which the caller may change; a promise with asynchronous
 * conversion. Throws or rejects with StatusError.
 */
export function shownDocument(
  to: ResourceEntry,
  object: Typed,
  c: HookContext,
): JsonObject | Promise<JsonObject> {
  const waiting = to.conversion?.waiting
  if (waiting) return convertedDocument(to, waiting, object)
  return to.codec.plain(convertFromStorage(to, copyJson(object), c) as never)
}

async function convertedDocument(
  to: ResourceEntry,
  waiting: WaitingConversion,
  object: Typed,
): Promise<JsonObject> {
  const { storage } = to
  const [shown] = await ask(waiting, to, [convertible(storage, object)], (document) =>
    to.codec.plain(decoded(to, document, new Decoding()) as never),
  )
  return shown!
}

const convertible = ({ codec }: ResourceEntry, object: Typed): Convertible =>
  asConvertible(codec.plain(object as never))

function asConvertible(document: JsonObject): Convertible {
  const json = Buffer.from(formatJson(document))
  return {
    json: () => json,
    metadata: () => Buffer.from(formatJson(document['metadata'] ?? {})),
  }
}

async function convertedObject(
  from: ResourceEntry,
  waiting: WaitingConversion,
  object: Typed,
): Promise<Typed> {
  const [stored] = await storedObjects(from, waiting, [object])
  return stored!
}

/** Converts objects of a version to the storage version, in the same order. Rejects with StatusError. */
export async function storedObjects(
  from: ResourceEntry,
  waiting: WaitingConversion,
  objects: readonly Typed[],
): Promise<readonly Typed[]> {
  const { storage } = from
  const stored: Typed[] = []
  for (let at = 0; at < objects.length; at += BATCH) {
    const batch = objects.slice(at, at + BATCH).map((object) => convertible(from, object))
    const converted = await ask(waiting, storage, batch, (document) =>
      decoded(storage, document, new Decoding()),
    )
    stored.push(...converted)
  }
  return stored
}

/**
 * Stored or prospective objects in another version with asynchronous conversion, in the same order. Results are cached
 * by key and revision of the object. Rejects with StatusError.
 */
export async function shownVersions(
  waiting: WaitingConversion,
  versions: readonly StoredObject[],
): Promise<readonly StoredObject[]> {
  const kept = resultsOf(waiting)
  const found = new Map<StoredObject, Promise<StoredObject>>()
  const missing: StoredObject[] = []
  for (const version of versions) {
    // An object that is not stored has no key and is not shared.
    const known = version.key === '' ? undefined : kept.get(idOf(version))
    if (known) found.set(version, known)
    else missing.push(version)
  }
  for (const batch of partsOf(missing, Infinity, MOST_BYTES)) {
    const converting = convertBatch(waiting, batch)
    for (const [i, version] of batch.entries()) {
      const one = converting.then((all) => all[i]!)
      found.set(version, one)
      if (version.key !== '') keep(kept, version, one)
      else one.catch(() => {})
    }
    await converting
  }
  return Promise.all(versions.map((version) => found.get(version)!))
}

/** A result with its objects in the requested version. Rejects with StatusError. */
export async function shownResult(waiting: WaitingConversion, result: Result): Promise<Result> {
  if (result.is === 'list')
    return { ...result, items: await shownVersions(waiting, result.items), isMade: true }
  if (result.is !== 'object') return result
  const [version] = await shownVersions(waiting, [result.version])
  return { ...result, version: version! }
}

/** Revisions only rise, so a new object or uid under the same key has another id. */
const idOf = ({ key, revision }: StoredObject) => `${revision} ${key}`

function keep(kept: Results, version: StoredObject, converted: Promise<StoredObject>): void {
  const id = idOf(version)
  kept.set(id, converted, { size: version.jsonBytes })
  // A failure is not cached: the next caller retries.
  converted.catch(() => kept.peek(id) === converted && kept.delete(id))
}

/** Splits objects that a watch begins with into parts that are converted and sent one after the other. */
export const batchesOf = (versions: readonly StoredObject[]): Iterable<readonly StoredObject[]> =>
  partsOf(versions, BATCH, BATCH_BYTES)

/** Splits a list into parts of limited size, each with one at least. */
export function* partsOf<T extends Pick<StoredObject, 'jsonBytes'>>(
  versions: readonly T[],
  most: number,
  mostBytes: number,
): Generator<readonly T[]> {
  let batch: T[] = []
  let bytes = 0
  for (const version of versions) {
    const isFull = batch.length >= most || bytes + version.jsonBytes > mostBytes
    if (isFull && batch.length > 0) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(version)
    bytes += version.jsonBytes
  }
  if (batch.length > 0) yield batch
}

function convertBatch(
  { convert, shown }: WaitingConversion,
  versions: readonly StoredObject[],
): Promise<readonly StoredObject[]> {
  return ask({ convert }, shown, versions, (document, i) =>
    shownVersion(shown, document, versions[i]!),
  )
}

function shownVersion(
  shown: ResourceEntry,
  document: JsonObject,
  source: StoredObject,
): StoredObject {
  const record = encodeObject(shown, decoded(shown, document, new Decoding()))
  const { key, revision, created } = source
  return revision === 0
    ? unversioned(record)
    : StoredObject.of(record, { key, revision, created, prev: null }, null)
}

/**
 * Converts objects of a kind to another version, and makes something of each. The documents are parsed one by one, so
 * that those of a large list are not in memory together. Rejects with StatusError.
 */
async function ask<T>(
  { convert }: Pick<WaitingConversion, 'convert'>,
  to: ResourceEntry,
  objects: readonly Convertible[],
  make: (document: JsonObject, i: number) => T,
): Promise<readonly T[]> {
  const { kind, groupVersion } = to
  const failed = (error: unknown) => {
    if (error instanceof StatusError) return error
    const why = error instanceof Error ? error.message : String(error)
    return internalError(
      `conversion webhook for ${versionOf(objects)}, Kind=${kind} failed: ${why}`,
    )
  }
  const made: T[] = []
  const pace = new Pace()
  let converted: Iterator<JsonObject>
  try {
    converted = (await convert(objects, kind, groupVersion))[Symbol.iterator]()
  } catch (error) {
    throw failed(error)
  }
  let count = 0
  for (;;) {
    const document = nextOf(converted, failed)
    if (!document) break
    if (count < objects.length) made.push(make(document, count))
    count++
    const pause = pace.pause()
    if (pause) await pause
  }
  if (count === objects.length) return made
  throw failed(new Error(`returned ${count} objects, expected ${objects.length}`))
}

/** The next document; null at the end. Throws what `failed` makes of an error. */
function nextOf(
  converted: Iterator<JsonObject>,
  failed: (error: unknown) => Error,
): JsonObject | null {
  try {
    const { done, value } = converted.next()
    return done === true ? null : (value as JsonObject)
  } catch (error) {
    throw failed(error)
  }
}

/** The version that objects have, for errors. */
function versionOf([first]: readonly Convertible[]): string {
  const { apiVersion } = first ? (parseJson(first.json()) as JsonObject) : {}
  return typeof apiVersion === 'string' ? apiVersion : ''
}

/** Decodes a converted object in its version. Throws 500. */
function decoded(to: ResourceEntry, document: JsonObject, decoding: Decoding): Typed {
  try {
    const object = to.codec.decode(document, decoding) as unknown as Typed
    object.kind = to.kind
    object.apiVersion = to.groupVersion
    return object
  } catch (error) {
    throw internalError(
      `the converted object is no ${to.kind} of ${to.groupVersion}: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

/** Thrown where synchronous work needs an object whose conversion is asynchronous. */
class NeedsConversion extends Error {
  readonly object: JsonObject
  readonly from: ResourceEntry
  readonly to: ResourceEntry

  constructor(object: JsonObject, from: ResourceEntry, to: ResourceEntry) {
    super(`an object of ${from.groupVersion} is needed in ${to.groupVersion}`)
    this.object = object
    this.from = from
    this.to = to
  }
}

/** Conversions that one piece of work needs synchronously; defaults are not set. */
export class Conversions {
  readonly #waiting: WaitingConversion
  readonly #known = new Map<string, JsonObject>()

  constructor(waiting: WaitingConversion) {
    this.#waiting = waiting
  }

  /** Returns the JSON form of an object in another version. Throws what `untilConverted` waits for. */
  get(object: JsonObject, from: ResourceEntry, to: ResourceEntry): JsonObject {
    if (from.groupVersion === to.groupVersion) return object
    const known = this.#known.get(idOfDocument(object, from, to))
    if (!known) throw new NeedsConversion(object, from, to)
    return known
  }

  /** Converts a missing object. */
  async prepare({ object, from, to }: NeedsConversion): Promise<void> {
    const typed = { ...object, kind: from.kind, apiVersion: from.groupVersion }
    const [converted] = await ask(this.#waiting, to, [asConvertible(typed)], (document) =>
      to.codec.plain(decoded(to, document, new Decoding({ fills: false })) as never),
    )
    this.#known.set(idOfDocument(object, from, to), converted!)
  }
}

const idOfDocument = (object: JsonObject, from: ResourceEntry, to: ResourceEntry) =>
  `${from.groupVersion} ${to.groupVersion} ${formatJson(object)}`

/** More conversions than the managers of one object can need in their versions. */
const MOST_ROUNDS = 1_000

/**
 * Runs work that needs conversions synchronously: it restarts after each conversion that it had to wait for, and must
 * have no other effect until it is done. `work` gets null, and runs once, where conversion is synchronous.
 */
export function untilConverted<T>(
  served: ResourceEntry,
  work: (conversions: Conversions | null) => T | Promise<T>,
): T | Promise<T> {
  // The storage version needs no conversion, but other versions may have managedFields entries.
  const waiting = served.versions.find(({ conversion }) => conversion?.waiting)?.conversion?.waiting
  return waiting ? inRounds(new Conversions(waiting), work) : work(null)
}

async function inRounds<T>(
  conversions: Conversions,
  work: (conversions: Conversions) => T | Promise<T>,
): Promise<T> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    try {
      return await work(conversions)
    } catch (error) {
      if (!(error instanceof NeedsConversion)) throw error
      await conversions.prepare(error)
    }
  }
  throw new Error('an object was converted too often for one request')
}
