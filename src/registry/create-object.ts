/** The steps of a create, in their order. The kind provides the hooks. */
import { formatTime } from '../base/time.ts'
import { paced } from '../base/steps.ts'
import { Pace } from '../base/event-loop.ts'
import {
  alreadyExists,
  badRequest,
  createWhileLeaving,
  generatedNameTaken,
  plainError,
} from '../meta/errors.ts'
import { checkMetadata } from '../meta/check-metadata.ts'
import { FieldErrors } from '../meta/field-errors.ts'
import type { ObjectMeta, Typed } from '../meta/object-meta.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import type { ResourceCache } from '../cache/resource-cache.ts'
import type { Change } from '../engine/engine.ts'
import { CallAttributes } from './admission.ts'
import { isAllocationKey } from './allocations.ts'
import { keyOf, storeChanges, type WriteDependencies, type Call } from './context.ts'
import { parseJson } from '../codec/json-text.ts'
import { encodeObjectSteps, unversioned } from './objects.ts'
import { objectChanges } from './object-changes.ts'
import type { WriteOptions } from './options.ts'
import { meansUnset } from './named-revision.ts'
import { recordOwners } from './ownership.ts'
import { unlessLeft } from './left-behind.ts'
import type { Result } from './results.ts'
import {
  takeNamespace,
  allocated,
  checked,
  prepared,
  guarded,
  mutated,
  refuseInvalid,
  metadataRules,
  dedupOwners,
  committed,
} from './write.ts'

const MAX_GENERATED_BASE = 58

const SUFFIX = 5

/** Options of a create, and the origin of the object. */
interface CreateOptions extends WriteOptions {
  /** The object already contains its managedFields. */
  readonly tracked?: boolean
  /** An update creates it. */
  readonly isUpdate?: boolean
}

/** Creates an object of the storage version. Throws 4xx. */
export async function createObject(
  api: WriteDependencies,
  call: Call,
  sent: Typed,
  options: CreateOptions,
): Promise<Result> {
  const creation = await creationOf(api, call, sent, options)
  const { table, taken } = creation
  for (;;) {
    const changes = await creation.changes()
    const [{ key, value: record }] = changes
    const present = table.get(key)
    if (present) throw taken(present)
    if (options.dryRun) return { is: 'object', status: 201, version: unversioned(record as Buffer) }
    const result = created(api, call, { table, changes, taken })
    if (call.served.mayLeave) return unlessLeft(api, call.served, { key, made: await result })
    // Without allocations there is only one attempt; the object is released before the wait for the disk.
    if (changes.length === 1) return result as Promise<Result>
    const made = await result
    // Otherwise another writer took a picked value first: the next round sees that and picks another.
    if (made) return made
  }
}

/** A create that passed all steps up to the store. */
interface Creation {
  readonly table: ResourceCache
  /** Allocates values, runs validating admission, and returns the changes to commit. Throws 4xx. */
  changes(): Promise<[Change, ...Change[]]>
  /** The error when an object already exists. */
  taken(present: StoredObject | null): Error
}

/** Takes a new object through hooks, admission, checks and managedFields. Throws 4xx. */
export async function creationOf(
  api: WriteDependencies,
  call: Call,
  sent: Typed,
  options: CreateOptions,
): Promise<Creation> {
  const { served } = call
  // An apply that creates, of which the path does not tell.
  if (served.isLeaving) throw createWhileLeaving(served)
  const c = call.context()
  const pace = new Pace()
  const { resourceVersion } = sent.metadata
  const attributes = await admittedCreate(api, call, sent, { options, pace })
  const object = attributes.object!.live
  const { metadata } = object
  if (options.isUpdate === true && metadata.name !== call.name)
    throw otherName(call.name, metadata.name)
  await guarded(api, { call, object, old: null })
  await pace.pause()
  const generated = await completed(api, call, object, pace)
  for (const text of served.strategy.warn?.(object, null, c) ?? []) call.warn(text)
  served.strategy.canonicalize?.(object, c)
  const name = metadata.name ?? ''
  const key = keyOf(served, call.namespace, name)
  return {
    table: await api.cache.resourceCache(served.storage),
    async changes() {
      const next = await allocated(api, call, object, null)
      const validating = api.admission.validate(attributes.settle(next))
      if (validating) await validating
      if (options.isUpdate !== true && !options.dryRun && !meansUnset(resourceVersion)) {
        throw plainError('resourceVersion should not be set on objects to be created')
      }
      await pace.pause()
      const record = await paced(encodeObjectSteps(served, next), pace)
      return objectChanges(api, { served, key, old: null, next, record, over: 0 })
    },
    taken: takenBy(call, { name, generated }),
  }
}

