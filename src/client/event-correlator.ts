/** Keeps programs that repeat themselves from filling a cluster with events. */
import { LRUCache } from 'lru-cache'
import type { Clock } from '../base/clock.ts'

/** Content of an event, without time and count. */
export interface ToldEvent {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  /** The object that it is about, as one text. */
  readonly about: string
}

/** The event to write. */
export interface Correlated {
  readonly message: string
  /** Number of occurrences. */
  readonly count: number
  /** Time of the first occurrence, milliseconds since the epoch. */
  readonly firstMs: number
  /** The event that is written already; null: a new one. */
  readonly written: WrittenEvent | null
  /** Remembers the event under which this was written. */
  readonly remember: (event: WrittenEvent) => void
}

/** An event at the server. */
export interface WrittenEvent {
  readonly namespace: string
  readonly name: string
}

const CACHE = 4096
/** Time window within which different messages with the same reason are aggregated, and how many it takes. */
const SIMILAR_MS = 600_000
const SIMILAR = 10
/** Events about one object: so many at once, and one more each five minutes. */
const BURST = 25
const REFILL_MS = 300_000

interface Group {
  readonly messages: Set<string>
  lastMs: number
}
interface Bucket {
  left: number
  filledMs: number
}
interface Series {
  count: number
  firstMs: number
  written: WrittenEvent | null
}

/** Counts repeated events, aggregates similar ones and drops those above the rate limit. Its memory is bounded. */
export class EventCorrelator {
  readonly #clock: Clock
  readonly #groups = new LRUCache<string, Group>({ max: CACHE })
  readonly #buckets = new LRUCache<string, Bucket>({ max: CACHE })
  readonly #series = new LRUCache<string, Series>({ max: CACHE })

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Null when it is passed over. */
  take(told: ToldEvent): Correlated | null {
    const now = this.#clock.now()
    const { message, isJoined } = this.#joined(told, now)
    const series = this.#counted(told, isJoined ? '' : message, now)
    if (!this.#isAllowed(told.about, now)) return null
    return {
      message,
      count: series.count,
      firstMs: series.firstMs,
      written: series.written,
      remember: (event) => {
        series.written = event
      },
    }
  }

  #joined(
    { type, reason, message, about }: ToldEvent,
    now: number,
  ): { readonly message: string; readonly isJoined: boolean } {
    const key = JSON.stringify([about, type, reason])
    const known = this.#groups.get(key)
    const isCurrent = known !== undefined && now - known.lastMs <= SIMILAR_MS
    const group = isCurrent ? known : { messages: new Set<string>(), lastMs: now }
    group.lastMs = now
    if (group.messages.size < SIMILAR) group.messages.add(message)
    this.#groups.set(key, group)
    return group.messages.size < SIMILAR
      ? { message, isJoined: false }
      : { message: `(combined from similar events): ${message}`, isJoined: true }
  }

  #counted({ type, reason, about }: ToldEvent, message: string, now: number): Series {
    const key = JSON.stringify([about, type, reason, message])
    let series = this.#series.get(key)
    if (!series) this.#series.set(key, (series = { count: 0, firstMs: now, written: null }))
    series.count++
    return series
  }

  #isAllowed(about: string, now: number): boolean {
    let bucket = this.#buckets.get(about)
    if (!bucket) this.#buckets.set(about, (bucket = { left: BURST, filledMs: now }))
    const refilled = (now - bucket.filledMs) / REFILL_MS
    bucket.left = Math.min(BURST, bucket.left + refilled)
    bucket.filledMs = now
    if (bucket.left < 1) return false
    bucket.left--
    return true
  }
}
