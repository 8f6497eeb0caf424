/**
 * What every write shares: the steps of a create and of an update in their order. The kind fills
 * the hooks; the order is here.
 */
import { refusal } from '../authz/refusal.ts'
import { shortened } from '../base/short-text.ts'
import { paced, type Steps } from '../base/steps.ts'
import { formatTime } from '../base/time.ts'
import { Pace } from '../base/turn.ts'
import {
  alreadyExists,
  badRequest,
  conflict,
  generatedNameTaken,
  invalid,
  modified,
  notFound,
  plainError,
} from '../schema/errors.ts'
import type { Served } from '../schema/catalogue.ts'
import { checkMetadata, checkMetadataUpdate } from '../schema/check-metadata.ts'
import { collecting, FieldErrors } from '../schema/field-errors.ts'
import { copyJson } from '../schema/json-clone.ts'
import { setOwn } from '../schema/json-scanner.ts'
import { parseJson } from '../schema/json-text.ts'
import { isDns1123Subdomain } from '../schema/names.ts'
import type { ObjectMeta, Typed } from '../schema/object-meta.ts'
import type { HookContext, PartSubresource } from '../schema/resource.ts'
import type { Version } from '../store/cache/version.ts'
import type { Table } from '../store/cache/table.ts'
import type { Change, Commit } from '../store/store.ts'
import { CallAttributes, mutatedBy } from './admission.ts'
import { claimChanges, claimTable, isClaimKey, poolsFor } from './claims.ts'
import { keyOf, type Api, type Call, type GuardedWrite } from './context.ts'
import { isGoing } from './going.ts'
import { asVersion, decodeDocument, decodeStored, encodeObject, unversioned } from './objects.ts'
import type { WriteOptions } from './options.ts'
import { meansUnset, namedRevision } from './named-revision.ts'
import { faultOfEntries, recordOwners, sameButTimes } from './ownership.ts'
import type { Result } from './results.ts'

const MAX_GENERATED_BASE = 58
const SUFFIX = 5

/** Puts the namespace of the request into the object, and checks it against the one sent. Throws 400. */
export function takeNamespace(call: Call, object: Typed): void {
  const { metadata } = object
  if (!call.served.namespaced) {
    delete metadata.namespace
    return
  }
  if (metadata.namespace === undefined) metadata.namespace = call.namespace
  else if (metadata.namespace !== call.namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    )
  }
}

/** Creates an object of the stored version (seed 1, create). Throws 4xx. */
export async function createObject(
  api: Api,
  call: Call,
  sent: Typed,
  options: WriteOptions,
  { tracked = false, isUpdate = false }: Pick<Source, 'tracked'> & { isUpdate?: boolean } = {},
): Promise<Result> {
  const { served } = call
  const c = call.context()
  wipeSystemFields(sent.metadata)
  takeNamespace(call, sent)
  dedupOwners(call, sent.metadata)
  const { resourceVersion } = sent.metadata
  delete sent.metadata.resourceVersion
  const pace = new Pace()
  if (!tracked) {
    const owning = recordOwners(call, options, { next: sent, before: null, c })
    if (owning) await owning
  }
  await pace.pause()
  const attributes = new CallAttributes(api, call, {
    operation: 'CREATE',
    object: sent,
    old: null,
    dryRun: options.dryRun,
  })
  const object = await mutated(api, call, attributes)
  const { metadata } = object
  await guarded(api, { call, object, old: null })
  await pace.pause()

  metadata.creationTimestamp = formatTime(c.now)
  metadata.uid = api.ids.uid()
  served.strategy.onCreate?.(object, c)
  let generated = false
  if (metadata.name === undefined && metadata.generateName !== undefined) {
    metadata.name = metadata.generateName.slice(0, MAX_GENERATED_BASE) + api.ids.suffix(SUFFIX)
    generated = true
  }
  await prepared(served, object, c, pace)
  const errors = new FieldErrors()
  await checked(pace, [
    () => checkMetadata(metadata, errors.at('metadata'), metadataRules(served, api)),
    () => served.check(object, errors),
    () => served.strategy.validate?.(object, errors, c),
  ])
  refuseInvalid(served, metadata.name ?? '', errors)
  await pace.pause()
  for (const text of served.strategy.warn?.(object, null, c) ?? []) call.warn(text)
  served.strategy.canonicalize?.(object, c)
  const name = metadata.name ?? ''
  const key = keyOf(served, call.namespace, name)
  const table = await api.cache.table(served.hub)
  const taken = (version: Version | null) => {
    if (generated) return generatedNameTaken(served.name, name)
    const terminating =
      version?.fault === null &&
      decodeStored(served, version, c).metadata.deletionTimestamp !== undefined
    return alreadyExists(served.name, name, terminating)
  }
  for (;;) {
    const next = await allocated(api, served, object, null, c)
    const validating = api.admission.validate(attributes.settle(next))
    if (validating) await validating
    if (!isUpdate && !options.dryRun && !meansUnset(resourceVersion)) {
      throw plainError('resourceVersion should not be set on objects to be created')
    }
    await pace.pause()
    const record = encodeObject(served, next)
    const present = table.get(key)
    if (present) throw taken(present)
    if (options.dryRun) return { is: 'object', status: 201, version: unversioned(record) }
    const changes: [Change, ...Change[]] = [
      { key, value: record, ifChangedAt: 0 },
      ...claimChanges(api.pools, served, null, next, key),
    ]
    const result = created(api, table, changes, taken)
    // Without claims there is one try only, and the object is let go before the wait for the disk.
    if (changes.length === 1) return result as Promise<Result>
    const made = await result
    // Otherwise somebody was faster with a value that was picked: the next round sees that, and picks another.
    if (made) return made
  }
}

