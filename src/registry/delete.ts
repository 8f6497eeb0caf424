import { resourcePrefix } from '../base/store-keys.ts'
import { formatTime } from '../base/time.ts'
import { Pace } from '../base/event-loop.ts'
import { paced } from '../base/steps.ts'
import { codecOf, DecodeError, Decoding } from '../codec/codec.ts'
import {
  badRequest,
  conflict,
  forbidden,
  notFound,
  StatusError,
  type Status,
} from '../meta/errors.ts'
import { FieldErrors, renderValue } from '../meta/field-errors.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import { protobufOfShape } from '../codec/late-protobuf.ts'
import { raised, type ObjectMeta, type Typed } from '../meta/object-meta.ts'
import { DeleteOptions } from '../kinds/meta/delete-options.ts'
import type { HookContext } from '../catalogue/resource.ts'
import { parseJson } from '../codec/json-text.ts'
import { WrittenNumbers } from '../codec/written-numbers.ts'
import type { ResourceCache } from '../cache/resource-cache.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import type { Change } from '../engine/engine.ts'
import { CallAttributes } from './admission.ts'
import type { MaybeDecoded } from './admission-object.ts'
import { optionsOfDeletion } from './admission-options.ts'
import {
  type WriteDependencies,
  type Call,
  first,
  keyOf,
  placeOf,
  storeChanges,
  storeReached,
} from './context.ts'
import { shownVersions } from './conversion.ts'
import { existing } from './get.ts'
import { deleteEach } from './delete-each.ts'
import { select } from './list.ts'
import { asVersion, decodeDocumentSteps, decodeStored, encodeObjectSteps } from './objects.ts'
import { objectChanges } from './object-changes.ts'
import { checkDryRun, integer, isSet, listOptions, refuse } from './options.ts'
import { parseBody } from './read-body.ts'
import type { Result } from './results.ts'
import { selection } from './selection.ts'
import { committed, isFinished } from './write.ts'

/** Key prefix of events in both of their groups. */
const EVENTS = resourcePrefix('', 'events')
const ORPHAN = 'orphan'
const FOREGROUND = 'foregroundDeletion'

/** Validated options of a deletion. */
export interface Deletion {
  readonly graceSeconds: number | undefined
  readonly policy: 'Orphan' | 'Background' | 'Foreground' | undefined
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
  readonly dryRun: boolean
  readonly orphanGiven: boolean | undefined
  /** Admission already ran for the request that causes this deletion. */
  readonly isAdmitted?: true
  /** The object is deleted with its collection: the request does not name it. */
  readonly isOfCollection?: true
  /** The options as requested. */
  readonly given: Given
}

/** DELETE on an object. Throws 4xx. */
export async function deleteOne(api: WriteDependencies, call: Call): Promise<Result> {
  const deletion = await readDeletion(api, call)
  const { deleteWarning } = call.served.strategy
  if (deleteWarning !== undefined && deletion.policy === undefined) call.warn(deleteWarning)
  const { refusesDelete } = call.served.strategy
  const waiting = call.served.conversion?.waiting
  // An object that cannot be shown in the version of the request is not deleted through it.
  if (waiting) await shownVersions(waiting, [await existing(api, call)])
  if (refusesDelete) {
    const live = decodeStored(call.served, await existing(api, call), call.context())
    const why = refusesDelete(live)
    if (why !== null) throw forbidden(call.served.name, call.name, why)
  }
  return deleteObject(api, call, deletion)
}

/** DELETE on a collection: deletes one object after the other; responds with the list before. Throws 4xx. */
export async function deleteCollection(api: WriteDependencies, call: Call): Promise<Result> {
  const deletion: Deletion = { ...(await readDeletion(api, call)), isOfCollection: true }
  const options = listOptions(call.query, api.v)
  const chosen = selection(call.served, options.labelSelector, options.fieldSelector)
  const found = await select(api, call, options, chosen)
  const waiting = call.served.conversion?.waiting
  if (waiting) await shownVersions(waiting, found.items)
  await deleteEach(
    found.items,
    ({ key }, begun) => {
      const { namespace, name } = placeOf(call.served, key)
      return deleteObject(api, { ...call, namespace, name }, deletion, { key, begun })
    },
    isGone,
  )
  return found
}

/** What is to be known of one deletion besides what was requested. */
interface ObjectDeletion {
  /** The key of the object, where it is known: its hash is computed already. */
  readonly key?: string
  /** Called when all is checked and the deletion waits for the store. */
  readonly begun?: () => void
}

