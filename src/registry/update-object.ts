/** The steps of an update, in their order. The kind provides the hooks. */
import { refusal } from '../authz/refusal.ts'
import { Pace, yieldToEventLoop } from '../base/event-loop.ts'
import { paced } from '../base/steps.ts'
import { conflict, invalid, modified, notFound } from '../meta/errors.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import { checkMetadata, checkMetadataUpdate } from '../meta/check-metadata.ts'
import { FieldErrors } from '../meta/field-errors.ts'
import type { WrittenParts } from '../meta/known-parts.ts'
import { copyJson } from '../codec/json-clone.ts'
import { parseJson } from '../codec/json-text.ts'
import { sameJson } from '../patch/json-value.ts'
import type { ObjectMeta, Typed } from '../meta/object-meta.ts'
import type { HookContext, PartSubresource } from '../catalogue/resource.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import type { Commit } from '../engine/engine.ts'
import { CallAttributes } from './admission.ts'
import { isAllocationKey } from './allocations.ts'
import { contextWith, keyOf, storeChanges, type WriteDependencies, type Call } from './context.ts'
import { isLikeable, type HotObject } from './hot-objects.ts'
import {
  asVersion,
  decodeDocumentSteps,
  encodeObject,
  encodeObjectSteps,
  isRecordOf,
  recordBehindMetadata,
} from './objects.ts'
import { objectChanges } from './object-changes.ts'
import type { WriteOptions } from './options.ts'
import { namedRevision } from './named-revision.ts'
import { recordOwners, sameButTimes } from './ownership.ts'
import type { Result } from './results.ts'
import { createObject } from './create-object.ts'
import {
  allocated,
  checked,
  prepared,
  guarded,
  mutated,
  isFinished,
  refuseInvalid,
  metadataRules,
  dedupOwners,
  committed,
} from './write.ts'
import { keepParts, takePart } from './write-parts.ts'

/** The object that an update changes, in the storage version. */
export interface Present {
  readonly live: StoredObject
  readonly old: Typed
  /** The stored object as a JSON value, which must not be changed. */
  readonly document: () => unknown
  /** The present object where it is known from its last write; the new one may share parts with it. */
  readonly hot: HotObject | null
  /** Lets other writers of the object go first. */
  readonly release: () => void
}

/** Source of the new object of an update: a body, a patch. */
export interface Source {
  /** Makes the new object in the storage version from the present one, which must not be changed. */
  next(present: Present): Promise<Typed>
  /** The new object already contains its managedFields. */
  readonly tracked?: boolean
  /** The new object shares parts with the present one. */
  readonly sharesParts?: boolean
  /** What admission sees of an object, where that is another kind: the body of the sub-resource. */
  readonly view?: (object: Typed) => Typed
  /** The attributes of `next`, where it runs admission itself. */
  readonly attributes?: () => CallAttributes
  /** Admission may have made something else of the new object. */
  readonly replaced?: (sent: Typed, by: Typed) => void
  /** Makes the object when it does not exist and the kind allows create on update; null: 404. */
  fresh: (() => Promise<Typed>) | null
  /** uid that the object must have; undefined: no precondition. */
  readonly uid?: string | undefined
  /** Admission already ran for the request that causes this update. */
  readonly isAdmitted?: true
  /** The status-like sub-resource to write, where the call does not name it. */
  readonly part?: PartSubresource<Typed>
  /** As in a call. */
  readonly versionless?: boolean
  /** Attempts while others write the object; without: until it succeeds or the client disconnects. */
  readonly attempts?: number
}

/**
 * Updates an object or a status-like sub-resource. A write without a resourceVersion is retried when the object changed
 * meanwhile. Throws 4xx.
 */
export async function updateObject(
  api: WriteDependencies,
  call: Call,
  source: Source,
  options: WriteOptions,
): Promise<Result> {
  const { served } = call
  const key = keyOf(served, call.namespace, call.name)
  const table = await api.cache.resourceCache(served.storage)
  call.shows?.({
    next: (hot, live) => source.next({ live, hot, ...presentOf(hot), release() {} }),
    options,
  })
  return api.mutex.take(key, async (release) => {
    for (let left = source.attempts ?? Infinity; left > 0; left--) {
      const live = table.get(key)
      if (!live) {
        if (source.uid !== undefined) throw otherUid(call, key, source.uid, '')
        if (!source.fresh || call.subresource !== '') throw notFound(served.name, call.name)
        await mayCreate(api, call)
        const object = await source.fresh()
        namedRevision(object.metadata.resourceVersion)
        const { tracked = false } = source
        return createObject(api, call, object, { ...options, tracked, isUpdate: true })
      }
      const result = await updateOnce(api, call, source, { key, live, options, release })
      if (result) return result
      if (call.signal().aborted) break
    }
    throw modified(served.name, call.name)
  })
}

