/** What a request must wait for, so that it sees all earlier writes of any server. */
import { StatusError } from '../meta/errors.ts'
import { first, storeReached, type ReadDependencies, type Call } from './context.ts'

type Cached = Pick<ReadDependencies, 'cache'>

/**
 * Null when the request may be served at once: no other server writes to the store, or the request names a revision,
 * or any revision will do. Rejects with StoreUnavailable.
 */
export function freshness(api: Cached, call: Call, verb: string): Promise<void> | null {
  if (verb === 'get' || verb === 'list' || verb === 'watch') {
    const { query } = call
    if (query.size > 0 && (first(query, 'resourceVersion') || first(query, 'continue'))) return null
  }
  return storeReached(api.cache, call)
}

/** Runs a request so that its answer is right, whatever another server wrote before. */
export function runFresh<A extends Cached, T>(
  api: A,
  call: Call,
  verb: string,
  run: (api: A, call: Call) => T | Promise<T>,
): T | Promise<T> {
  return api.cache.isShared ? runShared(api, call, verb, () => run(api, call)) : run(api, call)
}

/** The same where other servers write to the store. */
function runShared<T>(
  api: Cached,
  call: Call,
  verb: string,
  run: () => T | Promise<T>,
): T | Promise<T> {
  if (isBoundToSeen(call, verb)) return retryIfStale(api, run)
  const waiting = freshness(api, call, verb)
  return waiting ? waiting.then(run) : run()
}

/**
 * Whether what the request writes is stored only if the object is still the one that was seen, or if there is still none.
 * Where it writes nothing it looks at the store itself, before it answers.
 */
const isBoundToSeen = ({ subresource }: Call, verb: string): boolean =>
  verb === 'update' || verb === 'patch' || (verb === 'create' && subresource === '')

/**
 * Runs a request whose success is right even on stale data, such as a create, which the store refuses when the key
 * exists. Only a refusal may come from stale data, and is retried on fresh data.
 */
async function retryIfStale<T>(api: Cached, run: () => T | Promise<T>): Promise<T> {
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
