import type { Traffic } from '../base/traffic.ts'
import { writeResponse } from './write-response.ts'
import { HIJACKED, type ApiResponse, type Context, type ServerState } from './context.ts'
import { dispatch } from './dispatch.ts'
import type { Exchange } from './exchange.ts'
import { recover } from './filters/recover.ts'
import { filtersOf, Pipeline } from './pipeline.ts'
import { RequestContext } from './request-context.ts'
import { StatusError } from '../meta/errors.ts'

/** Answers a request that passed the filters; `next` is its handler, which need not be called. */
export type Around = (
  context: Context,
  next: (context: Context) => ApiResponse | Promise<ApiResponse>,
) => ApiResponse | Promise<ApiResponse>

/** Requests that are named where some are. */
const MAX_NAMED = 10

/** Runs exchanges through the pipeline and counts those in progress. */
export class Exchanges {
  readonly #state: ServerState
  readonly #pipeline: Pipeline
  readonly #traffic: Traffic
  #underway = 0
  /** Called when a request ends; null while nobody waits for that. */
  #onEnd: (() => void) | null = null

  /** `around`: without it requests go from the filters to their handlers. */
  constructor(state: ServerState, traffic: Traffic, around?: Around) {
    this.#state = state
    this.#traffic = traffic
    const last = around ? (context: Context) => around(context, dispatch) : dispatch
    this.#pipeline = new Pipeline(filtersOf(state), last)
  }

  /** Whether a request is in progress. */
  get isIdle(): boolean {
    return this.#underway === 0
  }

  /** How many requests are in progress, and some of those without a time limit. */
  get open(): { readonly requests: number; readonly longRunning: readonly string[] } {
    const longRunning: string[] = []
    for (const { exchange, path } of this.#state.longRunning) {
      if (longRunning.length === MAX_NAMED) break
      longRunning.push(`${exchange.method} ${path}`)
    }
    return { requests: this.#underway, longRunning }
  }

  /** Resolves when none is in progress, or after so many milliseconds. */
  idle(atMostMs: number): Promise<void> {
    return this.#until(() => this.#underway === 0, atMostMs)
  }

  /** The same without the requests that have no time limit. */
  limitedIdle(atMostMs: number): Promise<void> {
    return this.#until(() => this.#underway <= this.#state.longRunning.size, atMostMs)
  }

  /** Aborts the requests without a time limit: watches, which end on their own, only if `watches` is given. */
  abortLongRunning({ watches }: { readonly watches: boolean }): void {
    for (const context of this.#state.longRunning)
      if (watches || context.info.verb !== 'watch') context.exchange.abort()
  }

  /** One caller at a time. */
  #until(isDone: () => boolean, atMostMs: number): Promise<void> {
    if (isDone()) return Promise.resolve()
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        this.#onEnd = null
        resolve()
      }
      const timer = setTimeout(end, atMostMs)
      this.#onEnd = () => {
        if (isDone()) end()
      }
    })
  }

  /** Handles one exchange; never throws. */
  readonly take = (exchange: Exchange): void => {
    const { stages } = this.#state
    const context = new RequestContext(this.#state, exchange)
    this.#underway++
    this.#traffic.requests++
    if (stages !== null) context.record = stages.received(context)
    this.#go(context)
  }

  /** Takes a request to its end, or to where it waits. */
  #go(context: Context): void {
    const hasWaited = context.step > 0
    let answer: ApiResponse | Promise<ApiResponse> | null
    try {
      answer = this.#pipeline.run(context)
    } catch (error) {
      return this.#recover(context, error, hasWaited)
    }
    if (answer === null || answer instanceof Promise) {
      if (!hasWaited) this.#state.deadlines.begin(context)
      const failed = (error: unknown) => this.#recover(context, error, true)
      if (answer === null) void context.wait!.done.then(() => this.#go(context), failed)
      else void answer.then((made) => this.#answered(context, made), failed)
    } else if (hasWaited) this.#answered(context, answer)
    else this.#tryToWrite(context, answer)
  }

  #answered(context: Context, answer: ApiResponse): void {
    this.#state.deadlines.end(context)
    this.#tryToWrite(context, answer)
  }

  #tryToWrite(context: Context, answer: ApiResponse): void {
    try {
      this.#write(context, answer)
    } catch (error) {
      this.#fail(context, error)
    }
  }

  /** Responds to a request that a filter or the handler has failed. `hasDeadline`: its deadline has been started. */
  #recover(context: Context, error: unknown, hasDeadline: boolean): void {
    const { deadlines } = this.#state
    const failed = (fault: unknown) => {
      deadlines.end(context)
      this.#fail(context, fault)
    }
    try {
      const answer = recover(context, error)
      if (!(answer instanceof Promise)) return this.#answered(context, answer)
      if (!hasDeadline) deadlines.begin(context)
      void answer.then((made) => this.#answered(context, made), failed)
    } catch (fault) {
      failed(fault)
    }
  }

  #write(context: Context, answer: ApiResponse): void {
    const { record } = context
    // A body that a subscriber wants counts as long as it is retained.
    if (record === null) context.bodyShare?.close()
    if (answer === HIJACKED) return this.#endLater(context)
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

  /** The request ends when its upgraded connection closes. */
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
    this.#state.longRunning.delete(context)
    this.#underway--
    if (this.#onEnd !== null) this.#onEnd()
  }
}
