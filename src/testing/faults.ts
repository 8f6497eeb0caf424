/** Faults on demand: what a server under test does wrong, to whom, and how often. */
import type { Clock } from '../base/clock.ts'
import type { Client } from '../client/client.ts'
import type { ApiResponse, Context } from '../http/context.ts'
import { readBody } from '../http/dispatch.ts'
import { isLongRunning } from '../http/request-info.ts'
import type { RequestRecords } from './request-record.ts'
import {
  agrees,
  checkMembers,
  PATTERN_MEMBERS,
  wordsOf,
  type RequestFacts,
  type RequestPattern,
} from './request-pattern.ts'
import { refusalOf, type Refusal } from './refusals.ts'
import { millisecondsOf, type Span } from './test-clock.ts'

/** What goes wrong, for requests that were authenticated and allowed. */
export interface Fault extends RequestPattern, Refusal {
  /** For how many requests; until the next reset by default. */
  readonly times?: number
  /** How many requests pass before. */
  readonly skip?: number
  /**
   * The client gets no response: `before` the request is done, or `after`, so that a write has happened. A watch that has
   * begun is broken with `dropWatches`.
   */
  readonly drop?: 'before' | 'after'
  /** How long the request is delayed, of the server's clock. */
  readonly delay?: Span
  /** Keeps the request until `release` of the fault is called. */
  readonly hold?: boolean
  /**
   * A writer who is faster: runs before the request does, for instance to change its object, so that the request
   * conflicts. `true` changes an annotation of the object.
   */
  readonly race?: boolean | ((client: Client) => unknown)
}

const MEMBERS = [
  ...PATTERN_MEMBERS,
  ...['times', 'skip', 'status', 'reason', 'message', 'retryAfterSeconds', 'drop', 'delay'],
  ...['hold', 'race'],
]

/** A fault that a server has. */
export interface ActiveFault {
  /** How many requests ran into it. */
  readonly hits: number
  /** Resolves when a request runs into it; at once if one has. */
  readonly hit: Promise<void>
  /** Lets go of the requests that it holds, and of later ones. */
  release(): void
  /** Ends it, and lets go of what it holds. */
  remove(): void
}

interface FaultsParts {
  readonly clock: Clock
  readonly records: RequestRecords
  /** A client of the administrator, for writers who are faster. */
  readonly client: () => Promise<Client>
}

type Handler = (context: Context) => ApiResponse | Promise<ApiResponse>

/** The faults of one server. */
export class Faults {
  readonly #parts: FaultsParts
  readonly #active = new Set<RunningFault>()

  constructor(parts: FaultsParts) {
    this.#parts = parts
  }

