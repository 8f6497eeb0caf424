/** Bytes up to which a body is read at once: what that takes is less than a turn is worth. */
const SMALL = 64 << 10

/**
 * Lets large bodies be read one in each turn of the event loop: reading a megabyte takes tens of milliseconds, and many
 * of them in one turn would stop all others.
 */
export class BodyQueue {
  readonly #waiting: (() => void)[] = []

  /** Resolves when a body of this length may be read; null: now. */
  wait(bytes: number): Promise<void> | null {
    if (bytes <= SMALL) return null
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(this.#next)
    })
  }

  readonly #next = (): void => {
    this.#waiting.shift()?.()
    if (this.#waiting.length > 0) setImmediate(this.#next)
  }
}
