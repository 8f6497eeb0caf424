import type { PageRoom } from './page-room.ts'

/**
 * The storage engine below the watch cache: bytes under keys, one revision sequence, and history for a while.
 * `lmdb/`, `memory/` (and later others) implement it and pass the same suite, `test/store/suite.ts`.
 */
export interface Engine {
  /** A word for logs and errors, for instance `lmdb`. */
  readonly name: string
  /** Whether other servers may have the same store open. */
  readonly isShared: boolean
  /** Newest revision that was acknowledged; 0 in an empty store. */
  revision(): Revision
  /**
   * Compaction floor: states at this revision and later can be read, changes after it can be fed.
   */
  oldest(): Revision
  /**
   * All changes get one revision; any failed condition changes nothing. Resolves when the changes
   * are durable, after the batch was handed to every subscriber.
   */
  commit(changes: readonly Change[]): Promise<Commit>
  /** The key at the latest or an exact older revision; null when absent then. Throws Compacted, FutureRevision. */
  get(key: string, options?: { readonly at?: Revision }): Promise<Item | null>
  /** Keys that start with `prefix`, in byte order. Throws Compacted, FutureRevision. */
  range(prefix: string, options?: RangeOptions): Promise<Page>
  /**
   * Changes with `from < revision <= to` of keys under `prefix`, in order of revision (and of position
   * in their transaction). Throws Compacted when `from` is below the floor.
   */
  changes(prefix: string, from: Revision, to: Revision): AsyncIterable<readonly Event[]>
  /**
   * Hands over every batch committed from now on, in revision order, each once, synchronously, before
   * its commits resolve. Returns the end of the subscription.
   */
  subscribe(listener: (events: readonly Event[]) => void): () => void
  /**
   * Forgets history up to and including states below `upTo`; state at `upTo` stays readable. An engine
   * that compacts its history itself may keep more: `oldest` says how much.
   */
  compact(upTo: Revision): Promise<void>
  /** Newest revision that was committed at or before `timeMs`; for the history window. */
  revisionAt(timeMs: number): Revision
  /**
   * Where others write to the same store: its newest revision, once everything up to it was handed to
   * subscribers. `traceparent`: header by which it continues a trace. Absent when this engine is the only one, so that nothing newer can be. Throws StoreUnavailable.
   */
  latest?(traceparent?: string): Promise<Revision>
  /**
   * How many bytes of values one range had best give, where each costs as much as all keys behind its start. Absent
   * where a range costs as much as its result, so that short ranges let other work run in between.
   */
  readonly pageBytes?: number
  /** Throws StoreFull when there is no room for new objects. Absent where that is not known. */
  checkSpace?(): void
  /** Waits for pending commits and closes files. May be called twice. */
  close(): Promise<void>
}

/**
 * Strictly rising and never reused, also across restarts. A number: 2^53 revisions last 285 years
 * at a million a second.
 */
export type Revision = number

export interface Item {
  readonly key: string
  readonly value: Uint8Array
  /** Revision of the commit that made the key. */
  readonly created: Revision
  /** Revision of the commit that gave it this value. */
  readonly changed: Revision
}

export interface RangeOptions {
  readonly at?: Revision
  /** Only keys greater than or equal to this one. */
  readonly start?: string
  readonly limit?: number
  /** Where values may be put: those of the page before are lost, and the page may be shorter than its limit. */
  readonly room?: PageRoom
}

export interface Page {
  readonly items: readonly Item[]
  readonly at: Revision
  /** Whether keys are left after the last item. */
  readonly more: boolean
}

export interface Change {
  readonly key: string
  /** null deletes. */
  readonly value: Uint8Array | null
  /** Revision the key must have been changed at; 0: must not exist; absent: no condition. */
  readonly ifChangedAt?: Revision
  /** A step towards a deletion: it is made as long as any room can be found, like deletions. */
  readonly frees?: boolean
  /** Of the first change: header by which a store elsewhere continues the trace of the request. */
  readonly traceparent?: string
}

export type Commit =
  | { readonly done: true; readonly at: Revision }
  /** `found` is the present state of the first key whose condition failed. */
  | { readonly done: false; readonly key: string; readonly found: Item | null }

export interface Event {
  readonly at: Revision
  readonly key: string
  /** null: deleted */
  readonly value: Uint8Array | null
  /** Revision of the commit that made the key (of the deleted one, for a deletion). */
  readonly created: Revision
  /**
   * The value before, null if the key did not exist. Filled by `changes`; a subscriber that keeps
   * values itself gets undefined.
   */
  readonly before?: Item | null
}

/** The requested revision is compacted. */
export class Compacted extends Error {
  readonly oldest: Revision
  constructor(oldest: Revision) {
    super(`history starts at revision ${oldest}`)
    this.name = 'Compacted'
    this.oldest = oldest
  }
}

/** The requested revision does not exist yet. */
export class FutureRevision extends Error {
  readonly current: Revision
  constructor(current: Revision) {
    super(`current revision is ${current}`)
    this.name = 'FutureRevision'
    this.current = current
  }
}

/** The data directory cannot be used; the message gives the cause and a remedy. */
export class UnusableDataDir extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'UnusableDataDir'
  }
}

/** The store does not respond, or cannot serve now; a retry may help. */
export class StoreUnavailable extends Error {
  /** Whether a write may have happened all the same. */
  readonly outcome: 'none' | 'unknown'
  constructor(message: string, outcome: 'none' | 'unknown' = 'none', options?: ErrorOptions) {
    super(message, options)
    this.name = 'StoreUnavailable'
    this.outcome = outcome
  }
}

/** There is no room for the write; reads continue, and nothing was changed. */
export class StoreFull extends StoreUnavailable {}

/** The store refuses the request itself: a retry does not help. */
export class StoreRefusal extends Error {
  /** The part that exceeds the store's limit; null when the cause is another. */
  readonly tooLarge: TooLarge | null
  constructor(message: string, { tooLarge = null, ...options }: StoreRefusalOptions = {}) {
    super(message, options)
    this.name = 'StoreRefusal'
    this.tooLarge = tooLarge
  }
}

type TooLarge = 'object' | 'name'

/** Why a store refuses. */
export interface StoreRefusalOptions extends ErrorOptions {
  readonly tooLarge?: TooLarge | null
}

/** Default number by which revisions are advanced. */
export const DEFAULT_BUMP = 1_000_000

/**
 * The revision of a store that lost its newest writes, by a restore for instance: at least `bump` later, at the next full
 * million, so that it is above whatever clients saw of them, and plain to see.
 */
export function revisionAfter(revision: Revision, bump: number): Revision {
  return Math.ceil((revision + Math.max(1, bump)) / 1_000_000) * 1_000_000
}