/** Commits a new object; null when a claim of another's is in the way. Throws 409 with `taken`. */
async function created(
  api: Api,
  table: Table,
  changes: readonly [Change, ...Change[]],
  taken: (version: Version | null) => Error,
): Promise<Result | null> {
  const [{ key }] = changes
  const commit = await api.cache.commit(changes, table)
  if (commit.done)
    return { is: 'object', status: 201, version: committed(table, changes[0], commit.at) }
  if (isClaimKey(commit.key)) return null
  throw taken(table.get(key))
}

/** The object with what the server chooses out of pools; itself when it has nothing of the kind. Throws 422. */
async function allocated(
  api: Api,
  served: Served,
  object: Typed,
  old: Typed | null,
  c: HookContext,
): Promise<Typed> {
  const { allocate } = served.strategy
  if (!allocate) return object
  const next = copyJson(object)
  const errors = new FieldErrors()
  const pools = poolsFor(api.pools, await claimTable(api.cache), api.ids)
  allocate(next, old, pools, errors, c)
  refuseInvalid(served, next.metadata.name ?? '', errors)
  return next
}

/** The object that an update changes, in the stored version. */
export interface Present {
  readonly live: Version
  readonly old: Typed
  /** What is stored, as a JSON value. */
  readonly document: unknown
}

/** Where an update gets the new object from: a body, a patch. */
export interface Source {
  /** The new object in the stored version, made of the present one, which is not to be changed. */
  next(present: Present): Promise<Typed>
  /** The new object comes with the entries of its owners. */
  readonly tracked?: boolean
  /** What admission sees of an object, when that is another kind: the body of the sub-resource. */
  readonly view?: (object: Typed) => Typed
  /** What `next` asked admission with, where it does so itself. */
  readonly attributes?: () => CallAttributes
  /** The object when nothing is there yet and the kind may be made so; null: 404. */
  fresh: (() => Promise<Typed>) | null
  /** uid that the object must have; undefined: any, and none. */
  readonly uid?: string | undefined
}

/**
 * Updates an object or a part of it (seed 1, update). A write that carries no resourceVersion of its own
 * is done again when the object changed meanwhile. Throws 4xx.
 */
