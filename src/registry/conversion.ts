/**
 * Versions with asynchronous conversion, such as by a webhook. Callers wait for such objects here, many at a time,
 * before the synchronous part of their work; kinds with synchronous conversion pass through without a promise.
 */
import { LRUCache } from 'lru-cache'
import { Pace } from '../base/event-loop.ts'
import { Decoding, type JsonObject } from '../codec/codec.ts'
import type { ResourceEntry, WaitingConversion } from '../catalogue/entry.ts'
import { internalError, StatusError } from '../meta/errors.ts'
import { copyJson } from '../codec/json-clone.ts'
import { formatJson, parseJson } from '../codec/json-text.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { HookContext } from '../catalogue/resource.ts'
import { StoredObject } from '../cache/stored-object.ts'
import type { Result } from './results.ts'
import { encodeObject, convertFromStorage, convertToStorage, unversioned } from './objects.ts'

/** Objects in one conversion request, and bytes of their JSON. */
const BATCH = 500
const BATCH_BYTES = 4 << 20
/** Bytes of converted objects that are cached for each version of a kind. */
const KEPT_BYTES = 32 << 20

type Results = LRUCache<string, Promise<StoredObject>>

/** Converted objects, as long as the entry of the version exists. */
const results = new WeakMap<WaitingConversion, Results>()

function resultsOf(waiting: WaitingConversion): Results {
  let found = results.get(waiting)
  if (!found) results.set(waiting, (found = new LRUCache({ maxSize: KEPT_BYTES })))
  return found
}

/** The object in the storage version; a promise with asynchronous conversion. Throws or rejects with StatusError. */
export function toStored(
  served: ResourceEntry,
  object: Typed,
  c: HookContext,
): Typed | Promise<Typed> {
  const waiting = served.conversion?.waiting
  return waiting ? convertedObject(served, waiting, object) : convertToStorage(served, object, c)
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
  const [document] = await ask(storage, waiting, [storage.codec.plain(object as never)], to)
  return to.codec.plain(decoded(to, document!, new Decoding()) as never)
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
    const documents = objects
      .slice(at, at + BATCH)
      .map((object) => from.codec.plain(object as never))
    for (const document of await ask(from, waiting, documents, storage))
      stored.push(decoded(storage, document, new Decoding()))
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
  for (const batch of batchesOf(missing)) {
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

/** Splits a list into parts of one conversion request each. */
export function* batchesOf(versions: readonly StoredObject[]): Generator<readonly StoredObject[]> {
  let batch: StoredObject[] = []
  let bytes = 0
  for (const version of versions) {
    const isFull = batch.length >= BATCH || bytes + version.jsonBytes > BATCH_BYTES
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

async function convertBatch(
  waiting: WaitingConversion,
  versions: readonly StoredObject[],
): Promise<readonly StoredObject[]> {
  const { shown } = waiting
  const pace = new Pace()
  const documents: JsonObject[] = []
  for (const version of versions) {
    documents.push(parseJson(version.json()) as JsonObject)
    await pace.pause()
  }
  const converted = await ask(shown, waiting, documents, shown)
  const made: StoredObject[] = []
  for (const [i, document] of converted.entries()) {
    made.push(shownVersion(shown, document, versions[i]!))
    await pace.pause()
  }
  return made
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

/** Converts objects of a kind to another version. Rejects with StatusError. */
async function ask(
  { kind }: ResourceEntry,
  { convert }: WaitingConversion,
  documents: readonly JsonObject[],
  to: ResourceEntry,
): Promise<readonly JsonObject[]> {
  const from = typeof documents[0]?.['apiVersion'] === 'string' ? documents[0]['apiVersion'] : ''
  const failed = (why: string) =>
    internalError(`conversion webhook for ${from}, Kind=${kind} failed: ${why}`)
  let converted: readonly JsonObject[]
  try {
    converted = await convert(documents, to.groupVersion)
  } catch (error) {
    if (error instanceof StatusError) throw error
    throw failed(error instanceof Error ? error.message : String(error))
  }
  if (converted.length === documents.length) return converted
  throw failed(`returned ${converted.length} objects, expected ${documents.length}`)
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
    const [document] = await ask(from, this.#waiting, [typed], to)
    const converted = decoded(to, document!, new Decoding({ fills: false }))
    this.#known.set(idOfDocument(object, from, to), to.codec.plain(converted as never))
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
