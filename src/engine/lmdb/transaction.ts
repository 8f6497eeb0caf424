import type { Change, Commit, Event, Item, Revision } from '../engine.ts'
import type { LmdbExpiries } from './expiries.ts'
import { encodeHead, encodeValue, placeKey, type Head } from './value-record.ts'
import type { Versions } from './versions.ts'
import type { Writes } from './writes.ts'

/** Dependencies of a transaction. */
export interface TransactionOptions {
  readonly versions: Versions
  readonly expiries: LmdbExpiries | null
  readonly writes: Writes
  /** Changes that are committed and that `versions` does not know yet, by key. */
  readonly unapplied: ReadonlyMap<string, PendingChange>
  /** Newest revision before it. */
  readonly revision: Revision
  readonly timeMs: number
}

/** The newest change of a key. */
export interface PendingChange {
  readonly head: Head
  /** Its record, which ends with the value, and the bytes of that; -1: a deletion. */
  readonly record: Buffer
  readonly valueBytes: number
}

/** The commits that go to disk together: each sees what those before it make of the store. */
export class Transaction {
  readonly #options: TransactionOptions
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
    const { writes, expiries, timeMs } = this.#options
    const { revision: at, index, created, deleted } = head
    const record = encodeValue({ deleted, created, prev, timeMs, key, value })
    writes.put('values', placeKey(at, index), record)
    writes.put('heads', Buffer.from(key), encodeHead(head))
    if (value !== null)
      this.soonest = Math.min(this.soonest, expiries?.add(writes, key, head, timeMs) ?? Infinity)
    this.made.set(key, { head, record, valueBytes: value === null ? -1 : value.length })
    this.events.push({ at, key, value, created })
  }

  #head(key: string): Head | null {
    return this.#known(key)?.head ?? this.#options.versions.head(key)
  }

  #item(key: string, head: Head): Item | null {
    const made = this.#known(key)
    if (!made) return this.#options.versions.item(key, head)
    const { record, valueBytes } = made
    if (valueBytes === -1) return null
    const value = record.subarray(record.length - valueBytes)
    return { key, value, created: made.head.created, changed: made.head.revision }
  }

  #known(key: string): PendingChange | undefined {
    return this.made.get(key) ?? this.#options.unapplied.get(key)
  }
}
