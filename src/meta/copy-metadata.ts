import type { ManagedFieldsEntry, ObjectMeta } from './object-meta.ts'

/**
 * A copy of metadata with these entries of managedFields. Its members are named one by one: a spread is slower, and what is
 * added to the result of one gives each object a hidden class of its own, so that every later access is slow as well.
 */
export function copyMetadata(
  from: ObjectMeta,
  managedFields: ManagedFieldsEntry[] | undefined,
): ObjectMeta {
  const to: ObjectMeta = {}
  if (from.name !== undefined) to.name = from.name
  if (from.generateName !== undefined) to.generateName = from.generateName
  if (from.namespace !== undefined) to.namespace = from.namespace
  if (from.selfLink !== undefined) to.selfLink = from.selfLink
  if (from.uid !== undefined) to.uid = from.uid
  if (from.resourceVersion !== undefined) to.resourceVersion = from.resourceVersion
  if (from.generation !== undefined) to.generation = from.generation
  if (from.creationTimestamp !== undefined) to.creationTimestamp = from.creationTimestamp
  if (from.deletionTimestamp !== undefined) to.deletionTimestamp = from.deletionTimestamp
  if (from.deletionGracePeriodSeconds !== undefined)
    to.deletionGracePeriodSeconds = from.deletionGracePeriodSeconds
  if (from.labels !== undefined) to.labels = from.labels
  if (from.annotations !== undefined) to.annotations = from.annotations
  if (from.ownerReferences !== undefined) to.ownerReferences = from.ownerReferences
  if (from.finalizers !== undefined) to.finalizers = from.finalizers
  if (managedFields !== undefined) to.managedFields = managedFields
  return to
}
