import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Backend, Losses } from './backend.ts'

/** Time between two log lines about lost events of one backend, milliseconds. */
const LINE_MS = 10_000

/** Counts what metrics show, and logs lost events: not each of them, since they come in floods. */
export class AuditCounters implements Losses {
  /** Events that were made. */
  events = 0
  /** Requests that were refused since their event could not be stored. */
  rejected = 0
  /** Requests by level, as in LEVELS. */
  readonly levels = [0, 0, 0, 0]
  /** Lost events by backend. */
  readonly errors = { log: 0, webhook: 0 }
  readonly #clock: Clock
  readonly #log: Log
  readonly #since = { log: 0, webhook: 0 }
  readonly #loggedAt = { log: -Infinity, webhook: -Infinity }

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
    this.#log = log
  }

  lost(backend: Backend['name'], count: number, why: string): void {
    this.errors[backend] += count
    this.#since[backend] += count
    const now = this.#clock.now()
    if (now - this.#loggedAt[backend] < LINE_MS) return
    this.#log.error('audit events were lost', { backend, events: this.#since[backend], why })
    this.#loggedAt[backend] = now
    this.#since[backend] = 0
  }
}
