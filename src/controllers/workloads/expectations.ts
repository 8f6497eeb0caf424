import { elapsedOf, type Clock } from '../../base/clock.ts'

/** Time after which what never arrived is no longer waited for, milliseconds. */
const EXPIRES_MS = 300_000

/** Changes of one owner's objects that have been requested and not been seen. */
interface Expected {
  creations: number
  /** uids of objects that were told to end. */
  readonly deletions: Set<string>
  readonly sinceMs: number
}

/**
 * Creations and deletions that a controller requested and whose events it has not seen. While there are any, its cache is
 * behind: it must not create or delete by what the cache says.
 */
export class Expectations {
  readonly #clock: Pick<Clock, 'now' | 'elapsed'>
  readonly #expected = new Map<string, Expected>()

  constructor(clock: Pick<Clock, 'now' | 'elapsed'>) {
    this.#clock = clock
  }

  /** Expects as many creations for an owner; what was expected before is forgotten. */
  expectCreations(owner: string, count: number): void {
    if (count > 0) this.#set(owner, count, [])
  }

  /** Expects the ends of objects with these uids; what was expected before is forgotten. */
  expectDeletions(owner: string, uids: readonly string[]): void {
    if (uids.length > 0) this.#set(owner, 0, uids)
  }

  /** Expects creations and deletions at once. */
  expect(owner: string, creations: number, deletions: readonly string[]): void {
    if (creations > 0 || deletions.length > 0) this.#set(owner, creations, deletions)
  }

  /** A creation was seen, or has failed. */
  created(owner: string, count = 1): void {
    const expected = this.#expected.get(owner)
    if (expected) expected.creations -= count
  }

  /** An end was seen, or could not be requested. */
  deleted(owner: string, uid: string): void {
    this.#expected.get(owner)?.deletions.delete(uid)
  }

  /** Whether nothing is waited for, or for too long. */
  isSatisfied(owner: string): boolean {
    const expected = this.#expected.get(owner)
    if (!expected) return true
    const isSeen = expected.creations <= 0 && expected.deletions.size === 0
    return isSeen || elapsedOf(this.#clock) - expected.sinceMs > EXPIRES_MS
  }

  /** Forgets an owner. */
  forget(owner: string): void {
    this.#expected.delete(owner)
  }

  #set(owner: string, creations: number, deletions: readonly string[]): void {
    const sinceMs = elapsedOf(this.#clock)
    this.#expected.set(owner, { creations, deletions: new Set(deletions), sinceMs })
  }
}
