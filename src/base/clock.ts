/** Time as the program sees it; injected so that tests control it. */
export interface Clock {
  /** Milliseconds since the epoch, for points in time. They may go back when the clock of the machine is set. */
  now(): number
  /** Milliseconds since some start, for spans of time: they never go back. Absent: `now` never does. */
  elapsed?(): number
  /** Calls back once after `ms`, unless cancelled by the returned function. Never keeps the process alive. */
  after(ms: number, call: () => void): () => void
}

/** Milliseconds since some start by a clock: for spans of time, which setting the clock of the machine must not change. */
export const elapsedOf = (clock: Pick<Clock, 'now' | 'elapsed'>): number =>
  clock.elapsed?.() ?? clock.now()

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
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
  #elapsed = 0
  #timers: { at: number; call: () => void }[] = []
  constructor(now = Date.parse('2024-01-02T03:04:05Z')) {
    this.#now = now
  }
  now(): number {
    return this.#now
  }
  after(ms: number, call: () => void): () => void {
    const timer = { at: this.#elapsed + ms, call }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((t) => t !== timer)
    }
  }
  elapsed(): number {
    return this.#elapsed
  }
  /** Sets the time of day forward or back, as an operator does: no time passes. */
  step(ms: number): void {
    this.#now += ms
  }
  /** Moves time on and runs what falls due, in order. */
  advance(ms: number): void {
    const end = this.#elapsed + ms
    for (;;) {
      const due = this.#first()
      if (!due || due.at > end) break
      this.#timers.splice(this.#timers.indexOf(due), 1)
      this.#pass(due.at)
      due.call()
    }
    this.#pass(end)
  }
  #first() {
    let first = this.#timers[0]
    for (const timer of this.#timers) if (timer.at < first!.at) first = timer
    return first
  }
  #pass(to: number): void {
    const ms = Math.max(to - this.#elapsed, 0)
    this.#elapsed += ms
    this.#now += ms
  }
}
