/**
 * Every request passes this list of filters from top to bottom, and then its handler. The order is the security design, so
 * it is in one place; each filter is a file of the same name.
 *
 * A filter ends in one of three ways:
 *
 *     it returns nothing     the next one runs at once, in the same iteration of the event loop
 *     it returns a promise   the next one runs when that resolves
 *     it throws              the rest is skipped, and `recover` makes the response: 4xx, 5xx
 *
 * Example: how far some requests get. `…` is a wait, `!` an error.
 *
 *     request                          headers   authenticate   impersonate   authorize   handler
 *     get by certificate, cached       runs      runs           runs          runs        runs
 *     the same with a webhook token    runs      runs …         runs          runs        runs
 *     create, roles in memory          runs      runs           runs          runs        runs …
 *     create, authorized by webhook    runs      runs           runs          runs …      runs …
 *     no role allows it                runs      runs           runs          ! 403
 *     two Host headers                 ! 400
 *
 * The first one makes no promise at all. A filter never makes a response, and the handler never runs before `authorize`
 * has let the request pass.
 */
import type { ApiResponse, Context, Filter, FilterWait, ServerState } from './context.ts'
import { audit } from './filters/audit.ts'
import { auditId } from './filters/audit-id.ts'
import { authenticate } from './filters/authenticate.ts'
import { authorize } from './filters/authorize.ts'
import { cacheControl } from './filters/cache-control.ts'
import { cors } from './filters/cors.ts'
import { deadline } from './filters/deadline.ts'
import { goaway } from './filters/goaway.ts'
import { headers } from './filters/headers.ts'
import { impersonate } from './filters/impersonate.ts'
import { limits } from './filters/limits.ts'
import { requestInfo } from './filters/request-info.ts'
import { shutdown } from './filters/shutdown.ts'
import { strictTransportSecurity } from './filters/strict-transport-security.ts'

const filters: readonly Filter[] = [
  auditId, // sets the audit ID
  requestInfo, // verb, group, resource, name from method and path
  strictTransportSecurity, // tells browsers to use HTTPS
  cacheControl, // forbids caches to store responses
  goaway, // ends some HTTP/2 connections
  shutdown, // rejects new requests during shutdown: 503, 429
  deadline, // maximum time until the response begins: 504
  headers, // rejects ambiguous headers: 400
  cors, // requests of pages in browsers: 204
  authenticate, // user: 401
  audit, // records the request
  impersonate, // impersonated user: 403
  limits, // waits for a seat: 429
  authorize, // permission: 403
]

/** The filters that have work on a server. */
export const filtersOf = (server: ServerState): readonly Filter[] =>
  filters.filter((filter) => filter.isNeeded?.(server) ?? true)

/** Runs requests through filters to their handler. */
export class Pipeline {
  readonly #steps: readonly Filter[]
  readonly #last: (context: Context) => ApiResponse | Promise<ApiResponse>

  constructor(
    steps: readonly Filter[],
    last: (context: Context) => ApiResponse | Promise<ApiResponse>,
  ) {
    this.#steps = steps
    this.#last = last
  }

  /**
   * Goes on with a request. Null: it waits in a filter (`wait` of the context), and this is to be called again after that.
   * Synchronous steps stay synchronous: a read from the cache creates no promise. What a step throws, or rejects with, is
   * for `recover`.
   */
  run(context: Context): ApiResponse | Promise<ApiResponse> | null {
    const steps = this.#steps
    if (context.wait !== null) noteWait(context, context.wait)
    for (let i = context.step; i < steps.length; i++) {
      const done = steps[i]!.run(context)
      if (!done) continue
      context.step = i + 1
      const since = context.record === null ? 0 : performance.now()
      context.wait = { filter: steps[i]!.name, since, done }
      return null
    }
    return this.#last(context)
  }
}

function noteWait(context: Context, { filter, since }: FilterWait): void {
  const { record } = context
  if (record !== null) (record.waits ??= []).push([filter, performance.now() - since])
  context.wait = null
}
