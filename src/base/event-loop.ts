/** Lets everything that waits for the outside have its turn: for work of several milliseconds while others wait. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Milliseconds that one piece of work may keep others waiting before it lets them have a turn. */
const LONG_MS = 20

/** The pace of one piece of work with several parts: between them others have their turn, where it took long. */
export class Pace {
  #since = performance.now()

  /** A turn for others when this work has taken long since the last one, to be waited for; null when it has not. */
  pause(): Promise<void> | null {
    if (performance.now() - this.#since < LONG_MS) return null
    return yieldToEventLoop().then(() => {
      this.#since = performance.now()
    })
  }
}
