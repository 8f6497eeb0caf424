import type { WatchSink } from '../cache/watch-hub.ts'

const NEWLINE = 0x0a

/** Receives the frames of a watch, one line each, and delivers them one after the other. */
export class EventSink implements WatchSink {
  readonly #handle: (line: Buffer) => void | Promise<void>
  readonly #lines: Buffer[] = []
  /** The handler's work on a line; null when it takes the next. */
  #busy: Promise<void> | null = null
  #fail: (error: unknown) => void = () => {}
  closed = false
  /** Rejects when the handler does. */
  readonly failed = new Promise<never>((_, reject) => (this.#fail = reject))

  constructor(handle: (line: Buffer) => void | Promise<void>) {
    this.#handle = handle
    this.failed.catch(() => {})
  }

  write(chunk: Buffer): boolean {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#lines.push(chunk.subarray(from, end))
      from = end + 1
    }
    if (!this.#busy) this.#work()
    return this.#busy === null
  }

  async drained(): Promise<void> {
    while (this.#busy) await this.#busy
  }

  /** Stops the delivery. */
  close(): void {
    this.closed = true
  }

  #work(): void {
    try {
      for (let line = this.#lines.shift(); line && !this.closed; line = this.#lines.shift()) {
        const waiting = this.#handle(line)
        if (!waiting) continue
        this.#busy = waiting.then(
          () => {
            this.#busy = null
            this.#work()
          },
          (error: unknown) => this.#end(error),
        )
        return
      }
    } catch (error) {
      this.#end(error)
    }
  }

  #end(error: unknown): void {
    this.#busy = null
    this.closed = true
    this.#fail(error)
  }
}
