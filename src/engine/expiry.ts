/** Keys that expire some time after they were written, for engines that have no TTL. */
import type { Clock } from '../base/clock.ts'
import type { Engine, Revision } from './engine.ts'

/** How long a key lives after it was written; undefined: until it is deleted. */
export type TimeToLive = (key: string) => number | undefined

/** Expiry of a key at a time, unless it was written anew after `changed`. */
export interface Expiry {
  readonly timeMs: number
  readonly key: string
  readonly changed: Revision
}

/** Expiries that an engine has recorded, as durably as its values. */
export interface Expiries<E extends Expiry = Expiry> {
  /** Ensures that the other methods cover everything that was committed before. */
  settle?(): Promise<void>
  /** When the earliest falls due; undefined: there is none. */
  next(): number | undefined
  /** The earliest expiries that are due; they may be out of date for their keys. */
  due(nowMs: number, limit: number): readonly E[]
  /** Drops expiries returned by `due`, when their keys are gone or were written anew. */
  drop(expiries: readonly E[]): void | Promise<void>
}

/** Keys of one round: each a commit of its own, all in flight together. */
const ROUND = 256
/** Least time from one sweep to the next, so that keys that expire shortly after one another are deleted together. */
const PAUSE_MS = 1_000
const MAX_PAUSE_MS = 60_000

/** Deletes keys that are due by conditional commits, as any client would. */
export class Sweep<E extends Expiry = Expiry> {
  readonly #clock: Clock
  readonly #engine: Pick<Engine, 'commit'>
  readonly #expiries: Expiries<E>
  #planned: { readonly timeMs: number; readonly cancel: () => void } | null = null
  #sweeping: Promise<void> | null = null
  #pauseMs = PAUSE_MS
  /** When the first key expires that was written during a sweep. */
  #meanwhile = Infinity
  #closed = false

  constructor(clock: Clock, engine: Pick<Engine, 'commit'>, expiries: Expiries<E>) {
    this.#clock = clock
    this.#engine = engine
    this.#expiries = expiries
    const first = expiries.next()
    if (first !== undefined) this.plan(first)
  }

  /** Sees to it that there is a sweep at a time, or before. */
  plan(timeMs: number): void {
    if (this.#closed) return
    if (this.#sweeping) {
      this.#meanwhile = Math.min(this.#meanwhile, timeMs)
      return
    }
    if (this.#planned && this.#planned.timeMs <= timeMs) return
    this.#planned?.cancel()
    const waitMs = Math.max(0, timeMs - this.#clock.now())
    this.#planned = { timeMs, cancel: this.#clock.after(waitMs, () => this.#begin()) }
  }

  /** Resolves when nothing is under way; there is no further sweep. */
  async close(): Promise<void> {
    this.#closed = true
    this.#planned?.cancel()
    await this.#sweeping
  }

  #begin(): void {
    this.#planned = null
    this.#meanwhile = Infinity
    this.#sweeping = this.#run()
      .then(
        (next) => {
          this.#pauseMs = PAUSE_MS
          return next
        },
        // Writers get the disk's error; keys that are due can wait.
        () => {
          this.#pauseMs = Math.min(this.#pauseMs * 2, MAX_PAUSE_MS)
          return this.#clock.now()
        },
      )
      .then((next) => {
        this.#sweeping = null
        const soonest = Math.min(next ?? Infinity, this.#meanwhile)
        if (soonest !== Infinity) this.plan(Math.max(soonest, this.#clock.now() + this.#pauseMs))
      })
  }

  /** Deletes keys that are due, and reports when the next ones are. */
  async #run(): Promise<number | undefined> {
    while (!this.#closed) {
      await this.#expiries.settle?.()
      const due = this.#expiries.due(this.#clock.now(), ROUND)
      if (due.length === 0) return this.#expiries.next()
      await Promise.all(
        due.map(({ key, changed }) =>
          this.#engine.commit([{ key, value: null, ifChangedAt: changed }]),
        ),
      )
      await this.#expiries.drop(due)
    }
    return undefined
  }
}