/** Deletes one object as requested. Throws 4xx. */
export function deleteObject(
  api: WriteDependencies,
  call: Call,
  deletion: Deletion,
  { key = keyOf(call.served, call.namespace, call.name), begun }: ObjectDeletion = {},
): Promise<Result> {
  return api.mutex.take(key, (release) => {
    const table = api.cache.loaded(call.served.storage)
    const turn: DeleteTurn = { key, release, begun }
    // With a collection there are thousands: no promise until one has to wait.
    const result = table ? deleteOnce(api, call, deletion, { table, turn }) : null
    return result instanceof Promise
      ? result.then((one) => one ?? deleteAgain(api, call, deletion, turn))
      : (result ?? deleteAgain(api, call, deletion, turn))
  })
}

/** Attempts until the object does not change meanwhile. */
async function deleteAgain(
  api: WriteDependencies,
  call: Call,
  deletion: Deletion,
  turn: DeleteTurn,
): Promise<Result> {
  for (;;) {
    // This server may not have heard yet of what another has changed.
    await storeReached(api.cache, call)
    const table = await api.cache.resourceCache(call.served.storage)
    const result = await deleteOnce(api, call, deletion, { table, turn })
    if (result) return result
  }
}

/** A deletion whose turn it is. */
interface DeleteTurn {
  readonly key: string
  readonly release: () => void
  readonly begun: (() => void) | undefined
}

/** Input of one attempt of a deletion. */
interface DeleteTry extends DeleteTurn {
  readonly live: StoredObject
  readonly table: ResourceCache
}

/** Null when the object changed meanwhile. */
type Attempt = Result | null | Promise<Result | null>

/** One attempt. */
function deleteOnce(
  api: WriteDependencies,
  call: Call,
  deletion: Deletion,
  { table, turn }: { readonly table: ResourceCache; readonly turn: DeleteTurn },
): Attempt {
  const { served } = call
  const { key, release, begun } = turn
  const live = table.get(key)
  if (!live) throw notFound(served.name, call.name)
  const attempt: DeleteTry = { key, release, begun, live, table }
  return goesAtOnce(served, live, deletion)
    ? deleteAtOnce(api, call, deletion, attempt)
    : deleteDecoded(api, call, deletion, attempt)
}

/** One attempt for an object that has to be decoded. */
async function deleteDecoded(
  api: WriteDependencies,
  call: Call,
  deletion: Deletion,
  { key, live, release, begun }: DeleteTry,
): Promise<Result | null> {
  const { served } = call
  const { strategy } = served
  const c = call.context()
  const pace = new Pace()
  const document = parseJson(live.json())
  await pace.pause()
  const old = await paced(decodeDocumentSteps(served, document, c), pace)
  await pace.pause()
  const first = old.metadata.deletionTimestamp === undefined
  const isOwnMark = first && strategy.onTerminate !== undefined
  const checkHeld = isOwnMark ? checkOwnPreconditions : checkPreconditions
  checkHeld(call, old.metadata, deletion)
  if (deletion.isAdmitted !== true) await admitDeletion(api, call, deletion, { old, release })

  const next = await paced(decodeDocumentSteps(served, document, c), pace)
  await pace.pause()
  setPropagation(next, served, deletion, isOwnMark)
  if (first || strategy.grace) terminate(next, strategy, deletion, c)

  if (isFinished(served, next)) {
    const answer = { ...deletion, remains: false }
    const last = await lastVersion(served, next, live, deletion)
    if (deletion.dryRun) return deleted(served, next.metadata, last, answer)
    const changes = [
      ...objectChanges(api, { served, key, old, next: null, record: null, over: live.revision }),
      ...(await companions(api, call, served)),
    ]
    const table = await api.cache.resourceCache(served.storage)
    const committing = storeChanges(api.cache, call, changes, table)
    begun?.()
    return (await committing).done ? deleted(served, old.metadata, last, answer) : null
  }
  const record = await paced(encodeObjectSteps(served, next), pace)
  const wanted = asVersion(record, live.revision)
  const answer = { ...deletion, remains: true }
  if (deletion.dryRun || wanted.json().equals(live.json()))
    return deleted(served, next.metadata, wanted, answer)
  const changes = objectChanges(api, { served, key, old, next, record, over: live.revision })
  const table = await api.cache.resourceCache(served.storage)
  const committing = storeChanges(api.cache, call, changes, table)
  begun?.()
  const commit = await committing
  if (!commit.done) return null
  return deleted(served, next.metadata, committed(table, changes[0], commit.at), answer)
}

