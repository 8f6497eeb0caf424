import { parseDurationMs } from '../../base/duration.ts'
import { first } from '../../registry/context.ts'
import { badRequest } from '../../meta/errors.ts'
import type { Filter } from '../context.ts'
import { isLongRunning } from '../request-info.ts'

/**
 * Sets the deadline for the start of the response: the server's limit or a smaller `timeout` of the request.
 * `Deadlines` enforces it.
 */
export const deadline: Filter = {
  name: 'deadline',
  run(context) {
    if (isLongRunning(context.info)) return
    let limitMs = context.server.requestTimeoutMs
    const requested = context.query.size === 0 ? undefined : first(context.query, 'timeout')
    if (requested !== undefined && requested !== '') {
      let requestedMs: number
      try {
        requestedMs = parseDurationMs(requested)
      } catch (error) {
        throw badRequest(
          `invalid timeout specified in the request URL - ${error instanceof Error ? error.message : String(error)}`,
        )
      }
      if (requestedMs > 0) limitMs = Math.min(limitMs, requestedMs)
    }
    context.limitMs = limitMs
  },
}