  /** Adds a fault. Throws a TypeError about one that cannot be. */
  add(fault: Fault): ActiveFault {
    checkFault(fault)
    const running = new RunningFault(fault, () => this.#active.delete(running))
    this.#active.add(running)
    return running
  }

  /** Ends all. */
  clear(): void {
    for (const fault of [...this.#active]) fault.remove()
  }

  /** Answers a request, with the first fault that selects it; null: there is none. */
  answer(context: Context, next: Handler): Promise<ApiResponse> | null {
    if (this.#active.size === 0) return null
    const facts = factsOf(context)
    for (const fault of this.#active)
      if (agrees(fault.fault, facts) && fault.takes()) return this.#fail(fault, context, next)
    return null
  }

  async #fail(running: RunningFault, context: Context, next: Handler): Promise<ApiResponse> {
    const { fault } = running
    const { clock, records, client } = this.#parts
    if (context.record) records.notesOf(context.record).fault = wordsOfFault(fault)
    if (fault.hold === true) await running.held
    if (fault.delay !== undefined) await running.pause(clock, millisecondsOf(fault.delay))
    if (fault.race !== undefined && fault.race !== false) await race(await client(), fault, context)
    if (fault.status === undefined && fault.drop !== 'before')
      return this.#after(fault, context, next)
    // For the record.
    if (!isLongRunning(context.info)) await readBody(context)
    if (fault.status !== undefined) throw refusalOf(fault, fault.status, context.info)
    return cut(context)
  }

  async #after(fault: Fault, context: Context, next: Handler): Promise<ApiResponse> {
    const response = await next(context)
    return fault.drop === 'after' ? cut(context) : response
  }
}

/** One fault that a server has. */
class RunningFault implements ActiveFault {
  readonly fault: Fault
  hits = 0
  readonly hit: Promise<void>
  readonly held: Promise<void>
  readonly #onRemoved: () => void
  readonly #pauses = new Set<() => void>()
  #skips: number
  #tellHit: () => void = () => {}
  #letGo: () => void = () => {}

  constructor(fault: Fault, onRemoved: () => void) {
    this.fault = fault
    this.#skips = fault.skip ?? 0
    this.#onRemoved = onRemoved
    this.hit = new Promise((resolve) => (this.#tellHit = resolve))
    this.held = new Promise((resolve) => (this.#letGo = resolve))
  }

  /** Whether the next request runs into it. */
  takes(): boolean {
    if (this.#skips > 0) {
      this.#skips--
      return false
    }
    const { times = Infinity } = this.fault
    if (this.hits >= times) return false
    this.hits++
    this.#tellHit()
    return true
  }

  /** Waits, until the fault is removed at the latest. */
  pause(clock: Clock, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        cancel()
        this.#pauses.delete(end)
        resolve()
      }
      const cancel = clock.after(ms, end)
      this.#pauses.add(end)
    })
  }

  release(): void {
    this.#letGo()
  }

  remove(): void {
    this.#onRemoved()
    this.release()
    for (const end of [...this.#pauses]) end()
  }
}

/** A fault in words, for the record. */
const wordsOfFault = ({ race: racing, ...rest }: Fault): string =>
  wordsOf({ ...rest, ...(racing === undefined ? {} : { race: racing !== false }) })

function checkFault(fault: Fault): void {
  checkMembers(fault, MEMBERS, 'a fault')
  const { status, drop, delay, hold, race: racing, times, skip } = fault
  if ([status, drop, delay, hold, racing].every((one) => one === undefined))
    throw new TypeError('a fault needs one of status, drop, delay, hold, race')
  if (status !== undefined && !(Number.isInteger(status) && status >= 400 && status <= 599))
    throw new TypeError(`status must be from 400 to 599, and is ${status}`)
  if (drop !== undefined && drop !== 'before' && drop !== 'after')
    throw new TypeError(`drop must be before or after, and is ${String(drop)}`)
  for (const [name, count] of Object.entries({ times, skip }))
    if (count !== undefined && !(Number.isInteger(count) && count >= 0))
      throw new TypeError(`${name} must be a whole number, and is ${count}`)
  if (delay !== undefined) millisecondsOf(delay)
}

/** The client gets no response. What is returned is written to a connection that is gone. */
function cut(context: Context): ApiResponse {
  context.exchange.cut()
  return { status: 503, headers: [], body: '' }
}

async function race(client: Client, { race: racing }: Fault, { info }: Context): Promise<void> {
  if (typeof racing === 'function') {
    await racing(client)
    return
  }
  const { group, version, resource, namespace, name } = info
  const all = client.resource({ group, version, resource })
  const place = resource === 'namespaces' || namespace === '' ? all : all.in(namespace)
  const annotations = { 'testing/race': String(process.hrtime.bigint()) }
  await place.patch(name, { metadata: { annotations } }, { type: 'merge' })
}

/** What is known of a request that passed the filters. */
export function factsOf({ info, exchange, path, user }: Context): RequestFacts {
  const { verb, group, version, resource, subresource, namespace, name } = info
  return {
    ...{ verb, group, version, resource, subresource, namespace, name, path, user },
    method: exchange.method,
    userAgent: exchange.headers['user-agent'] ?? '',
  }
}
