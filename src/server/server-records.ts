/** Keys of the store that are the servers' own: no resource has them, and no request reaches them. */
import { serversPrefix } from '../base/store-keys.ts'
import { StoredObject } from '../cache/stored-object.ts'
import type { Item } from '../engine/engine.ts'

/** Records that servers of one cluster share. */
export const AUTHORITY_PREFIX = serversPrefix('authorities')
/** Keys of the live servers, by their address; they expire. */
export const SERVER_LEASE_PREFIX = serversPrefix('leases')
/** Time for which a server counts as alive after a renewal. */
export const SERVER_LEASE_MS = 15_000

/** The value of a record that `encodeBody` made; members of any type. */
export function readOwnRecord({ key, value, created, changed }: Item): Record<string, unknown> {
  const version = StoredObject.of(value, { key, revision: changed, created, prev: null }, null)
  return JSON.parse(version.json().toString('utf8')) as Record<string, unknown>
}