/** The last state of an object that goes: kinds with a grace period are marked before, also where it is 0. */
async function lastVersion(
  served: ResourceEntry,
  next: Typed,
  live: StoredObject,
  { isOfCollection }: Deletion,
): Promise<StoredObject> {
  // The responses to the single deletes of a collection are not sent.
  if (!served.strategy.grace || isOfCollection === true) return live
  return asVersion(await paced(encodeObjectSteps(served, next)), live.revision)
}

/** Whether an object that was to be deleted is not there any more. */
const isGone = (error: unknown): boolean => error instanceof StatusError && error.code === 404

/** Members of metadata with which an object may stay; they may occur elsewhere as well. */
const STAYING = ['"finalizers":', '"deletionTimestamp":'].map((text) => Buffer.from(text))

/**
 * Whether a deletion removes an object whatever else is in it: nothing holds it, nothing is recorded in it, and nothing
 * depends on its kind. It need not be decoded then.
 */
function goesAtOnce(served: ResourceEntry, live: StoredObject, deletion: Deletion): boolean {
  const { onTerminate, grace, isHeld, allocations, removes, orphansByDefault } = served.strategy
  if (onTerminate || grace || isHeld || allocations || removes) return false
  const isPlain =
    deletion.policy === undefined ? orphansByDefault !== true : deletion.policy === 'Background'
  if (!isPlain && isCollected(served)) return false
  const metadata = live.metadata()
  return STAYING.every((member) => !metadata.includes(member))
}

/** One attempt for such an object. */
function deleteAtOnce(
  api: WriteDependencies,
  call: Call,
  deletion: Deletion,
  attempt: DeleteTry,
): Attempt {
  const { live, release } = attempt
  const { uid, resourceVersion } = deletion
  const isAsked =
    deletion.isOfCollection !== true || uid !== undefined || resourceVersion !== undefined
  // The responses to the single deletes of a collection are not sent.
  const metadata = isAsked ? (JSON.parse(live.metadata().toString('utf8')) as ObjectMeta) : NOTHING
  if (isAsked) checkPreconditions(call, metadata, deletion)
  const remove = () => removeAtOnce(api, call, deletion, { ...attempt, metadata })
  if (deletion.isAdmitted === true) return remove()
  const old = () => decodeStored(call.served, live, call.context())
  const waiting = admitDeletion(api, call, deletion, { old, release })
  return waiting ? waiting.then(remove) : remove()
}

const NOTHING: ObjectMeta = {}

/** Removes such an object when all is checked. */
function removeAtOnce(
  api: WriteDependencies,
  call: Call,
  deletion: Deletion,
  { key, live, table, begun, metadata }: DeleteTry & { readonly metadata: ObjectMeta },
): Attempt {
  const answer = { remains: false, orphanGiven: deletion.orphanGiven }
  if (deletion.dryRun) return deleted(call.served, metadata, live, answer)
  const gone: Change = { key, value: null, ifChangedAt: live.revision }
  const committing = storeChanges(api.cache, call, [gone], table)
  begun?.()
  return committing.then(({ done }) => (done ? deleted(call.served, metadata, live, answer) : null))
}

/** Runs both phases of admission for a deletion. */
function admitDeletion(
  api: WriteDependencies,
  call: Call,
  deletion: Deletion,
  { old, release }: { readonly old: MaybeDecoded; readonly release: () => void },
): void | Promise<void> {
  const attributes = new CallAttributes(api, call, {
    operation: 'DELETE',
    object: null,
    old,
    dryRun: deletion.dryRun,
    options: () => optionsOfDeletion(api, deletion.given),
    release,
    ...(deletion.isOfCollection ? { name: '' } : {}),
  })
  const waiting = api.admission.mutate(attributes)
  return waiting
    ? waiting.then(() => api.admission.validate(attributes))
    : api.admission.validate(attributes)
}

/** Changes that delete what belongs to an object. */
async function companions(
  api: WriteDependencies,
  call: Call,
  served: ResourceEntry,
): Promise<Change[]> {
  const changes: Change[] = []
  for (const { group, resource } of served.strategy.removes ?? []) {
    const version = api.catalogue.groups.find((g) => g.group === group)?.versions[0] ?? ''
    const other = api.catalogue.find(group, version, resource)
    if (!other) continue
    const key = keyOf(other, call.namespace, call.name)
    const table = await api.cache.resourceCache(other.storage)
    if (table.get(key)) changes.push({ key, value: null })
  }
  return changes
}

