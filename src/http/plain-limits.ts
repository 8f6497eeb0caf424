/** Limits of the number of requests that read and that write, without priorities. */
import type { Context } from './context.ts'
import { isLongRunning } from './request-info.ts'
import { tooManyRequests, type Held, type RequestLimits } from './request-limits.ts'

const READS = ['get', 'list', 'watch']
const UNLIMITED_GROUP = 'system:masters'

/** Requests of one kind that are executed now. */
export class InFlight implements Held {
  /** 0: no limit. */
  readonly #limit: number
  count = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Whether one more request was let in. */
  begin(): boolean {
    if (this.#limit > 0 && this.count >= this.#limit) return false
    this.count++
    return true
  }

  end(): void {
    this.count--
  }
}

/** Rejects requests beyond the limits; those without an end are not counted. */
export class PlainLimits implements RequestLimits {
  readonly #reads: InFlight
  readonly #writes: InFlight

  constructor(limits: { readonly reads: number; readonly writes: number }) {
    this.#reads = new InFlight(limits.reads)
    this.#writes = new InFlight(limits.writes)
  }

  admit(context: Context): void {
    const { info, user } = context
    if (isLongRunning(info)) return
    const inFlight = READS.includes(info.verb) ? this.#reads : this.#writes
    if (inFlight.begin()) context.holds = inFlight
    else if (!user.groups.includes(UNLIMITED_GROUP)) throw tooManyRequests(context)
  }

  readAll(): void {}
}
