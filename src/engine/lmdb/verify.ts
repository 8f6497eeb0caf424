import { Pace } from '../../base/event-loop.ts'
import { UnusableDataDir, type Revision } from '../engine.ts'
import { DAMAGED, META, readShortly, TIME_BYTES, type Databases } from './layout.ts'
import { decodeHead, decodeValue, isIntact, placeKey, readPlaceKey } from './value-record.ts'

/**
 * How much of a store is looked at when it is opened: `newest` reads the changes that were written last, where a
 * crash would show, `all` every one.
 */
export type Verify = 'newest' | 'all'

/** Most changes, and bytes of them, that `newest` reads. */
const NEWEST = 1_000
const NEWEST_BYTES = 64 << 20
/** Bytes of the key of a change. */
const PLACE_BYTES = 10

/**
 * Looks for damage: changes with their checksums, each key's newest change, the compaction floor. Throws
 * UnusableDataDir that names the first that was found.
 */
export async function verifyStore(stores: Databases, dir: string, how: Verify): Promise<void> {
  const damaged = (what: string) =>
    new UnusableDataDir(`data directory ${dir} is damaged: ${what}; ${DAMAGED}`)
  const floor = stores.meta.get(META.floor)?.toString('utf8')
  if (floor !== undefined && !/^\d{1,16}$/.test(floor)) {
    throw damaged('the revision at which its history starts cannot be read')
  }
  await verifyChanges(stores, Number(floor ?? '0'), how, damaged)
  if (how === 'newest') return
  await verifyHeads(stores, damaged)
  for (const at of stores.expiries.getKeys({}))
    if (at.length !== TIME_BYTES + PLACE_BYTES) throw damaged('an expiry time cannot be read')
}

type Damaged = (what: string) => Error

async function verifyChanges(
  { values, heads }: Databases,
  floor: Revision,
  how: Verify,
  damaged: Damaged,
): Promise<void> {
  const pace = new Pace()
  const newest = { reverse: true, limit: NEWEST }
  let left = how === 'newest' ? NEWEST_BYTES : Infinity
  for (const key of values.getKeys(how === 'newest' ? newest : {})) {
    const value = readShortly(values, key)
    if (!value) continue
    if (key.length !== PLACE_BYTES) throw damaged('a change has no revision')
    const { revision, index } = readPlaceKey(key)
    left -= value.length
    if (!isIntact(value)) throw damaged(`the change at revision ${revision} cannot be read`)
    const record = decodeValue(value)
    const headBytes = heads.get(Buffer.from(record.key))
    const head = headBytes ? decodeHead(headBytes) : null
    // Whatever is kept of a key is its newest change or was superseded by it.
    const isKnown =
      head !== null &&
      (head.revision > revision || (head.revision === revision && head.index >= index))
    if (!isKnown) throw damaged(`the change at revision ${revision} belongs to no key`)
    if (record.created > revision) {
      throw damaged(`the change at revision ${revision} is older than its key`)
    }
    const { prev } = record
    // A value superseded by a change above the floor is still needed by reads of the past, unless that was a deletion:
    // a key created anew supersedes a deletion, which is removed with the history.
    const isNeeded = prev !== null && revision > floor && record.created < revision
    if (isNeeded && !values.doesExist(placeKey(prev.revision, prev.index))) {
      throw damaged(`what the change at revision ${revision} superseded is gone`)
    }
    if (left <= 0) return
    const pause = pace.pause()
    if (pause) await pause
  }
}

async function verifyHeads({ values, heads }: Databases, damaged: Damaged): Promise<void> {
  const pace = new Pace()
  for (const { key, value } of heads.getRange({})) {
    const name = key.toString('utf8')
    const head = decodeHead(value)
    const bytes = values.get(placeKey(head.revision, head.index))
    const record = bytes ? decodeValue(bytes) : null
    const agrees =
      record !== null &&
      record.key === name &&
      record.created === head.created &&
      record.deleted === head.deleted
    if (!agrees) throw damaged(`the value of ${name} cannot be found`)
    const pause = pace.pause()
    if (pause) await pause
  }
}
