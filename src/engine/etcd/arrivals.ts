import { IndexedPool, type InPool } from '../../base/indexed-pool.ts'
import { systemClock } from '../../base/clock.ts'
import type { Revision } from '../engine.ts'

interface Waiter extends InPool {
  readonly revision: Revision
  readonly done: (arrived: boolean) => void
}

/** Progress of the feed, and its waiters. */
export class Arrivals {
  #known: Revision
  readonly #waiting = new IndexedPool<Waiter>()

  constructor(known: Revision) {
    this.#known = known
  }

  /** Everything up to this revision was handed over. */
  get known(): Revision {
    return this.#known
  }

  /** Records that everything up to `revision` was handed over. */
  reach(revision: Revision): void {
    if (revision <= this.#known) return
    this.#known = revision
    for (const waiter of this.#waiting) {
      if (waiter.revision > revision) continue
      this.#waiting.delete(waiter)
      waiter.done(true)
    }
  }

  /** Resolves with whether everything up to `revision` was handed over within the time. */
  wait(revision: Revision, timeoutMs: number): Promise<boolean> {
    if (this.#known >= revision) return Promise.resolve(true)
    return new Promise((resolve) => {
      const waiter: Waiter = {
        place: -1,
        revision,
        done: (arrived) => {
          cancel()
          resolve(arrived)
        },
      }
      // The machine's time, as for the calls that this is the other half of.
      const cancel = systemClock.after(timeoutMs, () => {
        this.#waiting.delete(waiter)
        resolve(false)
      })
      this.#waiting.add(waiter)
    })
  }

  /** Resolves all waiters. */
  close(): void {
    for (const waiter of this.#waiting) {
      this.#waiting.delete(waiter)
      waiter.done(false)
    }
  }
}