export async function updateObject(
  api: Api,
  call: Call,
  source: Source,
  options: WriteOptions,
): Promise<Result> {
  const { served } = call
  const key = keyOf(served, call.namespace, call.name)
  const table = await api.cache.table(served.hub)
  return api.turns.take(key, async () => {
    for (;;) {
      const live = table.get(key)
      if (!live) {
        if (source.uid !== undefined) throw otherUid(call, key, source.uid, '')
        if (!source.fresh || call.subresource !== '') throw notFound(served.name, call.name)
        await mayCreate(api, call)
        const object = await source.fresh()
        namedRevision(object.metadata.resourceVersion)
        const { tracked = false } = source
        return createObject(api, call, object, options, { tracked, isUpdate: true })
      }
      const result = await updateOnce(api, call, source, options, key, live)
      if (result) return result
      if (call.signal().aborted) throw modified(served.name, call.name)
    }
  })
}

/** One try; null when the object changed meanwhile and the write may be done again. */
async function updateOnce(
  api: Api,
  call: Call,
  source: Source,
  options: WriteOptions,
  key: string,
  live: Version,
): Promise<Result | null> {
  const { served } = call
  const { strategy } = served
  const c = call.context()
  const pace = new Pace()
  const document = parseJson(live.json())
  await pace.pause()
  const old = decodeDocument(served, document, c)
  await pace.pause()
  const uid = old.metadata.uid ?? ''
  if (source.uid !== undefined && source.uid !== uid) throw otherUid(call, key, source.uid, uid)
  let next = await source.next({ live, old, document })
  dedupOwners(call, next.metadata)
  await pace.pause()
  if (source.tracked !== true) {
    const owning = recordOwners(call, options, { next, before: old, c })
    if (owning) await owning
  }
  await pace.pause()
  const { view = (object: Typed) => object } = source
  const attributes =
    source.attributes?.() ??
    new CallAttributes(api, call, {
      operation: 'UPDATE',
      object: next,
      old,
      dryRun: options.dryRun,
    })
  if (!source.attributes) next = await mutated(api, call, attributes)
  const { metadata } = next
  if (call.subresource === '') await guarded(api, { call, object: next, old })

  const { resourceVersion: found } = old.metadata
  const isFound = metadata.resourceVersion === found
  const named = isFound ? null : namedRevision(metadata.resourceVersion)
  const conditional = named !== 0n
  if (!conditional && strategy.needsVersionOnUpdate === true) throw versionless(call)
  if (conditional && named !== null && named !== namedRevision(found)) {
    throw modified(served.name, call.name)
  }
  metadata.resourceVersion = old.metadata.resourceVersion!
  keepSystemFields(metadata, old.metadata)

  const part = partOf(call)
  const hooks = part ?? strategy
  if (part) takePart(next, old, part)
  else keepParts(next, old, served)
  hooks.onUpdate?.(next, old, c)

  if (!part) await prepared(served, next, c, pace)
  const errors = new FieldErrors()
  const rules = metadataRules(served, api)
  await checked(pace, [
    () => {
      checkMetadata(metadata, errors.at('metadata'), rules)
      checkMetadataUpdate(metadata, old.metadata, errors.at('metadata'))
    },
    () => served.check(next, errors),
    () => (part ? part.validate?.(next, errors, c) : strategy.validate?.(next, errors, c, old)),
    () => hooks.validateUpdate?.(next, old, errors, c),
  ])
  refuseInvalid(served, metadata.name ?? '', errors)
  await pace.pause()
  for (const text of hooks.warn?.(next, old, c) ?? []) call.warn(text)
  strategy.canonicalize?.(next, c)
  await pace.pause()
  next = await allocated(api, served, next, old, c)
  const validating = api.admission.validate(attributes.settle(view(next), view(old)))
  if (validating) await validating

  if (isFinished(served, next)) {
    if (options.dryRun)
      return {
        is: 'object',
        status: 200,
        version: asVersion(encodeObject(served, next), live.revision),
      }
    const record = encodeObject(served, next)
    const changes = [
      { key, value: null, ifChangedAt: live.revision },
      ...claimChanges(api.pools, served, old, null, key),
    ]
    const commit = await api.cache.commit(changes, await api.cache.table(served.hub))
    if (commit.done) return { is: 'object', status: 200, version: asVersion(record, live.revision) }
    return again(call, commit, conditional)
  }
  await pace.pause()
  const record = encodeObject(served, next)
  await pace.pause()
  const wanted = asVersion(record, live.revision)
  // Nothing changes: no write, no event, the same resourceVersion.
  const isSame =
    wanted.json().equals(live.json()) || isSameButTimes({ served, next, old, live, wanted })
  if (isSame && (options.dryRun || !(live.isOutdated || (await api.isStale?.(key))))) {
    return { is: 'object', status: 200, version: live }
  }
  if (options.dryRun) return { is: 'object', status: 200, version: wanted }
  const changes: [Change, ...Change[]] = [
    { key, value: record, ifChangedAt: live.revision, frees: isGoing(next) },
    ...claimChanges(api.pools, served, old, next, key),
  ]
  const table = await api.cache.table(served.hub)
  const commit = await api.cache.commit(changes, table)
  if (!commit.done) return isClaimKey(commit.key) ? null : again(call, commit, conditional)
  return { is: 'object', status: 200, version: committed(table, changes[0], commit.at) }
}

