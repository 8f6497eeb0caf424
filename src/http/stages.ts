/**
 * The stages of a request, for all protocols and all outcomes.
 *
 * Every request is `received` once, and ends once: with `responseComplete`, or with `panic` when something other than a
 * refusal was thrown. Between them it may be `authenticated`, and its response may begin (`responseStarted`), each once
 * at most and in this order. A request ends when the server is done with it: when its response is handed to the
 * connection, or when the client has disconnected and its handler has returned. Input that is not a request, such as a
 * connection that closes within a head, has no stages.
 */
import { IndexedPool } from '../base/indexed-pool.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { StatusError } from '../meta/errors.ts'
import type { Context } from './context.ts'
import { headOf, RequestRecord, type ObservedRequest, type RecordHead } from './request-record.ts'

/** Subscriber to the stages of requests. Errors that it throws are logged only. */
export interface StageSubscriber {
  /** For the log. */
  readonly name: string
  /** Whether to retain the body of a request until the request ends; called when the body is read. */
  wantsBody?(request: ObservedRequest): boolean
  /** The head of the request was received. */
  received?(request: ObservedRequest): void
  /** The user is known; authorization is still to come. */
  authenticated?(request: ObservedRequest): void
  /** Status and headers of the response were handed to the connection. */
  responseStarted?(request: ObservedRequest): void
  /** The server is done with the request. */
  responseComplete?(request: ObservedRequest): void
  /** The same, after something other than a refusal was thrown. */
  panic?(request: ObservedRequest): void
}

type Stage = 'received' | 'authenticated' | 'responseStarted' | 'responseComplete' | 'panic'

/** A subscriber, and what it has for one stage. */
interface Told {
  readonly subscriber: StageSubscriber
  readonly stage: Stage
  readonly tell: (this: StageSubscriber, request: ObservedRequest) => unknown
}

function toldOf(subscribers: readonly StageSubscriber[], stage: Stage): readonly Told[] {
  return subscribers.flatMap((subscriber) => {
    const tell = subscriber[stage]
    return tell ? [{ subscriber, stage, tell }] : []
  })
}

interface StagesOptions {
  readonly clock: Clock
  readonly log: Log
}

/** Notifies the subscribers of one server, in their order. */
export class Stages {
  readonly #subscribers: readonly StageSubscriber[]
  /** The subscribers of each stage; most subscribe to few stages. */
  readonly #told: Readonly<Record<Stage, readonly Told[]>>
  readonly #clock: Clock
  readonly #log: Log
  readonly #open = new IndexedPool<RequestRecord>()

  constructor(subscribers: readonly StageSubscriber[], { clock, log }: StagesOptions) {
    this.#subscribers = subscribers
    this.#told = {
      received: toldOf(subscribers, 'received'),
      authenticated: toldOf(subscribers, 'authenticated'),
      responseStarted: toldOf(subscribers, 'responseStarted'),
      responseComplete: toldOf(subscribers, 'responseComplete'),
      panic: toldOf(subscribers, 'panic'),
    }
    this.#clock = clock
    this.#log = log
  }

  /** A request enters the pipeline. */
  received(context: Context): RequestRecord {
    const record = this.#begin(headOf(context.exchange), context)
    context.exchange.observer = record
    return record
  }

  /** A request was rejected before the pipeline: all its stages at once. `bytes`: size of the response body. */
  refused(head: RecordHead, error: StatusError, bytes: number): void {
    const record = this.#begin(head, null)
    record.failed(error)
    record.begun(error.code)
    record.wrote(bytes)
    record.finished()
    this.complete(record)
  }

  authenticated(record: RequestRecord): void {
    this.#tell(this.#told.authenticated, record)
  }

  /** Whether to retain the body. */
  wantsBody(record: RequestRecord): boolean {
    return this.#subscribers.some((subscriber) => {
      try {
        return subscriber.wantsBody?.(record) === true
      } catch (error) {
        this.#report(subscriber, 'wantsBody', error)
        return false
      }
    })
  }

  /** The server is done with a request. May be called again. */
  complete(record: RequestRecord): void {
    if (record.isOver) return
    record.isOver = true
    record.endedAt = this.#clock.now()
    this.#open.delete(record)
    this.#tell(record.hasFault ? this.#told.panic : this.#told.responseComplete, record)
  }

  /** Completes the requests that are still in progress. */
  close(): void {
    for (const record of this.#open) this.complete(record)
  }

  #begin(head: RecordHead, context: Context | null): RequestRecord {
    const record = new RequestRecord(head, context, {
      at: this.#clock.now(),
      onBegun: this.#started,
    })
    this.#open.add(record)
    this.#tell(this.#told.received, record)
    return record
  }

  readonly #started = (record: RequestRecord): void => {
    record.startedAt = this.#clock.now()
    this.#tell(this.#told.responseStarted, record)
  }

  #tell(all: readonly Told[], record: RequestRecord): void {
    for (let i = 0; i < all.length; i++) {
      const { subscriber, stage, tell } = all[i]!
      try {
        const returned: unknown = tell.call(subscriber, record)
        // The promise is not awaited; a failure must not end the process.
        if (returned instanceof Promise)
          returned.catch((error) => this.#report(subscriber, stage, error))
      } catch (error) {
        this.#report(subscriber, stage, error)
      }
    }
  }

  #report({ name }: StageSubscriber, stage: string, error: unknown): void {
    this.#log.error('a stage subscriber failed', {
      subscriber: name,
      stage,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  }
}
