import type { Revision } from '../engine.ts'
import { DueTimes, type Due } from './due-times.ts'

/** Waits for the feed; told once, by `arrived` or by `late`. */
export interface Arrival extends Due {
  readonly revision: Revision
  /** Everything up to the revision was handed over; subscribers may be notified in this turn only. */
  arrived(): void
}

/** Progress of the feed, and who waits for it. */
export class Arrivals {
  #known: Revision
  // The machine's time, as for the calls that this is the other half of.
  readonly #waiting = new DueTimes<Arrival>({ keepsAlive: false })

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
    for (const arrival of this.#waiting) {
      if (arrival.revision > revision) continue
      this.#waiting.delete(arrival)
      arrival.arrived()
    }
  }

  /** Tells when everything up to the revision of `arrival` was handed over, at once if it was, or that it was not in time. */
  expect(arrival: Arrival, timeoutMs: number): void {
    if (this.#known >= arrival.revision) arrival.arrived()
    else this.#waiting.add(arrival, timeoutMs)
  }

  /** Resolves with whether everything up to `revision` was handed over within the time. */
  wait(revision: Revision, timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const arrived = (): void => resolve(true)
      const late = (): void => resolve(false)
      this.expect({ place: -1, dueAt: 0, revision, arrived, late }, timeoutMs)
    })
  }

  /** All who wait are late. */
  close(): void {
    for (const arrival of this.#waiting) {
      this.#waiting.delete(arrival)
      arrival.late()
    }
  }
}
