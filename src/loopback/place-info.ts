/** What a request without a socket is for: its path is read by the same code as those of the network. */
import { pathOf, queryOf } from '../client/api-path.ts'
import type { Place, Query, RequestVerb } from '../client/transport.ts'
import { parseRequest, RequestPathError, type RequestInfo } from '../http/request-info.ts'
import { badRequest, methodNotAllowed } from '../meta/errors.ts'

/** Methods of the verbs, as over the network. */
export const METHODS: Readonly<Record<RequestVerb | 'watch', string>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
}

/** Path and query of a request. */
export const targetOf = (place: Place, verb: RequestVerb | 'watch', query: Query = []): string =>
  pathOf(place) + queryOf(verb === 'watch' ? [['watch', 'true'], ...query] : query)

/** Verb, resource and name of a request. Throws StatusError when its path means another verb. */
export function infoOf(place: Place, verb: RequestVerb | 'watch', query: Query = []): RequestInfo {
  const target = targetOf(place, verb, query)
  const mark = target.indexOf('?')
  const [path, text] = mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)]
  try {
    const info = parseRequest(METHODS[verb], path, text)
    // Such as a get without a name, which lists.
    if (info.verb !== verb) throw methodNotAllowed()
    return info
  } catch (error) {
    throw error instanceof RequestPathError ? badRequest(error.message) : error
  }
}
