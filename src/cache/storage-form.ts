/** Conversion of objects that were stored in another version, when they enter the cache. */
import {
  TransformError,
  unreadableReason,
  unreadableValue,
} from '../engine/encryption/unreadable.ts'
import { isTagged } from '../engine/record.ts'

/** Identifies a resource cache: the prefix of its keys, or an object that has one and a form. */
export type ResourceCacheKey = string | { readonly keyPrefix: string }

/** Thrown for a resource cache that no longer exists, or that has another form now. */
export class ResourceCacheGone extends Error {
  override readonly name = 'ResourceCacheGone'

  constructor(prefix: string) {
    super(`what was served of ${prefix} is served no longer, or in another form`)
  }
}

/** The current storage form of a resource. */
export interface StorageForm {
  /** Owner of the form: a lookup by it returns the resource cache in this form, or none. */
  readonly of: ResourceCacheKey & object
  /** Tag of the current storage version. */
  readonly tag: Uint8Array
  /**
   * Converts a record of another version to the current storage version, without unknown fields and with defaults.
   * Throws TransformError when it cannot.
   */
  convert(record: Uint8Array, key: string): Uint8Array
  /**
   * Set when conversion is asynchronous: prepares the result of `convert` for these records. Rejects when the
   * conversion fails.
   */
  readonly prepare?: (records: readonly Uint8Array[]) => Promise<void>
}

/** Whether a value must be prepared before it can be added. */
export const needsPreparation = (
  value: Uint8Array | null | undefined,
  form: StorageForm | null,
): boolean =>
  value != null &&
  form?.prepare !== undefined &&
  !isTagged(value, form.tag) &&
  unreadableReason(value) === null

/** Prepares the values that need asynchronous conversion. */
export async function prepareAll(
  values: readonly (Uint8Array | null | undefined)[],
  form: StorageForm | null,
): Promise<void> {
  const waiting = values.filter((value) => needsPreparation(value, form)) as Uint8Array[]
  if (waiting.length > 0) await form!.prepare!(waiting)
}

/** A value in the form of the cache. */
export interface CachedRecord {
  /** In the current form, or the reason why there is none (see `unreadableValue`). */
  readonly record: Uint8Array
  /** Whether a write of the same object would store different bytes. */
  readonly isOutdated: boolean
}

/** Converts a value of the store to the current form. */
export function toCachedRecord(
  value: Uint8Array,
  key: string,
  form: StorageForm | null,
): CachedRecord {
  if (form === null || isTagged(value, form.tag) || unreadableReason(value) !== null)
    return { record: value, isOutdated: false }
  try {
    return { record: form.convert(value, key), isOutdated: true }
  } catch (error) {
    if (!(error instanceof TransformError)) throw error
    return { record: unreadableValue(error.reason), isOutdated: false }
  }
}
