/** What a request must wait for, so that it sees what was written before it, by whatever server. */
import { StatusError } from '../meta/errors.ts'
import { first, type ReadDependencies, type Call } from './context.ts'

/**
 * Null when the request may be answered at once: nobody else writes to the store, or the reader has named the revision
 * that it wants, or any will do (seed 1, Resource version semantics). Rejects with StoreUnavailable.
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
  return api.cache.fresh()
}

/**
 * Runs what is right whenever it succeeds, whatever was seen: a create, which the store refuses when something stands
 * there. Only a refusal may come from what was old, and is looked into.
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
