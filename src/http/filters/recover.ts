import { statusOfFailure } from '../../registry/failures.ts'
import { plainError } from '../../meta/errors.ts'
import { StoreRefusal, StoreUnavailable } from '../../engine/engine.ts'
import type { ApiResponse, Context } from '../context.ts'
import { EarlyResponse } from '../early-response.ts'
import { failureResponse } from '../failure-response.ts'
import { plainTextResponse, PlainTextError } from '../plain-text.ts'

/** Converts any thrown error into a Status: the only place that does. */
export function recover(context: Context, error: unknown): ApiResponse | Promise<ApiResponse> {
  if (error instanceof EarlyResponse) return error.response
  if (error instanceof PlainTextError) return plainTextResponse(error)
  const known = statusOfFailure(error)
  if (error instanceof StoreUnavailable)
    context.server.log.warn('the store is unavailable', { error: error.message })
  if (error instanceof StoreRefusal) {
    // A client can make an object or a name too large: no fault of the store.
    const level = error.tooLarge === null ? 'error' : 'warn'
    context.server.log[level]('the store rejected a request', { error: error.message })
  }
  if (!known) {
    context.server.onError(error, context)
    context.record?.panicked(error)
  }
  const told =
    known ?? plainError('This request caused apiserver to panic. Look in the logs for details.')
  context.record?.failed(told)
  return failureResponse(context, told)
}
