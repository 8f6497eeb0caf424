import type { Event, Item, Page, RangeOptions, Revision } from '../engine.ts'
import type { PageRoom } from '../page-room.ts'
import { readShortly, type Databases } from './layout.ts'
import {
  decodeHead,
  decodeValue,
  placeKey,
  readPlaceKey,
  type Head,
  type Place,
} from './value-record.ts'

const CHANGES_BATCH = 500

const NO_ROOM = Symbol('no room')

/** Null for a deletion. */
function itemOf(key: string, bytes: Buffer, { revision }: Place): Item | null {
  const { deleted, value, created } = decodeValue(bytes)
  return deleted ? null : { key, value, created, changed: revision }
}

/** Reads of states and changes that the databases still have; whether they do, the caller checks. */
export class Versions {
  readonly #stores: Pick<Databases, 'values' | 'heads'>

  constructor(stores: Pick<Databases, 'values' | 'heads'>) {
    this.#stores = stores
  }

  /** Newest change of a key. */
  head(key: string): Head | null {
    const bytes = this.#stores.heads.get(Buffer.from(key))
    return bytes ? decodeHead(bytes) : null
  }

  /** State of a key after a change; null for a deletion. */
  item(key: string, place: Place): Item | null {
    const bytes = this.#stores.values.get(placeKey(place.revision, place.index))
    return bytes ? itemOf(key, bytes, place) : null
  }

  /** A key at a revision. */
  get(key: string, at: Revision): Item | null {
    const head = this.head(key)
    const place = head && this.#placeAt(head, at)
    return place ? this.item(key, place) : null
  }

  /** The place of the item of a key at a revision, from its newest change back. */
  #placeAt(head: Head, at: Revision): Place | null {
    let place: Place | null = head
    while (place && place.revision > at) {
      const bytes: Buffer | undefined = this.#stores.values.get(
        placeKey(place.revision, place.index),
      )
      place = bytes ? decodeValue(bytes).prev : null
    }
    return place
  }

  /** Keys under a prefix at a revision. */
  range(prefix: string, at: Revision, options: Omit<RangeOptions, 'at'>): Page {
    const first = Buffer.from(prefix)
    const asked = options.start === undefined ? first : Buffer.from(options.start)
    const start = Buffer.compare(asked, first) > 0 ? asked : first
    const items: Item[] = []
    const { room = null } = options
    room?.clear()
    for (const { key: bytes, value } of this.#stores.heads.getRange({ start })) {
      if (Buffer.compare(bytes.subarray(0, first.length), first) !== 0) break
      const key = bytes.toString('utf8')
      const place = this.#placeAt(decodeHead(value), at)
      const isLate = options.limit !== undefined && items.length >= options.limit
      const found =
        place && (room && !isLate ? this.#itemIn(room, key, place) : this.item(key, place))
      if (!found) continue
      // The first one has a page, however large it is.
      const item = found === NO_ROOM && items.length === 0 ? this.item(key, place) : found
      if (isLate || item === NO_ROOM) return { items, at, more: true }
      if (item) items.push(item)
    }
    return { items, at, more: false }
  }

  /** The same item, put into a room. */
  #itemIn(room: PageRoom, key: string, place: Place): Item | typeof NO_ROOM | null {
    const bytes = readShortly(this.#stores.values, placeKey(place.revision, place.index))
    const item = bytes && itemOf(key, bytes, place)
    if (!item) return null
    const value = room.copy(item.value)
    return value ? { ...item, value } : NO_ROOM
  }

  /** Changes after `from` and up to `to`; `check` is called between strides and throws when they are compacted. */
  *changes(
    prefix: string,
    { from, to, check }: { from: Revision; to: Revision; check: () => void },
  ): Generator<readonly Event[]> {
    let events: Event[] = []
    const end = placeKey(to + 1, 0)
    let start = placeKey(from + 1, 0)
    for (;;) {
      let seen = 0
      // Read in strides: a cursor is not held while others write.
      for (const { key, value } of this.#stores.values.getRange({
        start,
        end,
        limit: CHANGES_BATCH,
      })) {
        seen++
        start = Buffer.concat([key, Buffer.from([0])])
        const record = decodeValue(value)
        if (!record.key.startsWith(prefix)) continue
        const at = readPlaceKey(key).revision
        const before = record.prev ? this.item(record.key, record.prev) : null
        events.push({
          at,
          key: record.key,
          value: record.deleted ? null : record.value,
          created: record.created,
          before,
        })
      }
      if (events.length > 0) yield events
      events = []
      if (seen < CHANGES_BATCH) return
      check()
    }
  }

  /** Newest revision between two that was committed at or before a time. */
  revisionAt(timeMs: number, oldest: Revision, newest: Revision): Revision {
    let low = oldest
    let high = newest
    // Every revision above the floor still has its change, with its time.
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      const bytes = this.#stores.values.get(placeKey(middle, 0))
      if (bytes && decodeValue(bytes).timeMs <= timeMs) low = middle
      else high = middle - 1
    }
    return low
  }
}
