import { plainError, StatusError } from '../../schema/errors.ts'
import { statusAnswer } from '../answer.ts'
import type { Filter } from '../context.ts'

/** Turns whatever was thrown into a Status: the only place that does. */
export const recover: Filter = {
  name: 'recover',
  async run(context, next) {
    try {
      return await next()
    } catch (error) {
      if (error instanceof StatusError) return statusAnswer(context, error)
      context.server.onError(error, context)
      return statusAnswer(
        context,
        plainError('This request caused apiserver to panic. Look in the logs for details.'),
      )
    }
  },
}
