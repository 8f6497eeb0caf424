/** Lets pending I/O callbacks run: for work of several milliseconds while others wait. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Milliseconds that one piece of work may block the event loop before it yields. */
const LONG_MS = 20

/** The pace of one piece of work with several parts: it yields to the event loop between them, where it took long. */
export class Pace {
  /** Of work that is known to be short: it never yields, and no clock is read. */
  static readonly unlimited = new Pace(Infinity)
  readonly #longMs: number
  #since: number

  constructor(longMs = LONG_MS) {
    this.#longMs = longMs
    this.#since = longMs === Infinity ? 0 : performance.now()
  }

  /** Yields to the event loop when this work has taken long since the last time; null when it has not. */
  pause(): Promise<void> | null {
    if (this.#longMs === Infinity || performance.now() - this.#since < this.#longMs) return null
    return yieldToEventLoop().then(() => {
      this.#since = performance.now()
    })
  }
}

/** The pace of work that is known to be short, which need not look at the clock. */
export const BRIEF = new Pace(Infinity)
