/** How objects that were stored in another version come into the cache. */
import {
  TransformError,
  unreadableReason,
  unreadableValue,
} from '../engine/encryption/unreadable.ts'
import { isTagged } from '../engine/record.ts'

/** What a table is asked for by: the prefix of its keys, or something that has one and a form of its own. */
export type TableOf = string | { readonly keyPrefix: string }

/** Thrown to whoever asks for a table that is there no longer, or is in another form now. */
export class TableGone extends Error {
  override readonly name = 'TableGone'

  constructor(prefix: string) {
    super(`what was served of ${prefix} is served no longer, or in another form`)
  }
}

/** What a resource stores today. */
export interface StorageForm {
  /** Whose form it is: who asks for a table by that gets the one in this form, or none. */
  readonly of: TableOf & object
  /** Of today's storage version. */
  readonly tag: Uint8Array
  /**
   * A record of another version as it would be stored today: converted, without unknown fields and with defaults.
   * Throws TransformError when it cannot be.
   */
  convert(record: Uint8Array, key: string): Uint8Array
  /**
   * Set when records of another version have to be waited for: makes ready what `convert` gives of these. Rejects when
   * that cannot be had.
   */
  readonly prepare?: (records: readonly Uint8Array[]) => Promise<void>
}

/** Whether a value cannot be taken in before it was made ready. */
export const mustWait = (value: Uint8Array | null | undefined, form: StorageForm | null): boolean =>
  value != null &&
  form?.prepare !== undefined &&
  !isTagged(value, form.tag) &&
  unreadableReason(value) === null

/** Makes ready those values that have to be waited for. */
export async function makeReady(
  values: readonly (Uint8Array | null | undefined)[],
  form: StorageForm | null,
): Promise<void> {
  const waiting = values.filter((value) => mustWait(value, form)) as Uint8Array[]
  if (waiting.length > 0) await form!.prepare!(waiting)
}

/** A value as the cache takes it in. */
export interface Taken {
  /** Of today's form, or why there is none (see `unreadableValue`). */
  readonly record: Uint8Array
  /** Whether a write of the same object would store it another way. */
  readonly isOutdated: boolean
}

/** Brings a value of the store into today's form. */
export function takeIn(value: Uint8Array, key: string, form: StorageForm | null): Taken {
  if (form === null || isTagged(value, form.tag) || unreadableReason(value) !== null)
    return { record: value, isOutdated: false }
  try {
    return { record: form.convert(value, key), isOutdated: true }
  } catch (error) {
    if (!(error instanceof TransformError)) throw error
    return { record: unreadableValue(error.reason), isOutdated: false }
  }
}
