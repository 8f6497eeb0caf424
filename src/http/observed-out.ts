import type { ExchangeObserver, Out } from './exchange.ts'

/** The body of a response whose writes are reported to an observer. */
export class ObservedOut implements Out {
  readonly #out: Out
  readonly #observer: ExchangeObserver

  constructor(out: Out, observer: ExchangeObserver) {
    this.#out = out
    this.#observer = observer
  }
  get closed(): boolean {
    return this.#out.closed
  }
  write(chunk: Buffer, flushed?: () => void): boolean {
    if (!this.#out.closed) this.#observer.wrote(chunk.length)
    return this.#out.write(chunk, flushed)
  }
  drained(): Promise<void> {
    return this.#out.drained()
  }
  end(): void {
    if (!this.#out.closed) this.#observer.finished()
    this.#out.end()
  }
  destroy(): void {
    this.#out.destroy()
  }
}
