/**
 * Runs large pieces of work one per iteration of the event loop, in the order in which they were added: each takes tens
 * of milliseconds, and two in one iteration would block everything else for their sum.
 */
export class IterationQueue {
  readonly #waiting: { work: (() => void) | null }[] = []
  #idle: (() => void)[] = []

  /** Adds work, which must not throw. The returned function removes it if it has not begun. */
  add(work: () => void): () => void {
    const waiting = { work: work as (() => void) | null }
    if (this.#waiting.push(waiting) === 1) setImmediate(this.#next)
    return () => {
      waiting.work = null
    }
  }

  /** Resolves in an iteration in which no other work of this queue runs. */
  wait(): Promise<void> {
    return new Promise((resolve) => this.add(resolve))
  }

  /** Nothing waits. */
  get isIdle(): boolean {
    return this.#waiting.length === 0
  }

  /** Resolves when nothing waits. */
  async idle(): Promise<void> {
    while (!this.isIdle) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  // The work stays in the queue until it has run: added work then waits for the next iteration.
  readonly #next = (): void => {
    const waiting = this.#waiting
    while (waiting[0]?.work === null) waiting.shift()
    waiting[0]?.work?.()
    waiting.shift()
    if (waiting.length > 0) setImmediate(this.#next)
    else for (const done of this.#idle.splice(0)) done()
  }
}
