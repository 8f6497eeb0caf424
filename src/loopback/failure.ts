import {
  internalError,
  invalid,
  StatusError,
  timeout,
  tooLarge,
  unavailable,
} from '../schema/errors.ts'
import { TooManyErrors } from '../schema/field-errors.ts'
import { TransformError } from '../store/encryption/unreadable.ts'
import { StoreFull, StoreRefusal, StoreUnavailable } from '../store/store.ts'

/** What went wrong as a client of the network would be told it; anything that is a fault of this program stays as it is. */
export function failureOf(error: unknown): unknown {
  if (error instanceof StatusError) return error
  if (error instanceof TooManyErrors) return invalid({ group: '', kind: '' }, '', error.list)
  if (error instanceof TransformError) return internalError(error.message)
  if (error instanceof StoreUnavailable) {
    const why =
      error instanceof StoreFull
        ? 'the store has no space left, nothing was written'
        : 'the store cannot be reached at this time, please try again'
    return error.outcome === 'unknown' ? timeout(why) : unavailable(why, 1)
  }
  if (error instanceof StoreRefusal)
    return error.isTooLarge
      ? tooLarge('the store takes no objects of this size')
      : internalError('the store refuses the request')
  return error
}
