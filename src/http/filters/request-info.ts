import { badRequest } from '../../meta/errors.ts'
import type { Filter } from '../context.ts'
import { internalErrorText } from '../plain-text.ts'
import { RequestPathError } from '../request-info.ts'

/** Parses verb, resource and name from method and path. */
export const requestInfo: Filter = {
  name: 'requestInfo',
  run(context) {
    const { request } = context
    try {
      context.info = request.info
    } catch (error) {
      if (!(error instanceof RequestPathError)) throw error
      throw error.status === 500
        ? internalErrorText(request.text, error.message)
        : badRequest(error.message)
    }
  },
}
