/** How long the event loop of this thread was held by one piece of work. */
import { openSync, readSync } from 'node:fs'

/** The longest time between two turns of the event loop. */
export interface Gap {
  /** Without the time in which the thread waited for a processor. */
  readonly ms: number
  /** Where it lies, microseconds of the clock of `process.hrtime`. */
  readonly fromUs: number
  readonly toUs: number
}

const NONE: Gap = { ms: 0, fromUs: 0, toUs: 0 }

/** Milliseconds between two looks. */
const TICK_MS = 2

/**
 * Looks at the clock in every turn of the event loop that it can get. What counts is the time in which this thread could
 * run: while others have the processor, nothing is held by this one, so a busy machine gives the figures of a quiet one.
 */
export class GapMeter {
  readonly #waited = waitingTime()
  #longest = NONE
  #at = 0
  #waitedAt = 0
  #timer: NodeJS.Timeout | null = null

  /** Forgets what was seen. */
  start(): void {
    this.stop()
    this.#longest = NONE
    this.#at = now()
    this.#waitedAt = this.#waited()
    this.#timer = setTimeout(this.#tick, TICK_MS)
  }

  /** The longest gap since the start. */
  stop(): Gap {
    if (this.#timer === null) return this.#longest
    clearTimeout(this.#timer)
    this.#timer = null
    this.#look()
    return this.#longest
  }

  readonly #tick = (): void => {
    this.#look()
    this.#timer = setTimeout(this.#tick, TICK_MS)
  }

  #look(): void {
    const at = now()
    const waited = this.#waited()
    const ms = at - this.#at - (waited - this.#waitedAt)
    if (ms > this.#longest.ms) this.#longest = { ms, fromUs: this.#at * 1e3, toUs: at * 1e3 }
    this.#at = at
    this.#waitedAt = waited
  }
}

/** Milliseconds of the clock that profiles have. */
const now = (): number => Number(process.hrtime.bigint()) / 1e6

/** Milliseconds that the main thread has waited for a processor; 0 where the system does not tell. */
function waitingTime(): () => number {
  if (process.platform !== 'linux') return () => 0
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  const buffer = Buffer.alloc(128)
  return () => {
    const length = readSync(file, buffer, 0, buffer.length, 0)
    // Nanoseconds on a processor, nanoseconds waiting for one, and how often it had one.
    return Number(buffer.toString('latin1', 0, length).split(' ')[1]) / 1e6
  }
}
