import { IndexedPool, type InPool } from '../../base/indexed-pool.ts'

/** Something that is to be over by a time. */
export interface Due extends InPool {
  /** Written by the due times alone. */
  dueAt: number
  /** Called once, when it is not over by then. */
  late(): void
}

/** Timers are of whole milliseconds, and may be that much early. */
const EARLY_MS = 1

/**
 * Times by which calls must be over, in the machine's time. Nearly all of them are over long before, so there is one timer,
 * for what was next when it was set, in the place of one that is made and cleared for each. One that keeps no process alive
 * stays when nothing is left to wait for.
 */
export class DueTimes<T extends Due = Due> {
  readonly #waiting = new IndexedPool<T>()
  #timer: NodeJS.Timeout | null = null
  #timerAt = Infinity
  readonly #keepsAlive: boolean

  constructor({ keepsAlive }: { readonly keepsAlive: boolean }) {
    this.#keepsAlive = keepsAlive
  }

  /** Something that is in no pool is to be over in that time from now. */
  add(due: T, ms: number): void {
    due.dueAt = performance.now() + ms
    this.#waiting.add(due)
    if (due.dueAt < this.#timerAt) this.#set(due.dueAt, ms)
  }

  /** It is over; it may have been before. */
  delete(due: T): void {
    this.#waiting.delete(due)
    if (this.#keepsAlive && this.#waiting.size === 0) this.#clear()
  }

  /** All of them, in no order; the visited one may be deleted. */
  [Symbol.iterator](): Iterator<T> {
    return this.#waiting[Symbol.iterator]()
  }

  readonly #look = (): void => {
    this.#clear()
    const now = performance.now() + EARLY_MS
    let next = Infinity
    const late: T[] = []
    for (const due of this.#waiting) {
      if (due.dueAt <= now) late.push(due)
      else next = Math.min(next, due.dueAt)
    }
    for (const due of late) this.#waiting.delete(due)
    if (next !== Infinity) this.#set(next, next - now + EARLY_MS)
    for (const due of late) due.late()
  }

  #set(at: number, ms: number): void {
    this.#clear()
    this.#timerAt = at
    // Longer waits are cut, which only means an early look.
    this.#timer = setTimeout(this.#look, Math.min(ms, 0x7fffffff))
    if (!this.#keepsAlive) this.#timer.unref()
  }

  #clear(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#timerAt = Infinity
  }
}
