import { badRequest, notFound, tooNewVersion } from '../meta/errors.ts'
import type { ResourceCache } from '../cache/resource-cache.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import { first, keyOf, type ReadDependencies, type Call } from './context.ts'
import { isSet, parseRevision } from './options.ts'
import type { Result } from './results.ts'

/** How long a read waits for a future revision before it fails with 504, milliseconds. */
const FRESHNESS_WAIT_MS = 3000

/** Reads one object. Throws 400, 404 and 504. */
export function get(api: ReadDependencies, call: Call): Result | Promise<Result> {
  const table = api.cache.loaded(call.served.storage)
  // The cache is current: most reads need not wait.
  if (table && call.query.size === 0)
    return { is: 'object', status: 200, version: found(table, call) }
  return getWaiting(api, call)
}

async function getWaiting(api: ReadDependencies, call: Call): Promise<Result> {
  if (isSet(call.query, 'export')) {
    throw badRequest('the export parameter, deprecated since v1.14, is no longer supported')
  }
  const wanted = first(call.query, 'resourceVersion') ?? ''
  if (wanted !== '' && wanted !== '0') await waitForRevision(api, parseRevision(wanted))
  return { is: 'object', status: 200, version: await existing(api, call) }
}

/** The object that the call names. Throws 404. */
export async function existing(api: ReadDependencies, call: Call): Promise<StoredObject> {
  return found(await api.cache.resourceCache(call.served.storage), call)
}

function found(table: ResourceCache, { served, namespace, name }: Call): StoredObject {
  const version = table.get(keyOf(served, namespace, name))
  if (!version) throw notFound(served.name, name)
  return version
}

/** Waits until reads see `revision`. Throws 504 after `FRESHNESS_WAIT_MS`. */
export async function waitForRevision(api: ReadDependencies, revision: number): Promise<void> {
  if (api.cache.revision >= revision) return
  if (await api.cache.reached(revision, FRESHNESS_WAIT_MS)) return
  throw tooNewVersion(revision, api.cache.revision)
}
