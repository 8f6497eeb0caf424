import type { Change, Commit, Event, Item, Revision } from '../engine.ts'
import type { LmdbExpiries } from './expiries.ts'
import {
  bytesOf,
  HEAD_BYTES,
  PLACE_BYTES,
  recordBytes,
  writeHead,
  writeKey,
  writePlace,
  writeRecord,
  type Head,
  type Place,
} from './value-record.ts'
import type { Versions } from './versions.ts'
import type { WriteList } from './writes.ts'

/** Dependencies of a transaction. */
export interface TransactionOptions {
  readonly versions: Versions
  readonly expiries: LmdbExpiries | null
  readonly writes: WriteList
  /** Changes that are committed and that `versions` may not know yet. */
  readonly unapplied: Unapplied
  /** Newest revision before it. */
  readonly revision: Revision
  readonly timeMs: number
}

/** Changes that are committed and on their way to LMDB. */
export interface Unapplied {
  /** The newest change of a key. */
  made(key: string): PendingChange | undefined
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
    if (changes.length === 1) return this.#applyOne(changes[0]!)
    const heads = changes.map(({ key }) => this.#head(key))
    for (const [i, change] of changes.entries()) {
      const failed = this.#failed(change, heads[i]!)
      if (failed) return failed
    }
    const at = this.revision + 1
    let index = 0
    for (const [i, change] of changes.entries()) {
      // A key that a transaction changes twice was changed a moment ago.
      const before = index > 0 ? this.#head(change.key) : heads[i]!
      if (this.#write(change, { revision: at, index }, before)) index++
    }
    if (index > 0) this.revision = at
    return { done: true, at: this.revision }
  }

  /** The same for one change, as most commits have. */
  #applyOne(change: Change): Commit {
    const head = this.#head(change.key)
    const failed = this.#failed(change, head)
    if (failed) return failed
    const at = this.revision + 1
    if (this.#write(change, { revision: at, index: 0 }, head)) this.revision = at
    return { done: true, at: this.revision }
  }

  /** The refusal of a change whose condition does not hold. */
  #failed({ key, ifChangedAt }: Change, head: Head | null): Commit | null {
    if (ifChangedAt === undefined) return null
    const at = head && !head.deleted ? head.revision : 0
    if (at === ifChangedAt) return null
    return { done: false, key, found: head && at > 0 ? this.#item(key, head) : null }
  }

  /** Adds a change at a place; false where there is nothing to delete. */
  #write({ key, value }: Change, { revision, index }: Place, prev: Head | null): boolean {
    const isLive = prev !== null && !prev.deleted
    if (value === null && !isLive) return false
    const { expiries, timeMs } = this.#options
    const { writes } = this
    const keyBytes = bytesOf(key)
    const made = {
      revision,
      index,
      created: isLive ? prev.created : revision,
      deleted: value === null,
      writes,
      valueAt: 0,
      valueBytes: value === null ? -1 : value.length,
    }
    const { deleted, created } = made
    const to = writes.reserve('values', PLACE_BYTES, recordBytes(keyBytes, value))
    writePlace(writes.memory, to, made)
    const record = { deleted, created, prev, timeMs, key, keyBytes, value }
    const keyAt = writeRecord(writes.memory, to + PLACE_BYTES, record)
    made.valueAt = writes.placeOf(keyAt + keyBytes)
    const headAt = writes.reserve('heads', keyBytes, HEAD_BYTES)
    writeKey(writes.memory, headAt, key)
    writeHead(writes.memory, headAt + keyBytes, made)
    if (value !== null && expiries) {
      const expiry = expiries.add(writes, key, made, timeMs)
      if (expiry !== undefined) this.soonest = Math.min(this.soonest, expiry)
    }
    this.made.set(key, made)
    this.events.push({ at: revision, key, value, created })
    return true
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
    return this.made.get(key) ?? this.#options.unapplied.made(key)
  }
}