/** Runs checks one after the other until there are too many errors, with turns for others where they take long. */
async function checked(pace: Pace, checks: readonly (() => void | Steps<void>)[]): Promise<void> {
  for (const check of checks) {
    let steps: void | Steps<void>
    let isDone = false
    const next = () => {
      if (steps) isDone = steps.next().done === true
      else isDone = !(steps = check())
    }
    while (!isDone) {
      if (!collecting(next)) return
      const pause = pace.pause()
      if (pause) await pause
    }
  }
}

/** Lets a kind do in steps what its checks need and is slow. */
function prepared(
  { strategy }: Served,
  object: Typed,
  c: HookContext,
  pace: Pace,
): void | Promise<void> {
  if (strategy.prepare) return paced(strategy.prepare(object, c), pace)
}

/** Whether an object would differ in nothing but when somebody came to own something: that alone is no change. */
function isSameButTimes({
  served,
  next,
  old,
  live,
  wanted,
}: {
  readonly served: Served
  readonly next: Typed
  readonly old: Typed
  readonly live: Version
  readonly wanted: Version
}): boolean {
  const { managedFields } = next.metadata
  const before = old.metadata.managedFields
  if (managedFields === before || !before) return false
  // Most writes change what stands behind the metadata, which is cheap to see.
  if (!behindMetadata(wanted).equals(behindMetadata(live))) return false
  if (!sameButTimes(managedFields, before)) return false
  const same = { ...next, metadata: { ...next.metadata, managedFields: before } }
  return asVersion(encodeObject(served, same), live.revision).json().equals(live.json())
}

const behindMetadata = (version: Version) =>
  version.json().subarray(version.metaStart + version.metaLength)

function guarded(api: Api, write: GuardedWrite): void | Promise<void> {
  const { group, resource } = write.call.served
  return api.guards?.get(`${group}/${resource}`)?.(write)
}

/** An update that makes the object needs the right to create it. Throws 403. */
async function mayCreate(api: Api, call: Call): Promise<void> {
  const { served, namespace, name, user } = call
  const { group, version, resource } = served
  const asked = { isResource: true, verb: 'create', path: '', subresource: '' }
  const attributes = { ...asked, group, version, resource, namespace, name }
  const { verdict, reason } = await api.authorizer.authorize(user, attributes)
  if (verdict !== 'allow') throw refusal(user, attributes, reason)
}

/** Lets admission change the object, which may not make nonsense of the entries of its owners. */
async function mutated(api: Api, call: Call, attributes: CallAttributes): Promise<Typed> {
  const entries = attributes.object!.live.metadata.managedFields
  const object = await mutatedBy<Typed>(api, attributes)
  const { metadata } = object
  if (metadata.managedFields === entries) return object
  const fault = faultOfEntries(metadata.managedFields)
  if (fault === null) return object
  if (entries) metadata.managedFields = entries
  else delete metadata.managedFields
  call.warn(
    `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${fault}`,
  )
  return object
}

/** What a refused commit means: another try, which finds nothing where the object is gone. Throws 409. */
function again(
  call: Call,
  { found }: Commit & { readonly done: false },
  conditional: boolean,
): null {
  if (!found) return null
  if (conditional && !call.versionless) throw modified(call.served.name, call.name)
  return null
}

/** Whether a terminating object has nothing left that keeps it. */
export function isFinished(served: Served, object: Typed): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata
  if (deletionTimestamp === undefined) return false
  if ((deletionGracePeriodSeconds ?? 0) > 0) return false
  return (finalizers ?? []).length === 0 && served.strategy.isHeld?.(object) !== true
}

