/** What a request must wait for, so that it sees all earlier writes of any server. */
import { StatusError } from '../meta/errors.ts'
import { first, storeReached, type ReadDependencies, type Call } from './context.ts'

/**
 * Null when the request may be served at once: no other server writes to the store, or the request names a revision,
 * or any revision will do. Rejects with StoreUnavailable.
 */
export function freshness(
  api: Pick<ReadDependencies, 'cache'>,
  call: Call,
  verb: string,
): Promise<void> | null {
  if (verb === 'get' || verb === 'list' || verb === 'watch') {
    const { query } = call
    if (query.size > 0 && (first(query, 'resourceVersion') || first(query, 'continue'))) return null
  }
  return storeReached(api.cache, call)
}

/**
 * Runs a request whose success is correct even on stale data, such as a create, which the store refuses when the key
 * exists. Only a refusal may come from stale data, and is retried on fresh data.
 */
export async function retryIfStale<T>(
  api: Pick<ReadDependencies, 'cache'>,
  run: () => T | Promise<T>,
): Promise<T> {
  const { revision } = api.cache
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    await api.cache.fresh()
    if (api.cache.revision === revision) throw error
    return run()
  }
}
