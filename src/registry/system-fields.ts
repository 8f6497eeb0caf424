/** Metadata that only the server sets. */
import type { ObjectMeta } from '../meta/object-meta.ts'

const FIELDS = [
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
  'resourceVersion',
] as const

/** Removes it from the object of a client. */
export function wipeSystemFields(metadata: ObjectMeta): void {
  // To delete what is absent costs as much as to delete it.
  for (const field of FIELDS) if (metadata[field] !== undefined) delete metadata[field]
}

/** Whether there is anything to remove. */
export const hasSystemFields = (metadata: ObjectMeta): boolean =>
  FIELDS.some((field) => metadata[field] !== undefined)
