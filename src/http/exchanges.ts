import { writeAnswer } from './answer.ts'
import type { Answer, Context, ServerState } from './context.ts'
import { dispatch } from './dispatch.ts'
import type { Exchange } from './exchange.ts'
import { compose, filters } from './pipeline.ts'
import { RequestContext } from './request-context.ts'

/** Takes exchanges through the pipeline and knows how many are under way. */
export class Exchanges {
  readonly #state: ServerState
  readonly #run = compose(filters, dispatch)
  #underway = 0
  #onIdle: () => void = () => {}

  constructor(state: ServerState) {
    this.#state = state
  }

  /** Resolves when none is under way. */
  idle(): Promise<void> {
    if (this.#underway === 0) return Promise.resolve()
    return new Promise((resolve) => (this.#onIdle = resolve))
  }

  /** Answers one exchange, whatever happens. */
  readonly take = (exchange: Exchange): void => {
    const context = new RequestContext(this.#state, exchange)
    this.#underway++
    const fail = (error: unknown) => this.#fail(context, error)
    try {
      const answer = this.#run(context)
      if (answer instanceof Promise)
        void answer.then((made) => this.#write(context, made)).catch(fail)
      else this.#write(context, answer)
    } catch (error) {
      fail(error)
    }
  }

  #write(context: Context, answer: Answer): void {
    context.bodyShare?.close()
    const writing = writeAnswer(context, answer)
    if (!writing) this.#end()
    else
      void writing.then(
        () => this.#end(),
        (error: unknown) => this.#fail(context, error),
      )
  }

  #fail(context: Context, error: unknown): void {
    context.bodyShare?.close()
    this.#state.onError(error, context)
    const { exchange } = context
    if (!exchange.begun) exchange.send(500, ['content-type', 'text/plain'], 'internal error')
    this.#end()
  }

  #end(): void {
    if (--this.#underway === 0) this.#onIdle()
  }
}
