import { writeResponse } from './response.ts'
import { HIJACKED, type ApiResponse, type Context, type ServerState } from './context.ts'
import { dispatch } from './dispatch.ts'
import type { Exchange } from './exchange.ts'
import { compose, filters } from './pipeline.ts'
import { RequestContext } from './request-context.ts'
import { StatusError } from '../meta/errors.ts'

/** Runs exchanges through the pipeline and counts those in progress. */
export class Exchanges {
  readonly #state: ServerState
  readonly #run = compose(filters, dispatch)
  #underway = 0
  #onIdle: () => void = () => {}

  constructor(state: ServerState) {
    this.#state = state
  }

  /** Resolves when none is in progress, or after so many milliseconds. */
  idle(atMostMs: number): Promise<void> {
    if (this.#underway === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, atMostMs)
      this.#onIdle = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Handles one exchange; never throws. */
  readonly take = (exchange: Exchange): void => {
    const { stages } = this.#state
    const context = new RequestContext(this.#state, exchange)
    this.#underway++
    if (stages !== null) context.record = stages.received(context)
    try {
      const answer = this.#run(context)
      if (answer instanceof Promise) this.#wait(context, answer)
      else this.#write(context, answer)
    } catch (error) {
      this.#fail(context, error)
    }
  }

  #wait(context: Context, answer: Promise<ApiResponse>): void {
    const { deadlines } = this.#state
    deadlines.begin(context)
    void answer
      .then((made) => {
        deadlines.end(context)
        this.#write(context, made)
      })
      .catch((error: unknown) => {
        deadlines.end(context)
        this.#fail(context, error)
      })
  }

  #write(context: Context, answer: ApiResponse): void {
    const { record } = context
    // A body that a subscriber wants counts as long as it is retained.
    if (record === null) context.bodyShare?.close()
    else if (answer === HIJACKED) return this.#endLater(context)
    const storing = record && this.#state.audit?.answers(record, answer.status)
    const writing = storing
      ? storing.then(() => writeResponse(context, answer))
      : writeResponse(context, answer)
    if (!writing) this.#end(context)
    else
      void writing.then(
        () => this.#end(context),
        (error: unknown) => this.#fail(context, error),
      )
  }

  /** Ends the record of a request when its upgraded connection closes, for stage subscribers. */
  #endLater(context: Context): void {
    const { signal } = context.exchange
    if (signal.aborted) this.#end(context)
    else signal.addEventListener('abort', () => this.#end(context), { once: true })
  }

  #fail(context: Context, error: unknown): void {
    const { exchange, record } = context
    this.#state.onError(error, context)
    if (error instanceof StatusError) record?.failed(error)
    else record?.panicked(error)
    if (!exchange.begun) exchange.send(500, ['content-type', 'text/plain'], 'internal error')
    this.#end(context)
  }

  #end(context: Context): void {
    context.bodyShare?.close()
    if (context.holds !== null) {
      context.holds.end()
      context.holds = null
    }
    if (context.record !== null) this.#state.stages?.complete(context.record)
    if (--this.#underway === 0) this.#onIdle()
  }
}
