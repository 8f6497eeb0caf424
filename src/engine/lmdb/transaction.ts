import type { Change, Commit, Event, Item, Revision } from '../engine.ts'
import type { LmdbExpiries } from './expiries.ts'
import {
  HEAD_BYTES,
  PLACE_BYTES,
  recordBytes,
  writeHead,
  writePlace,
  writeRecord,
  type Head,
} from './value-record.ts'
import type { Versions } from './versions.ts'
import type { WriteList } from './writes.ts'

/** Dependencies of a transaction. */
export interface TransactionOptions {
  readonly versions: Versions
  readonly expiries: LmdbExpiries | null
  readonly writes: WriteList
  /** Changes that are committed and that `versions` does not know yet, by key. */
  readonly unapplied: ReadonlyMap<string, PendingChange>
  /** Newest revision before it. */
  readonly revision: Revision
  readonly timeMs: number
}

/** The newest change of a key. */
export interface PendingChange extends Head {
  /** The list that has its value, where that is in the list, and how many bytes it has; -1: a deletion. */
  readonly writes: WriteList
  readonly valueAt: number
  readonly valueBytes: number
}

/** The commits that go to disk together: each sees what those before it make of the store. */
export class Transaction {
  readonly #options: TransactionOptions
  readonly writes: WriteList
  /** Resulting state of each key. */
  readonly made = new Map<string, PendingChange>()
  readonly events: Event[] = []
  /** Newest revision when it is committed. */
  revision: Revision
  /** When the first of its keys expires. */
  soonest = Infinity

  constructor(options: TransactionOptions) {
    this.#options = options
    this.revision = options.revision
    this.writes = options.writes
  }

  /** Adds the changes of one commit, all of them or, when a condition does not hold, none. */
  apply(changes: readonly Change[]): Commit {
    const heads = changes.map(({ key }) => this.#head(key))
    for (const [i, { key, ifChangedAt }] of changes.entries()) {
      if (ifChangedAt === undefined) continue
      const head = heads[i]
      const at = head && !head.deleted ? head.revision : 0
      if (at !== ifChangedAt)
        return { done: false, key, found: head && at > 0 ? this.#item(key, head) : null }
    }
    const at = this.revision + 1
    let index = 0
    for (const [i, change] of changes.entries()) {
      // A key that a transaction changes twice was changed a moment ago.
      const before = index > 0 ? this.#head(change.key) : heads[i]!
      const live = before !== null && !before.deleted
      if (change.value === null && !live) continue
      const created = live ? before.created : at
      this.#write(change, { revision: at, index, created, deleted: change.value === null }, before)
      index++
    }
    if (index > 0) this.revision = at
    return { done: true, at: this.revision }
  }

  #write({ key, value }: Change, head: Head, prev: Head | null): void {
    const { expiries, timeMs } = this.#options
    const { writes } = this
    const { revision: at, index, created, deleted } = head
    const keyBytes = Buffer.byteLength(key)
    const to = writes.reserve('values', PLACE_BYTES, recordBytes(keyBytes, value))
    writePlace(writes.memory, to, head)
    const record = { deleted, created, prev, timeMs, key, keyBytes, value }
    const keyAt = writeRecord(writes.memory, to + PLACE_BYTES, record)
    const valueAt = writes.placeOf(keyAt + keyBytes)
    const headAt = writes.reserve('heads', keyBytes, HEAD_BYTES)
    writes.memory.write(key, headAt)
    writeHead(writes.memory, headAt + keyBytes, head)
    if (value !== null)
      this.soonest = Math.min(this.soonest, expiries?.add(writes, key, head, timeMs) ?? Infinity)
    const valueBytes = value === null ? -1 : value.length
    this.made.set(key, { revision: at, index, created, deleted, writes, valueAt, valueBytes })
    this.events.push({ at, key, value, created })
  }

  #head(key: string): Head | null {
    return this.#known(key) ?? this.#options.versions.head(key)
  }

  #item(key: string, head: Head): Item | null {
    const made = this.#known(key)
    if (!made) return this.#options.versions.item(key, head)
    const { writes, valueAt, valueBytes, created, revision: changed } = made
    if (valueBytes === -1) return null
    return { key, value: writes.copy(valueAt, valueBytes), created, changed }
  }

  #known(key: string): PendingChange | undefined {
    return this.made.get(key) ?? this.#options.unapplied.get(key)
  }
}