/** Input of one attempt of an update. */
interface UpdateTry {
  readonly key: string
  readonly live: StoredObject
  readonly options: WriteOptions
  readonly release: () => void
}

/** Bytes of a stored object whose update begins in a turn of the event loop of its own. */
const LARGE_BYTES = 256 * 1024

/** One attempt; null when the object changed meanwhile and the write may be retried. */
async function updateOnce(
  api: WriteDependencies,
  call: Call,
  source: Source,
  { key, live, options, release }: UpdateTry,
): Promise<Result | null> {
  const { served } = call
  const c = call.context()
  // What led here may have taken long in this turn, such as the event of the same object.
  if (live.json().length > LARGE_BYTES) await yieldToEventLoop()
  const pace = new Pace()
  const hot = api.hot?.find(served, live) ?? null
  const { old, document } = hot ? presentOf(hot) : await presentIn(served, live, c, pace)
  const uid = old.metadata.uid ?? ''
  if (source.uid !== undefined && source.uid !== uid) throw otherUid(call, key, source.uid, uid)
  const sent = await source.next({ live, old, document, hot, release })
  const sending = { sent, old, hot, options, pace, release }
  const attributes = await admittedUpdate(api, call, source, sending)
  const changed = source.attributes || !attributes ? sent : attributes.object!.live
  if (changed !== sent) source.replaced?.(sent, changed)
  if (call.subresource === '') await guarded(api, { call, object: changed, old })
  const conditional = checkVersion(call, changed.metadata, old.metadata)
  const parts = api.hot?.partsFor(served)
  await checkUpdate(api, call, { next: changed, old, hot, part: partOf(call, source), parts }, pace)
  const next = await allocated(api, call, changed, old)
  if (attributes) {
    const { view = (object: Typed) => object } = source
    const validating = api.admission.validate(attributes.settle(view(next), view(old)))
    if (validating) await validating
  }
  const isBound = conditional && source.versionless !== true
  return storeUpdate(api, call, options, {
    key,
    live,
    old,
    hot,
    next,
    conditional: isBound,
    pace,
    parts,
  })
}

/** The present object, from its last write. */
const presentOf = ({ storage, object }: HotObject): Pick<Present, 'old' | 'document'> => ({
  old: object,
  document: () => storage.codec.plain(object as never),
})

/** The present object, from its bytes. */
async function presentIn(
  served: ResourceEntry,
  live: StoredObject,
  c: HookContext,
  pace: Pace,
): Promise<Pick<Present, 'old' | 'document'>> {
  const document = parseJson(live.json())
  await pace.pause()
  const old = await paced(decodeDocumentSteps(served, document, c), pace)
  await pace.pause()
  return { old, document: () => document }
}

/** The new object as sent, with the present one. */
interface SentUpdate {
  readonly sent: Typed
  readonly old: Typed
  readonly hot: HotObject | null
  readonly options: WriteOptions
  readonly pace: Pace
  readonly release: () => void
}

/** Sets managedFields of the new object, and runs mutating admission; null where admission is skipped. */
async function admittedUpdate(
  api: WriteDependencies,
  call: Call,
  source: Source,
  { sent, old, hot, options, pace, release }: SentUpdate,
): Promise<CallAttributes | null> {
  dedupOwners(call, sent.metadata)
  await pace.pause()
  if (source.tracked !== true) {
    const owning = recordOwners(call, options, {
      next: sent,
      before: old,
      hot,
      c: call.context(),
    })
    if (owning) await owning
  }
  await pace.pause()
  if (source.isAdmitted) return null
  if (source.attributes) return source.attributes()
  const attributes = new CallAttributes(api, call, {
    operation: 'UPDATE',
    object: sent,
    old,
    dryRun: options.dryRun,
    release,
  })
  // Plugins may change parts that the object shares with the present one.
  const sharesParts = isLikeable(call.served) || source.sharesParts === true
  if (hot && sharesParts && api.admission.mayChangeParts(attributes))
    attributes.settle(copyJson(sent))
  await mutated(api, call, attributes)
  return attributes
}

