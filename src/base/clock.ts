/** Time as the program sees it; injected so that tests control it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls back once after `ms`, unless cancelled by the returned function. Never keeps the process alive. */
  after(ms: number, call: () => void): () => void
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, call) {
    // setTimeout takes at most 2^31-1 ms; longer waits are cut, which only means an early check.
    const timer = setTimeout(call, Math.min(ms, 0x7fffffff))
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** A clock that does not move until it is advanced. */
export class ManualClock implements Clock {
  #now: number
  #timers: { at: number; call: () => void }[] = []
  constructor(now = Date.parse('2024-01-02T03:04:05Z')) {
    this.#now = now
  }
  now(): number {
    return this.#now
  }
  after(ms: number, call: () => void): () => void {
    const timer = { at: this.#now + ms, call }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((t) => t !== timer)
    }
  }
  /** Moves time on and runs what falls due, in order. */
  advance(ms: number): void {
    const end = this.#now + ms
    for (;;) {
      const due = this.#timers.filter((t) => t.at <= end).sort((a, b) => a.at - b.at)[0]
      if (!due) break
      this.#timers = this.#timers.filter((t) => t !== due)
      this.#now = Math.max(this.#now, due.at)
      due.call()
    }
    this.#now = end
  }
}
