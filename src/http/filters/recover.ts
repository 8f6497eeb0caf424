import {
  internalError,
  invalid,
  plainError,
  StatusError,
  timeout,
  tooLarge,
  unavailable,
} from '../../schema/errors.ts'
import { TooManyErrors } from '../../schema/field-errors.ts'
import { StoreFull, StoreRefusal, StoreUnavailable } from '../../store/store.ts'
import { TransformError } from '../../store/encryption/transformer.ts'
import { binaryStatusAnswer, failureForm, statusAnswer, yamlStatusAnswer } from '../answer.ts'
import type { Answer, Context } from '../context.ts'
import { plainTextAnswer, PlainTextError } from '../plain-text.ts'

/** Turns whatever was thrown into a Status: the only place that does. */
export function recover(context: Context, error: unknown): Answer | Promise<Answer> {
  if (error instanceof PlainTextError) return plainTextAnswer(error)
  if (error instanceof TooManyErrors)
    return recover(context, invalid({ group: '', kind: '' }, '', error.list))
  if (error instanceof TransformError) return recover(context, internalError(error.message))
  if (error instanceof StoreUnavailable) {
    context.server.log.warn('the store cannot be used', { error: error.message })
    const why =
      error instanceof StoreFull
        ? 'the store has no space left, nothing was written'
        : 'the store cannot be reached at this time, please try again'
    return recover(context, error.outcome === 'unknown' ? timeout(why) : unavailable(why, 1))
  }
  if (error instanceof StoreRefusal) {
    context.server.log.error('the store refuses a request', { error: error.message })
    return recover(
      context,
      error.isTooLarge
        ? tooLarge('the store takes no objects of this size')
        : internalError('the store refuses the request'),
    )
  }
  if (!(error instanceof StatusError)) {
    context.server.onError(error, context)
    context.record?.panicked(error)
  }
  const told =
    error instanceof StatusError
      ? error
      : plainError('This request caused apiserver to panic. Look in the logs for details.')
  context.record?.failed(told)
  switch (failureForm(context)) {
    case 'application/json':
      return statusAnswer(context, told)
    case 'application/yaml':
      return yamlStatusAnswer(context, told)
    case 'protobuf':
      return binaryStatusAnswer(context, told)
  }
}
