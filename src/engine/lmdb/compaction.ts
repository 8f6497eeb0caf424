import type { Revision } from '../engine.ts'
import { META, type Databases } from './layout.ts'
import {
  decodeHead,
  decodeValue,
  placeKey,
  readPlaceKey,
  type ValueRecord,
} from './value-record.ts'
import type { Writes } from './writes.ts'

/** Most that one transaction of a compaction reads, so that it does not delay others for long. */
const COMPACT_BATCH = 256
const COMPACT_BYTES = 1 << 20

/** From where history is forgotten, how far, and how many changes are looked at. */
export interface Forgetting {
  readonly from: Revision
  readonly target: Revision
  readonly most?: number | undefined
}

/** Forgets some of the history after `from` and up to `target`. Returns the floor that it is raised to. */
export function forgetSome(
  stores: Databases,
  writes: Writes,
  { from, target, most = COMPACT_BATCH }: Forgetting,
): Revision {
  let reached = from
  let count = 0
  let bytes = 0
  const isFull = (): boolean => count >= most || bytes >= COMPACT_BYTES
  const found = stores.values.getRange({
    start: placeKey(from + 1, 0),
    end: placeKey(target + 1, 0),
  })
  for (const { key, value } of found) {
    const { revision } = readPlaceKey(key)
    // A transaction is forgotten whole, however large it is.
    if (isFull() && revision !== reached) break
    reached = revision
    bytes += value.length
    count++
    forget(stores, writes, key, decodeValue(value))
  }
  if (!isFull()) reached = target
  writes.put('meta', META.floor, Buffer.from(String(reached)))
  return reached
}

/** Removes the value that the change at `key` superseded, and the change itself when it is a deletion. */
function forget(
  { heads }: Databases,
  writes: Writes,
  key: Buffer,
  { deleted, prev, key: name }: ValueRecord,
): void {
  if (prev) writes.remove('values', placeKey(prev.revision, prev.index))
  if (!deleted) return
  writes.remove('values', key)
  const { revision, index } = readPlaceKey(key)
  const bytes = heads.get(Buffer.from(name))
  const head = bytes ? decodeHead(bytes) : null
  // The same transaction may have made the key anew after it deleted it.
  if (head?.revision === revision && head.index === index) writes.remove('heads', Buffer.from(name))
}
