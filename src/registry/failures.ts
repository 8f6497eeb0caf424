/** Status responses for failures below the handlers. */
import {
  internalError,
  invalid,
  StatusError,
  timeout,
  tooLarge,
  unavailable,
} from '../meta/errors.ts'
import { TooManyErrors } from '../meta/field-errors.ts'
import { TransformError } from '../engine/encryption/unreadable.ts'
import { StoreFull, StoreRefusal, StoreUnavailable } from '../engine/engine.ts'

/** The Status of a failure; null for a bug in this program. */
export function statusOfFailure(error: unknown): StatusError | null {
  if (error instanceof StatusError) return error
  if (error instanceof TooManyErrors) return invalid({ group: '', kind: '' }, '', error.list)
  if (error instanceof TransformError) return internalError(error.message)
  if (error instanceof StoreUnavailable) return ofUnavailable(error)
  if (error instanceof StoreRefusal) return ofRefusal(error)
  return null
}

function ofUnavailable(error: StoreUnavailable): StatusError {
  const why =
    error instanceof StoreFull
      ? 'the store has no space left, nothing was written'
      : 'the store cannot be reached at this time, please try again'
  return error.outcome === 'unknown' ? timeout(why) : unavailable(why, 1)
}

function ofRefusal({ tooLarge: what }: StoreRefusal): StatusError {
  if (what === null) return internalError('the store refuses the request')
  return tooLarge(
    what === 'name'
      ? 'the store takes no names of this length'
      : 'the store takes no objects of this size',
  )
}