/** Marks the object as terminating, or shortens its remaining grace period. */
function terminate(
  next: Typed,
  strategy: ResourceEntry['strategy'],
  deletion: Deletion,
  c: HookContext,
): void {
  const { metadata } = next
  const requested =
    deletion.graceSeconds === undefined
      ? undefined
      : deletion.graceSeconds < 0
        ? 1
        : deletion.graceSeconds
  const first = metadata.deletionTimestamp === undefined
  const grace = strategy.grace?.(next, requested) ?? 0
  if (!first) {
    const left = metadata.deletionGracePeriodSeconds ?? 0
    // The grace period may be shortened, never extended.
    if (requested === undefined || grace >= left) return
    const asked = Date.parse(metadata.deletionTimestamp!) - left * 1000
    metadata.deletionTimestamp = formatTime(asked + grace * 1000)
    metadata.deletionGracePeriodSeconds = grace
    return
  }
  metadata.deletionTimestamp = formatTime(c.now + grace * 1000)
  // Kinds that set the mark themselves have no grace period.
  if (strategy.onTerminate) return strategy.onTerminate(next, c)
  metadata.deletionGracePeriodSeconds = grace
  if ((metadata.generation ?? 0) > 0) metadata.generation = raised(metadata)
}

/**
 * Records the propagation policy as finalizers for the garbage collector: as requested, else by an existing finalizer
 * of the object, else by the default of its kind.
 */
function setPropagation(
  { metadata }: Typed,
  served: ResourceEntry,
  deletion: Deletion,
  isOwnMark: boolean,
): void {
  const finalizers = metadata.finalizers ?? []
  let wanted: string | undefined
  if (isCollected(served)) {
    // Default of kinds that set the mark themselves: the deprecated `orphanDependents: false` means foreground.
    const policy = isOwnMark && deletion.orphanGiven === false ? 'Foreground' : deletion.policy
    if (policy !== undefined)
      wanted = policy === 'Orphan' ? ORPHAN : policy === 'Foreground' ? FOREGROUND : undefined
    else {
      wanted = finalizers.find((f) => f === ORPHAN || f === FOREGROUND)
      if (wanted === undefined && served.strategy.orphansByDefault) wanted = ORPHAN
    }
  }
  const has = finalizers.filter((f) => f === ORPHAN || f === FOREGROUND)
  if (has.length === (wanted === undefined ? 0 : 1) && has[0] === wanted) return
  const others = finalizers.filter((f) => f !== ORPHAN && f !== FOREGROUND)
  if (wanted !== undefined) others.push(wanted)
  if (others.length > 0) metadata.finalizers = others
  else delete metadata.finalizers
}

/** Whether the garbage collector watches a resource; events are too many, and expire by TTL. */
const isCollected = (served: ResourceEntry): boolean => served.storage.keyPrefix !== EVENTS

function deleted(
  served: ResourceEntry,
  { name, uid }: ObjectMeta,
  version: StoredObject,
  how: { remains: boolean; orphanGiven: boolean | undefined },
): Result {
  const status = how.remains && how.orphanGiven === false ? 202 : 200
  const { deleteAnswers, heldDeleteAnswers } = served.strategy
  // A delete that leaves the object in place returns its new state.
  if ((how.remains ? heldDeleteAnswers : deleteAnswers) !== 'status')
    return { is: 'object', status, version }
  const body: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      ...(name === undefined ? {} : { name }),
      ...(served.group === '' ? {} : { group: served.group }),
      kind: served.resource,
      ...(uid === undefined ? {} : { uid }),
    },
  }
  return { is: 'status', status, body }
}

/** Checks the preconditions of the request. Throws 409. */
function checkPreconditions(
  { served, name }: Call,
  metadata: ObjectMeta,
  deletion: Deletion,
): void {
  const by = { group: served.group, resource: served.kind }
  if (deletion.uid !== undefined && deletion.uid !== metadata.uid) {
    throw conflict(
      by,
      name,
      `the UID in the precondition (${deletion.uid}) does not match the UID in record (${metadata.uid ?? ''}). The object might have been deleted and then recreated`,
    )
  }
  if (
    deletion.resourceVersion !== undefined &&
    deletion.resourceVersion !== metadata.resourceVersion
  ) {
    throw conflict(
      by,
      name,
      `the ResourceVersion in the precondition (${deletion.resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion ?? ''}). The object might have been modified`,
    )
  }
}

