/** The clock of a server under test: it runs like the machine's, and the test moves it on, or stops it. */
import type { Clock } from '../base/clock.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import { parseDurationMs } from '../base/duration.ts'

/** Most steps in which time is moved on. */
const MAX_STEPS = 1_000
/** Event loop iterations in which the work of one step goes on before the next: informers, queues, writes. */
const TURNS = 4
const MAX_TIMEOUT_MS = 0x7fffffff

interface Timer {
  at: number
  readonly call: () => void
  handle: NodeJS.Timeout | null
}

/** Milliseconds, or a duration such as `10m` or `1h30m`. */
export type Span = number | string

/** A clock that the test moves. Time never goes back. */
export class TestClock implements Clock {
  /** By how much it is ahead of the machine's clock while it runs. */
  #aheadMs = 0
  /** The time while it is stopped. */
  #stoppedAt: number | null = null
  readonly #timers = new Set<Timer>()
  #isMoving = false

  now(): number {
    return this.#stoppedAt ?? Date.now() + this.#aheadMs
  }

  after(ms: number, call: () => void): () => void {
    const timer: Timer = { at: this.now() + ms, call, handle: null }
    this.#timers.add(timer)
    this.#arm(timer)
    return () => this.#drop(timer)
  }

  /** Milliseconds by which it is ahead of the machine's clock; negative once it was stopped for a while. */
  get aheadMs(): number {
    return this.now() - Date.now()
  }

  /** The time as a Date. */
  get date(): Date {
    return new Date(this.now())
  }

  /**
   * Moves time on, in steps from one timer to the next (a thousand at most): what falls due happens in order, and what it
   * causes in between. Resolves when the last step has been taken.
   */
  async advance(span: Span): Promise<void> {
    const end = this.now() + millisecondsOf(span)
    const leastMs = (end - this.now()) / MAX_STEPS
    await this.#moving(async () => {
      while (this.now() < end) {
        const next = this.#next()
        this.#goTo(Math.min(end, Math.max(next, this.now() + leastMs)))
        this.#fire()
        for (let turn = 0; turn < TURNS; turn++) await yieldToEventLoop()
      }
    })
  }

  /** Moves time on at once, like a machine that slept: timers that fell due meanwhile fire once, late. */
  async jump(span: Span): Promise<void> {
    await this.#moving(async () => {
      this.#goTo(this.now() + millisecondsOf(span))
      this.#fire()
      for (let turn = 0; turn < TURNS; turn++) await yieldToEventLoop()
    })
  }

  /** Stops it: time passes only by `advance` and `jump`. */
  stop(): void {
    this.#stoppedAt ??= this.now()
    for (const timer of this.#timers) disarm(timer)
  }

  /** Lets it run on from where it stands. */
  start(): void {
    if (this.#stoppedAt === null) return
    this.#aheadMs = this.#stoppedAt - Date.now()
    this.#stoppedAt = null
    for (const timer of this.#timers) this.#arm(timer)
  }

  async #moving(work: () => Promise<void>): Promise<void> {
    if (this.#isMoving) throw new Error('the clock is being moved already: await the first call')
    this.#isMoving = true
    const wasRunning = this.#stoppedAt === null
    this.stop()
    try {
      await work()
    } finally {
      this.#isMoving = false
      if (wasRunning) this.start()
    }
  }

  #goTo(time: number): void {
    this.#stoppedAt = Math.max(time, this.now())
  }

  #next(): number {
    let next = Infinity
    for (const { at } of this.#timers) if (at < next) next = at
    return next
  }

  /** Fires what is due, in order. */
  #fire(): void {
    const now = this.now()
    const due = [...this.#timers].filter(({ at }) => at <= now).sort((a, b) => a.at - b.at)
    for (const timer of due) if (this.#timers.delete(timer)) timer.call()
  }

  #arm(timer: Timer): void {
    if (this.#stoppedAt !== null) return
    const waitMs = Math.min(Math.max(0, timer.at - this.now()), MAX_TIMEOUT_MS)
    timer.handle = setTimeout(() => {
      timer.handle = null
      if (timer.at - this.now() > 1) return this.#arm(timer)
      if (this.#timers.delete(timer)) timer.call()
    }, waitMs)
    timer.handle.unref()
  }

  #drop(timer: Timer): void {
    this.#timers.delete(timer)
    disarm(timer)
  }
}

function disarm(timer: Timer): void {
  if (timer.handle !== null) clearTimeout(timer.handle)
  timer.handle = null
}

/** Throws a TypeError about what is no span of time. */
export function millisecondsOf(span: Span): number {
  const ms = typeof span === 'string' ? parseDurationMs(span) : span
  if (!(ms >= 0 && Number.isFinite(ms)))
    throw new TypeError(`${JSON.stringify(span)} is no time that can pass`)
  return ms
}
