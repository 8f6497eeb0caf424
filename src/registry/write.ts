/** Steps that create and update share. */
import { shortened } from '../base/short-text.ts'
import { paced, type Steps } from '../base/steps.ts'
import { Pace } from '../base/event-loop.ts'
import type { NowOrLater } from '../admission/now-or-later.ts'
import { badRequest, invalid } from '../meta/errors.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import { FieldErrors, TooManyErrors } from '../meta/field-errors.ts'
import { copyJson } from '../codec/json-clone.ts'
import type { MetadataRules } from '../meta/check-metadata.ts'
import type { WrittenParts } from '../meta/known-parts.ts'
import { isDns1123Subdomain } from '../meta/names.ts'
import type { ObjectMeta, Typed } from '../meta/object-meta.ts'
import type { HookContext } from '../catalogue/resource.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import type { ResourceCache } from '../cache/resource-cache.ts'
import type { Change } from '../engine/engine.ts'
import { CallAttributes, mutatedBy } from './admission.ts'
import { allocationCache, allocatorsFor } from './allocations.ts'
import { type WriteDependencies, type Call, type GuardedWrite } from './context.ts'
import { asVersion } from './objects.ts'
import { faultOfEntries } from './ownership.ts'

/** Sets the namespace of the request on the object, and checks the one that was sent. Throws 400. */
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

/** The object with its allocated values; the same object when it has none. Throws and rejects with 422. */
export function allocated(
  api: WriteDependencies,
  { served, context }: Call,
  object: Typed,
  old: Typed | null,
): NowOrLater<Typed> {
  const { allocate } = served.strategy
  if (!allocate) return object
  return allocationCache(api.cache).then((allocations) => {
    const next = copyJson(object)
    const errors = new FieldErrors()
    const allocators = allocatorsFor(api.allocators, allocations, api.ids)
    allocate(next, old, allocators, errors, context())
    refuseInvalid(served, next.metadata.name ?? '', errors)
    return next
  })
}

/** A check of something, at once or in steps. */
type Check<T> = (of: T) => void | Steps<void>

/** Runs checks one after the other until there are too many errors; yields to the event loop when they take long. */
export function checked<T>(
  pace: Pace,
  checks: readonly Check<T>[],
  of = undefined as T,
  from: { readonly at: number; readonly steps: Steps<void> | null } = FIRST,
): void | Promise<void> {
  let { at, steps } = from
  while (at < checks.length) {
    try {
      if (steps === null) steps = checks[at]!(of) ?? null
      else if (steps.next().done === true) steps = null
    } catch (error) {
      if (error instanceof TooManyErrors) return
      throw error
    }
    if (steps === null) at++
    const pause = pace.pause()
    if (pause) {
      const place = { at, steps }
      return pause.then(() => checked(pace, checks, of, place))
    }
  }
}

const FIRST = { at: 0, steps: null }

/** Runs slow preparation of the checks of a kind in steps. */
export function prepared(
  { strategy }: ResourceEntry,
  object: Typed,
  c: HookContext,
  pace: Pace,
): void | Promise<void> {
  if (strategy.prepare) return paced(strategy.prepare(object, c), pace)
}

/** Names of resources in the map of guards: to join them for each write costs more than to remember them. */
const guardNames = new WeakMap<ResourceEntry, string>()

export function guarded(api: WriteDependencies, write: GuardedWrite): void | Promise<void> {
  const { served, isOwn } = write.call
  if (isOwn) return
  let name = guardNames.get(served)
  if (name === undefined) guardNames.set(served, (name = `${served.group}/${served.resource}`))
  return api.guards?.get(name)?.(write)
}

/** Runs mutating admission on the object, and rejects invalid managedFields. */
export function mutated(
  api: WriteDependencies,
  call: Call,
  attributes: CallAttributes,
): NowOrLater<Typed> {
  const { managedFields, ownerReferences } = attributes.object!.live.metadata
  const object = mutatedBy<Typed>(api, attributes)
  return object instanceof Promise
    ? object.then((one) => settled(call, one, { managedFields, ownerReferences }))
    : settled(call, object, { managedFields, ownerReferences })
}

/** Sets right what plugins did to the metadata of an object; `before`: what it had before them. */
function settled(
  call: Call,
  object: Typed,
  before: {
    readonly managedFields: ObjectMeta['managedFields'] | undefined
    readonly ownerReferences: ObjectMeta['ownerReferences'] | undefined
  },
): Typed {
  const { metadata } = object
  if (metadata.namespace !== call.namespace) takeNamespace(call, object)
  if (metadata.ownerReferences !== before.ownerReferences)
    dedupOwners(call, metadata, ' after mutating admission happens')
  if (metadata.managedFields === before.managedFields) return object
  const fault = faultOfEntries(metadata.managedFields)
  if (fault === null) return object
  if (before.managedFields) metadata.managedFields = before.managedFields
  else delete metadata.managedFields
  call.warn(
    `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${fault}`,
  )
  return object
}

/** Whether a terminating object has no finalizers or other reasons left to exist. */
export function isFinished(served: ResourceEntry, object: Typed): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata
  if (deletionTimestamp === undefined) return false
  if ((deletionGracePeriodSeconds ?? 0) > 0) return false
  return (finalizers ?? []).length === 0 && served.strategy.isHeld?.(object) !== true
}

/** Throws 422 when there are errors. */
export function refuseInvalid(served: ResourceEntry, name: string, errors: FieldErrors): void {
  if (errors.list.length > 0)
    throw invalid({ group: served.group, kind: served.kind }, name, errors.list)
}

/** The rules of the metadata of a kind. */
export const metadataRules = (
  served: ResourceEntry,
  api: WriteDependencies,
  parts?: WrittenParts,
  passed?: ObjectMeta,
): MetadataRules => ({
  namespaced: served.namespaced,
  nameRule: served.strategy.nameRule ?? isDns1123Subdomain,
  takesPlainFinalizers: served.strategy.takesPlainFinalizers,
  v: api.v,
  parts,
  passed,
})

/** UTF-16 units of owners in a warning. */
const MAX_SHOWN_UIDS = 1024

/** Owner references that are equal in full count once; `when`: part of the warning about others. */
export function dedupOwners(call: Call, metadata: ObjectMeta, when = ''): void {
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
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${shortened(twice.join(', '), MAX_SHOWN_UIDS)}`,
  )
}

/** Returns the object that a change wrote, from the cache; from the change when the cache was retired meanwhile. */
export function committed(table: ResourceCache, { key, value }: Change, at: number): StoredObject {
  const version = table.writtenAt(key, at) ?? table.getAt(key, at)
  // A retired cache has no newer state.
  if (version && (!table.retired || version.revision === at)) return version
  if (!table.retired || value === null)
    throw new Error(`committed object ${key} is not in the cache`)
  return asVersion(Buffer.from(value), at)
}