/** Checks the resourceVersion of an update; returns whether it names one. Throws 409, and 422 where one is required. */
function checkVersion(call: Call, metadata: ObjectMeta, old: ObjectMeta): boolean {
  const { served } = call
  const { resourceVersion: found } = old
  const isFound = metadata.resourceVersion === found
  const named = isFound ? null : namedRevision(metadata.resourceVersion)
  const conditional = named !== 0n
  if (!conditional && served.strategy.needsVersionOnUpdate === true) throw versionless(call)
  if (conditional && named !== null && named !== namedRevision(found)) {
    throw modified(served.name, call.name)
  }
  metadata.resourceVersion = old.resourceVersion!
  keepSystemFields(metadata, old)
  return conditional
}

/** The objects of an update, and what is known of their parts. */
interface UncheckedUpdate {
  readonly next: Typed
  readonly old: Typed
  readonly hot: HotObject | null
  readonly part: PartSubresource<Typed> | null
  readonly parts: WrittenParts | undefined
}

/** Runs the hooks and checks of an update, of the object or a status-like sub-resource. Throws 422. */
async function checkUpdate(
  api: WriteDependencies,
  call: Call,
  { next, old, hot, part, parts }: UncheckedUpdate,
  pace: Pace,
): Promise<void> {
  const { served } = call
  const { strategy } = served
  const c = parts ? contextWith(call.context(), parts) : call.context()
  const { metadata } = next
  const hooks = part ?? strategy
  if (part) takePart(next, old, part, strategy.sharesParts === true)
  else keepParts(next, old, served)
  hooks.prepareForUpdate?.(next, old, c)

  if (!part) await prepared(served, next, c, pace)
  const errors = new FieldErrors()
  const rules = metadataRules(served, api, parts)
  await checked(pace, [
    () => {
      checkMetadata(metadata, errors.at('metadata'), rules)
      checkMetadataUpdate(metadata, old.metadata, errors.at('metadata'))
    },
    () => served.check(next, errors, parts && hot?.object),
    () => (part ? part.validate?.(next, errors, c) : strategy.validate?.(next, errors, c, old)),
    () => hooks.validateUpdate?.(next, old, errors, c),
  ])
  refuseInvalid(served, metadata.name ?? '', errors)
  await pace.pause()
  for (const text of hooks.warn?.(next, old, c) ?? []) call.warn(text)
  strategy.canonicalize?.(next, c)
  await pace.pause()
}

/** An update that is about to be stored. */
interface CheckedUpdate {
  readonly key: string
  readonly live: StoredObject
  readonly old: Typed
  readonly hot: HotObject | null
  readonly next: Typed
  /** The client named the resourceVersion that it changes. */
  readonly conditional: boolean
  readonly pace: Pace
  readonly parts: WrittenParts | undefined
}

/** Stores an update, or removes an object without remaining finalizers; null when another writer was first. */
async function storeUpdate(
  api: WriteDependencies,
  call: Call,
  options: WriteOptions,
  { key, live, old, hot, next, conditional, pace, parts }: CheckedUpdate,
): Promise<Result | null> {
  const { served } = call
  const over = live.revision
  const table = await api.cache.resourceCache(served.storage)
  await pace.pause()
  const record = await paced(encodeObjectSteps(served, next, hot?.object), pace)
  if (isFinished(served, next)) {
    const wanted = () => asVersion(record, over)
    if (options.dryRun) return { is: 'object', status: 200, version: wanted() }
    const changes = objectChanges(api, { served, key, old, next: null, record: null, over })
    const commit = await storeChanges(api.cache, call, changes, table)
    if (commit.done) return { is: 'object', status: 200, version: wanted() }
    return again(call, commit, conditional)
  }
  await pace.pause()
  // No change: no write, no event, the same resourceVersion.
  const found =
    isRecordOf(record, live) || isSameButTimes({ served, next, old, live, record }, pace)
  const isSame = typeof found === 'boolean' ? found : await found
  if (isSame && (options.dryRun || !(live.isOutdated || (await api.isStale?.(key))))) {
    return { is: 'object', status: 200, version: live }
  }
  if (options.dryRun) return { is: 'object', status: 200, version: asVersion(record, over) }
  const changes = objectChanges(api, { served, key, old, next, record, over })
  const commit = await storeChanges(api.cache, call, changes, table)
  if (!commit.done) return isAllocationKey(commit.key) ? null : again(call, commit, conditional)
  const version = committed(table, changes[0], commit.at)
  if (version.revision === commit.at) {
    api.hot?.keep(served, version, next, hot)
    parts?.settle()
  }
  return { is: 'object', status: 200, version }
}

