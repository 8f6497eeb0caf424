import { badRequest } from '../../meta/errors.ts'
import type { Filter } from '../context.ts'
import { internalErrorText } from '../plain-text.ts'
import { parseRequest, RequestPathError } from '../request-info.ts'

/** Parses verb, resource and name from method and path. */
export const requestInfo: Filter = {
  name: 'requestInfo',
  run(context) {
    const { method, target } = context.exchange
    const mark = target.indexOf('?')
    try {
      context.info = parseRequest(method, context.path, mark === -1 ? '' : target.slice(mark + 1))
    } catch (error) {
      if (!(error instanceof RequestPathError)) throw error
      throw error.status === 500
        ? internalErrorText(target, error.message)
        : badRequest(error.message)
    }
  },
}