/** Throws 422 when there are errors. */
export function refuseInvalid(served: Served, name: string, errors: FieldErrors): void {
  if (errors.list.length > 0)
    throw invalid({ group: served.group, kind: served.kind }, name, errors.list)
}

const metadataRules = (served: Served, api: Api) => ({
  namespaced: served.namespaced,
  nameRule: served.strategy.nameRule ?? isDns1123Subdomain,
  takesPlainFinalizers: served.strategy.takesPlainFinalizers,
  v: api.v,
})

function wipeSystemFields(metadata: ObjectMeta): void {
  delete metadata.uid
  delete metadata.creationTimestamp
  delete metadata.deletionTimestamp
  delete metadata.deletionGracePeriodSeconds
  delete metadata.selfLink
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

/** The main endpoint keeps what sub-resources write. */
function keepParts(next: Typed, old: Typed, served: Served): void {
  for (const part of served.subresources.values()) {
    if (part.serves !== 'part') continue
    // Parts further in belong to a part of the object that the main endpoint writes otherwise.
    for (const path of part.of)
      if (path === 'status' || path.startsWith('status.')) move(next, old, path)
  }
}

/** The part of the object that the call writes; null for all of it, and for what stands for a field of the main part. */
function partOf(call: Call): PartSubresource<any> | null {
  const subresource = call.served.subresources.get(call.subresource)
  return subresource?.serves === 'part' ? subresource : null
}

/** A sub-resource writes its paths and leaves the rest of the object as it was. */
function takePart(next: Typed, old: Typed, part: PartSubresource<any>): void {
  const written = { ...(next as unknown as Record<string, unknown>) }
  const target = next as unknown as Record<string, unknown>
  for (const [name, value] of Object.entries(old)) {
    if (name !== 'metadata' && name !== 'kind' && name !== 'apiVersion')
      setOwn(target, name, copyJson(value))
  }
  for (const name of Object.keys(written)) {
    if (
      name !== 'metadata' &&
      name !== 'kind' &&
      name !== 'apiVersion' &&
      !Object.hasOwn(old, name)
    )
      delete target[name]
  }
  for (const path of part.of as readonly string[]) move(next, written as unknown as Typed, path)
}

/** Copies the value at a dotted path. */
function move(to: Typed, from: Typed, path: string): void {
  const steps = path.split('.')
  const last = steps.pop()!
  let target = to as unknown as Record<string, unknown>
  let source: Record<string, unknown> | undefined = from as unknown as Record<string, unknown>
  for (const step of steps) {
    target = (target[step] ??= {}) as Record<string, unknown>
    source = source?.[step] as Record<string, unknown> | undefined
  }
  const value = source?.[last]
  if (value === undefined) delete target[last]
  else target[last] = value
}

/** UTF-16 units of owners in a warning. */
const MAX_SHOWN_UIDS = 1024

/** Owner references that are equal in full count once. */
function dedupOwners(call: Call, metadata: ObjectMeta): void {
  const owners = metadata.ownerReferences
  if (!owners || owners.length < 2) return
  const seen = new Set<string>()
  const twice: string[] = []
  const kept = owners.filter((owner) => {
    const text = JSON.stringify(owner)
    if (seen.has(text)) twice.push(owner.uid)
    else {
      seen.add(text)
      return true
    }
    return false
  })
  if (twice.length === 0) return
  metadata.ownerReferences = kept
  call.warn(
    `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${shortened(twice.join(', '), MAX_SHOWN_UIDS)}`,
  )
}

/** Another object has the name, or none has. */
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

/** What a change has made, out of the table; the change itself when the table was let go of meanwhile. */
export function committed(table: Table, { key, value }: Change, at: number): Version {
  const version = table.getAt(key, at)
  // One that was let go of knows nothing newer.
  if (version && (!table.retired || version.revision === at)) return version
  if (!table.retired || value === null)
    throw new Error(`committed object ${key} is not in the cache`)
  return asVersion(Buffer.from(value), at)
}

/** The context of hooks, for callers outside. */
export type { HookContext }
