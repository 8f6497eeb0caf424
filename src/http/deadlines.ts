import { IndexedPool } from '../base/indexed-pool.ts'
import type { Clock } from '../base/clock.ts'
import { timeout } from '../meta/errors.ts'
import { writeResponse } from './write-response.ts'
import type { Context } from './context.ts'
import { jsonFailureResponse } from './failure-response.ts'

const LOOK_EVERY_MS = 250

/** Timeout responses of requests; one timer for all of them. */
export class Deadlines {
  readonly #clock: Clock
  readonly #waiting = new IndexedPool<Context>()
  #isClosed = false
  #cancel: () => void

  constructor(clock: Clock) {
    this.#clock = clock
    this.#cancel = clock.after(LOOK_EVERY_MS, this.#look)
  }

  /** Starts the deadline of a request whose response takes more than this iteration of the event loop. */
  begin(context: Context): void {
    if (context.limitMs === Infinity) return
    context.deadline = this.#clock.now() + context.limitMs
    this.#waiting.add(context)
  }

  /** The response is ready, or the request has failed. */
  end(context: Context): void {
    // One without a limit may be in another pool.
    if (context.limitMs !== Infinity) this.#waiting.delete(context)
  }

  close(): void {
    this.#isClosed = true
    this.#cancel()
  }

  readonly #look = (): void => {
    if (this.#isClosed) return
    const now = this.#clock.now()
    for (const context of this.#waiting) if (context.deadline <= now) this.#expire(context)
    this.#cancel = this.#clock.after(LOOK_EVERY_MS, this.#look)
  }

  #expire(context: Context): void {
    this.#waiting.delete(context)
    const { exchange, record } = context
    if (!exchange.begun) {
      const error = timeout('request did not complete within the allotted timeout')
      if (record !== null) {
        record.failed(error)
        record.hasTimedOut = true
      }
      void writeResponse(context, jsonFailureResponse(context, error))
    }
    exchange.abort()
  }
}