/** The same with the messages of kinds that set the mark themselves. */
function checkOwnPreconditions(
  { served, name }: Call,
  metadata: ObjectMeta,
  { uid, resourceVersion }: Deletion,
): void {
  for (const [what, wanted, found] of [
    ['UID', uid, metadata.uid],
    ['ResourceVersion', resourceVersion, metadata.resourceVersion],
  ]) {
    if (wanted === undefined || wanted === found) continue
    throw conflict(
      served.name,
      name,
      `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found ?? ''}`,
    )
  }
}

/** Options from the body when there is one, else from the query. Throws 400, 415 and 422. */
async function readDeletion(api: WriteDependencies, call: Call): Promise<Deletion> {
  const body = await call.body()
  return deletionFrom(api, body.bytes.length > 0 ? await fromBody(api, body) : fromQuery(call))
}

/** Validates options. Throws 422. */
export function deletionFrom(api: WriteDependencies, given: Given): Deletion {
  const errors = new FieldErrors()
  const { propagationPolicy: policy, orphanDependents } = given
  if (policy !== undefined && orphanDependents !== undefined) {
    errors
      .at('propagationPolicy')
      .invalid(policy, 'orphanDependents and deletionPropagation cannot be both set')
  }
  if (
    policy !== undefined &&
    policy !== 'Orphan' &&
    policy !== 'Background' &&
    policy !== 'Foreground'
  ) {
    errors
      .at('propagationPolicy')
      .notSupported(policy, ['Foreground', 'Background', 'Orphan', 'nil'])
  }
  const dryRun = checkDryRun(given.dryRun ?? [], errors)
  refuse(errors, api.v, 'DeleteOptions')
  return {
    graceSeconds: given.gracePeriodSeconds,
    policy:
      (policy as Deletion['policy']) ??
      (orphanDependents === undefined ? undefined : orphanDependents ? 'Orphan' : 'Background'),
    uid: given.preconditions?.uid,
    resourceVersion: given.preconditions?.resourceVersion,
    dryRun,
    orphanGiven: orphanDependents,
    given,
  }
}

/** DeleteOptions as sent. */
export interface Given {
  gracePeriodSeconds?: number
  propagationPolicy?: string
  orphanDependents?: boolean
  dryRun?: readonly string[]
  preconditions?: { uid?: string; resourceVersion?: string }
}

function fromQuery(call: Call): Given {
  const grace = integer(call.query, 'gracePeriodSeconds')
  const policy = first(call.query, 'propagationPolicy')
  return {
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(policy === undefined ? {} : { propagationPolicy: policy }),
    ...(call.query.has('orphanDependents')
      ? { orphanDependents: isSet(call.query, 'orphanDependents') }
      : {}),
    dryRun: call.query.get('dryRun') ?? [],
  }
}

async function fromBody(
  api: WriteDependencies,
  body: { bytes: Buffer; mediaType: string },
): Promise<Given> {
  const written = new WrittenNumbers()
  let value: unknown
  try {
    const protobuf = protobufOfShape(DeleteOptions.shape, api.v)
    value = await parseBody(body, { v: api.v, kind: 'DeleteOptions', protobuf, written })
  } catch (error) {
    if (error instanceof StatusError) throw error
    throw badRequest(
      `error decoding DeleteOptions: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
  const { kind, apiVersion, ...rest } = (value ?? {}) as { kind?: unknown; apiVersion?: unknown }
  if (kind !== undefined && kind !== '' && kind !== 'DeleteOptions') {
    throw badRequest(`expected a DeleteOptions, found ${renderValue(kind)}`)
  }
  if (apiVersion !== undefined && typeof apiVersion !== 'string')
    throw badRequest('apiVersion must be a string')
  if (!isKnownGroup(api, apiVersion)) {
    throw badRequest(
      `no kind "DeleteOptions" is registered for version ${JSON.stringify(apiVersion)}`,
    )
  }
  try {
    return codecOf(DeleteOptions.shape).decode(rest, new Decoding({ written }))
  } catch (error) {
    if (error instanceof DecodeError)
      throw badRequest(`error decoding DeleteOptions: ${error.message}`)
    throw error
  }
}

function isKnownGroup(api: WriteDependencies, apiVersion: string | undefined): boolean {
  if (apiVersion === undefined || apiVersion === '' || apiVersion === api.v.resolve('meta{api}/v1'))
    return true
  const slash = apiVersion.indexOf('/')
  return slash === -1
    ? api.catalogue.hasVersion('', apiVersion)
    : api.catalogue.hasVersion(apiVersion.slice(0, slash), apiVersion.slice(slash + 1))
}
