/** The reason of every abort. One object: an error of its own for each request would record a stack. */
const GONE = new DOMException('This operation was aborted', 'AbortError')

/** Whether a request has ended early, for any protocol: the client has disconnected, or the request was aborted. */
export abstract class Abortable {
  #controller: AbortController | null = null
  #isHooked = false
  #isGone = false
  #waiter: (() => void) | null = null

  get signal(): AbortSignal {
    if (this.#controller !== null) return this.#controller.signal
    this.#controller = new AbortController()
    this.#hook()
    if (this.#isGone) this.#controller.abort(GONE)
    return this.#controller.signal
  }

  abort(): void {
    this.#end()
  }

  /** Cheaper than `signal`, for one caller at a time: calls back once it is gone; null: no more. Returns whether it is. */
  whenGone(call: (() => void) | null): boolean {
    this.#waiter = call
    if (call !== null) this.#hook()
    return this.#isGone
  }

  /** Calls back when the response is over, at once if it is. */
  protected abstract onClosed(call: () => void): void

  #hook(): void {
    if (this.#isHooked) return
    this.#isHooked = true
    this.onClosed(() => this.#end())
  }

  #end(): void {
    if (this.#isGone) return
    this.#isGone = true
    this.#controller?.abort(GONE)
    this.#waiter?.()
  }
}
