import type { Typed } from '../../meta/object-meta.ts'
import { notFound } from '../../meta/errors.ts'
import { hookContext, keyOf, type ConnectDependencies } from '../context.ts'
import { decodeStored } from '../objects.ts'

/** Reads a stored object of the core group. Throws 404. */
export async function readCore<T extends Typed>(
  api: ConnectDependencies,
  resource: string,
  namespace: string,
  name: string,
): Promise<T> {
  const served = api.catalogue.find('', 'v1', resource)
  if (!served) throw notFound({ group: '', resource }, name)
  const table = await api.cache.resourceCache(served.storage)
  const version = table.get(keyOf(served, namespace, name))
  if (!version) throw notFound(served.name, name)
  return decodeStored<T>(served, version, hookContext(api))
}