/** A plugin has changed the name of an object that has its place already. */
const otherName = (wanted: string, name = '') =>
  badRequest(`the name of the object (${name}) does not match the name on the URL (${wanted})`)

/** A separate function, so that it does not retain the object that is created. */
const takenBy =
  ({ served }: Call, { name, generated }: { name: string; generated: boolean }) =>
  (present: StoredObject | null): Error => {
    if (generated) return generatedNameTaken(served.name, name)
    // Only the metadata is decoded: the rest may be large.
    const terminating =
      present?.fault === null &&
      (parseJson(present.metadata()) as ObjectMeta).deletionTimestamp !== undefined
    return alreadyExists(served.name, name, terminating)
  }

/** Sets server-owned fields and managedFields of a new object, and runs mutating admission. Throws 4xx. */
async function admittedCreate(
  api: WriteDependencies,
  call: Call,
  sent: Typed,
  { options, pace }: { readonly options: CreateOptions; readonly pace: Pace },
): Promise<CallAttributes> {
  wipeSystemFields(sent.metadata)
  takeNamespace(call, sent)
  dedupOwners(call, sent.metadata)
  delete sent.metadata.resourceVersion
  if (options.tracked !== true) {
    const owning = recordOwners(call, options, {
      next: sent,
      before: null,
      forms: api.forms,
      c: call.context(),
    })
    if (owning) await owning
  }
  await pace.pause()
  const attributes = new CallAttributes(api, call, {
    operation: 'CREATE',
    object: sent,
    old: null,
    dryRun: options.dryRun,
  })
  await mutated(api, call, attributes)
  return attributes
}

/** Gives a new object its uid, time and name, runs its hooks and checks it; whether its name is generated. Throws 422. */
async function completed(
  api: WriteDependencies,
  call: Call,
  object: Typed,
  pace: Pace,
): Promise<boolean> {
  const { served } = call
  const c = call.context()
  const { metadata } = object
  metadata.creationTimestamp = formatTime(c.now)
  metadata.uid = api.ids.uid()
  served.strategy.prepareForCreate?.(object, c)
  const isGenerated = metadata.name === undefined && metadata.generateName !== undefined
  if (isGenerated)
    metadata.name = metadata.generateName!.slice(0, MAX_GENERATED_BASE) + api.ids.suffix(SUFFIX)
  await prepared(served, object, c, pace)
  const errors = new FieldErrors()
  await checked(pace, [
    () => checkMetadata(metadata, errors.at('metadata'), metadataRules(served, api)),
    () => served.check(object, errors),
    () => served.strategy.validate?.(object, errors, c),
  ])
  refuseInvalid(served, metadata.name ?? '', errors)
  await pace.pause()
  return isGenerated
}

/** What is left of a create that passed all steps: nothing of its object, which is released before the wait. */
interface PassedCreate extends Pick<Creation, 'table' | 'taken'> {
  readonly changes: readonly [Change, ...Change[]]
}

/** Commits a new object; null when an allocation conflicts with another object's. Throws 409 with `taken`. */
async function created(
  api: WriteDependencies,
  call: Call,
  { table, changes, taken }: PassedCreate,
): Promise<Result | null> {
  const [{ key }] = changes
  const commit = await storeChanges(api.cache, call, changes, table)
  if (commit.done)
    return { is: 'object', status: 201, version: committed(table, changes[0], commit.at) }
  if (isAllocationKey(commit.key)) return null
  throw taken(table.get(key))
}

function wipeSystemFields(metadata: ObjectMeta): void {
  delete metadata.uid
  delete metadata.creationTimestamp
  delete metadata.deletionTimestamp
  delete metadata.deletionGracePeriodSeconds
  delete metadata.selfLink
}
