/**
 * Every request runs through this list, top to bottom, and back. The order is the security design,
 * so it stands in one place; each filter is a file of the same name.
 */
import type { Answer, Context, Filter } from './context.ts'
import { auditId } from './filters/audit-id.ts'
import { authenticate } from './filters/authenticate.ts'
import { authorize } from './filters/authorize.ts'
import { cacheControl } from './filters/cache-control.ts'
import { deadline } from './filters/deadline.ts'
import { draining } from './filters/draining.ts'
import { recover } from './filters/recover.ts'
import { requestInfo } from './filters/request-info.ts'

export const filters: readonly Filter[] = [
  auditId, // gives the request its id
  recover, // turns any throw into a Status answer: the only catch-all
  draining, // a server that ends turns new requests away: 503
  requestInfo, // verb, group, resource, name from method and path
  cacheControl, // nothing is to be kept by caches between
  deadline, // bounds the time until the answer begins: 504
  authenticate, // who: 401
  authorize, // whether: 403
]

/** Runs a request through filters to its handler. */
export function compose(
  steps: readonly Filter[],
  last: (context: Context) => Promise<Answer>,
): (context: Context) => Promise<Answer> {
  return (context) => {
    const at = (i: number): Promise<Answer> => {
      const step = steps[i]
      return step ? step.run(context, () => at(i + 1)) : last(context)
    }
    return at(0)
  }
}
