import { badRequest } from '../../schema/errors.ts'
import type { Filter } from '../context.ts'
import { parseRequest } from '../request-info.ts'

/** Reads verb, resource and name off method and path. */
export const requestInfo: Filter = {
  name: 'requestInfo',
  run(context) {
    const { method, target } = context.exchange
    const mark = target.indexOf('?')
    try {
      context.info = parseRequest(method, context.path, mark === -1 ? '' : target.slice(mark + 1))
    } catch (error) {
      throw badRequest(error instanceof Error ? error.message : String(error))
    }
  },
}