/** The two objects that an update without a change would have equal. */
interface Compared {
  readonly served: ResourceEntry
  readonly next: Typed
  readonly old: Typed
  readonly live: StoredObject
  readonly record: Buffer
}

/** Whether the objects differ only in managedFields times: that alone is no change. */
function isSameButTimes(compared: Compared, pace: Pace): boolean | Promise<boolean> {
  const { next, old, live, record } = compared
  const { managedFields } = next.metadata
  const before = old.metadata.managedFields
  if (managedFields === before || !before) return false
  // Most writes change labels, or bytes after the metadata, which is cheap to detect.
  if (differ(next.metadata.labels, old.metadata.labels)) return false
  if (differ(next.metadata.annotations, old.metadata.annotations)) return false
  if (!recordBehindMetadata(record).equals(behindMetadata(live))) return false
  if (!sameButTimes(managedFields, before)) return false
  const pause = pace.pause()
  return pause ? pause.then(() => isSameWithOwnersOf(compared)) : isSameWithOwnersOf(compared)
}

const differ = (
  a: Readonly<Record<string, string>> = {},
  b: Readonly<Record<string, string>> = {},
) => !sameJson(a, b)

function isSameWithOwnersOf({ served, next, old, live }: Compared): boolean {
  const managedFields = old.metadata.managedFields!
  const same = { ...next, metadata: { ...next.metadata, managedFields } }
  return isRecordOf(encodeObject(served, same), live)
}

const behindMetadata = (version: StoredObject) =>
  version.json().subarray(version.metaStart + version.metaLength)

/** An update that makes the object needs the right to create it. Throws 403. */
async function mayCreate(api: WriteDependencies, call: Call): Promise<void> {
  if (call.isOwn) return
  const { served, namespace, name, user } = call
  const { group, version, resource } = served
  const asked = { isResource: true, verb: 'create', path: '', subresource: '' }
  const attributes = { ...asked, group, version, resource, namespace, name }
  const { verdict, reason } = await api.authorizer.authorize(user, attributes)
  if (verdict !== 'allow') throw refusal(user, attributes, reason)
}

/** A refused commit leads to a retry, which finds nothing where the object is gone. Throws 409. */
function again(
  call: Call,
  { found }: Commit & { readonly done: false },
  conditional: boolean,
): null {
  if (!found) return null
  if (conditional && !call.versionless) throw modified(call.served.name, call.name)
  return null
}

function keepSystemFields(metadata: ObjectMeta, old: ObjectMeta): void {
  metadata.uid ??= old.uid!
  delete metadata.selfLink
  copy(metadata, old, 'generation')
  copy(metadata, old, 'creationTimestamp')
  if (old.deletionTimestamp !== undefined) metadata.deletionTimestamp = old.deletionTimestamp
  if (metadata.deletionGracePeriodSeconds === undefined)
    copy(metadata, old, 'deletionGracePeriodSeconds')
}

function copy<K extends keyof ObjectMeta>(to: ObjectMeta, from: ObjectMeta, name: K): void {
  if (from[name] === undefined) delete to[name]
  else to[name] = from[name]
}

/** The object with this name has another uid, or does not exist. */
const otherUid = (call: Call, key: string, wanted: string, found: string) =>
  conflict(
    call.served.name,
    call.name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`,
  )

/** An update without a version of a kind that needs one: the reference names the resource here, not the kind. */
function versionless({ served, name }: Call) {
  const message = 'Invalid value: 0x0: must be specified for an update'
  const field = 'metadata.resourceVersion'
  const { group, resource } = served
  return invalid({ group, kind: resource }, name, [{ field, reason: 'FieldValueInvalid', message }])
}

/** The status-like sub-resource that the call writes; null for the whole object and for fields of the main endpoint. */
function partOf(call: Call, source: Source): PartSubresource<Typed> | null {
  if (source.part) return source.part
  const subresource = call.served.subresources.get(call.subresource)
  return subresource?.serves === 'part' ? subresource : null
}
