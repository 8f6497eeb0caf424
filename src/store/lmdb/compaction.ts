import type { Revision } from '../store.ts'
import { META, type Databases } from './layout.ts'
import {
  decodeHead,
  decodeValue,
  placeKey,
  readPlaceKey,
  type ValueRecord,
} from './value-record.ts'

/** What one transaction of a compaction reads at most, so that it holds up nobody for long. */
const COMPACT_BATCH = 256
const COMPACT_BYTES = 1 << 20

/** What compaction needs to know of a change. */
type Superseding = Pick<ValueRecord, 'deleted' | 'prev' | 'key'>

/**
 * Inside a transaction: forgets some of the history after `from` and up to `target`. Returns the floor that it was
 * raised to.
 */
export function forgetSome(stores: Databases, from: Revision, target: Revision): Revision {
  let reached = from
  // Headers first, values let go: changing what a cursor walks over is not safe.
  const round: { key: Buffer; record: Superseding }[] = []
  let bytes = 0
  const isFull = (): boolean => round.length >= COMPACT_BATCH || bytes >= COMPACT_BYTES
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
    const { deleted, prev, key: name } = decodeValue(value)
    round.push({ key, record: { deleted, prev, key: name } })
  }
  if (!isFull()) reached = target
  for (const { key, record } of round) forget(stores, key, record)
  stores.meta.putSync(META.floor, Buffer.from(String(reached)))
  return reached
}

/** Removes what the change at `key` superseded, and the change itself when it is a deletion. */
function forget(
  { values, heads }: Databases,
  key: Buffer,
  { deleted, prev, key: name }: Superseding,
): void {
  if (prev) values.removeSync(placeKey(prev.revision, prev.index))
  if (!deleted) return
  values.removeSync(key)
  const { revision, index } = readPlaceKey(key)
  const bytes = heads.get(Buffer.from(name))
  const head = bytes ? decodeHead(bytes) : null
  // The same transaction may have made the key anew after it deleted it.
  if (head?.revision === revision && head.index === index) heads.removeSync(Buffer.from(name))
}
