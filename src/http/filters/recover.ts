import { plainError, StatusError } from '../../schema/errors.ts'
import { statusAnswer } from '../answer.ts'
import type { Answer, Context } from '../context.ts'

/** Turns whatever was thrown into a Status: the only place that does. */
export function recover(context: Context, error: unknown): Answer {
  if (error instanceof StatusError) return statusAnswer(context, error)
  context.server.onError(error, context)
  return statusAnswer(
    context,
    plainError('This request caused apiserver to panic. Look in the logs for details.'),
  )
}
