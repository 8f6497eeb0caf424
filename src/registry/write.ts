/** Steps that create and update share. */
import { shortened } from '../base/short-text.ts'
import { paced, type Steps } from '../base/steps.ts'
import { Pace } from '../base/event-loop.ts'
import { badRequest, invalid } from '../meta/errors.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import { collecting, FieldErrors } from '../meta/field-errors.ts'
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

/** The object with its allocated values; the same object when it has none. Throws 422. */
export async function allocated(
  api: WriteDependencies,
  { served, context }: Call,
  object: Typed,
  old: Typed | null,
): Promise<Typed> {
  const { allocate } = served.strategy
  if (!allocate) return object
  const next = copyJson(object)
  const errors = new FieldErrors()
  const allocators = allocatorsFor(api.allocators, await allocationCache(api.cache), api.ids)
  allocate(next, old, allocators, errors, context())
  refuseInvalid(served, next.metadata.name ?? '', errors)
  return next
}

/** Runs checks one after the other until there are too many errors; yields to the event loop when they take long. */
export async function checked(
  pace: Pace,
  checks: readonly (() => void | Steps<void>)[],
): Promise<void> {
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

/** Runs slow preparation of the checks of a kind in steps. */
export function prepared(
  { strategy }: ResourceEntry,
  object: Typed,
  c: HookContext,
  pace: Pace,
): void | Promise<void> {
  if (strategy.prepare) return paced(strategy.prepare(object, c), pace)
}

export function guarded(api: WriteDependencies, write: GuardedWrite): void | Promise<void> {
  if (write.call.isOwn) return
  const { group, resource } = write.call.served
  return api.guards?.get(`${group}/${resource}`)?.(write)
}

/** Runs mutating admission on the object, and rejects invalid managedFields. */
export async function mutated(
  api: WriteDependencies,
  call: Call,
  attributes: CallAttributes,
): Promise<Typed> {
  const { live } = attributes.object!
  const entries = live.metadata.managedFields
  const owners = live.metadata.ownerReferences
  const object = await mutatedBy<Typed>(api, attributes)
  const { metadata } = object
  if (metadata.namespace !== call.namespace) takeNamespace(call, object)
  if (metadata.ownerReferences !== owners)
    dedupOwners(call, metadata, ' after mutating admission happens')
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
): MetadataRules => ({
  namespaced: served.namespaced,
  nameRule: served.strategy.nameRule ?? isDns1123Subdomain,
  takesPlainFinalizers: served.strategy.takesPlainFinalizers,
  v: api.v,
  parts,
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
  const version = table.getAt(key, at)
  // A retired cache has no newer state.
  if (version && (!table.retired || version.revision === at)) return version
  if (!table.retired || value === null)
    throw new Error(`committed object ${key} is not in the cache`)
  return asVersion(Buffer.from(value), at)
}
