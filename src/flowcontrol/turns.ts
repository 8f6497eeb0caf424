/**
 * Shares the time of the event loop among flows.
 *
 * A read from memory takes no seat for longer than one iteration of the event loop, so seats alone do not keep a client
 * with hundreds of busy connections from filling each iteration. While requests of several flows arrive, an iteration
 * executes requests for a short time only. The rest wait for the next ones, in turns: one level after the other, and
 * within a level one flow after the other. With a single flow nothing waits.
 *
 * Example: A has 200 connections, B has one. In each iteration the sockets are read first, and then requests that wait
 * are executed until the time is over.
 *
 *     iteration   arrive        executed
 *     1           A×200         A A A A A A        the budget is spent; 194 wait
 *     2           A×6 B         B A A A A A A      B waits for one iteration, not for 200 requests
 */
import type { Flow } from './flow.ts'
import type { PriorityLevel } from './priority-level.ts'

/** Time of execution in one iteration, while others may wait. */
const BUDGET_MS = 0.25
/** How long the server expects further requests of other flows: requests that wait cost more than others. */
const CONTENDED_MS = 1_000
/** The same after the first change from one flow to another: the former one may be over. */
const CHANGED_MS = 50
/** Before all times. */
const NEVER = -1

export interface TurnsOptions {
  readonly now: () => number
  /** Calls back after the sockets have been read once more. */
  readonly nextIteration: (call: () => void) => void
}

type Waiter = () => void

/** Requests of one flow that wait. */
interface FlowLine {
  readonly flow: Flow
  readonly waiters: Waiter[]
}

export class Turns {
  readonly #options: TurnsOptions
  #last: Flow | null = null
  #contendedUntil = NEVER
  /** When a flow followed another one. */
  #changedAt = -Infinity
  /** Whether the time of this iteration is measured. */
  #isOpen = false
  #startedAt = 0
  /** Flows that wait, by level; served ones go to the end. */
  readonly #levels = new Map<PriorityLevel, Map<Flow, FlowLine>>()
  #waiting = 0

  constructor(options: TurnsOptions) {
    this.#options = options
  }

  /** Requests that wait. */
  get waiting(): number {
    return this.#waiting
  }

  /** A request of a flow has arrived, also one that never waits. */
  notice(flow: Flow): void {
    if (flow === this.#last) return
    if (this.#last !== null) this.#changed(this.#options.now())
    this.#last = flow
  }

  /** Flows that send at the same time follow each other at least twice. */
  #changed(now: number): void {
    const isAgain = now < this.#changedAt + CONTENDED_MS
    this.#changedAt = now
    const until = now + (isAgain ? CONTENDED_MS : CHANGED_MS)
    if (until > this.#contendedUntil) this.#contendedUntil = until
  }

  /** Whether requests of several flows have arrived lately. */
  isContended(): boolean {
    // The clock is read only while flows may contend.
    if (this.#contendedUntil === NEVER) return false
    if (this.#options.now() < this.#contendedUntil) return true
    this.#contendedUntil = NEVER
    return false
  }

  /** Null: the request is executed now; else when the promise resolves. `now` is the present time. */
  take(flow: Flow, now: number): Promise<void> | null {
    if (now >= this.#contendedUntil && this.#waiting === 0) return null
    if (!this.#isOpen) {
      this.#isOpen = true
      this.#startedAt = now
      this.#options.nextIteration(this.#next)
    }
    const line = this.#waiting === 0 ? undefined : this.#levels.get(flow.level)?.get(flow)
    if (line === undefined && now - this.#startedAt < BUDGET_MS) return null
    return new Promise((resolve) => this.#wait(flow, line, resolve))
  }

  #wait(flow: Flow, line: FlowLine | undefined, waiter: Waiter): void {
    this.#waiting++
    if (line) {
      line.waiters.push(waiter)
      return
    }
    let flows = this.#levels.get(flow.level)
    if (!flows) this.#levels.set(flow.level, (flows = new Map()))
    flows.set(flow, { flow, waiters: [waiter] })
  }

  readonly #next = (): void => {
    if (this.#waiting === 0) {
      this.#isOpen = false
      return
    }
    void this.#drain()
  }

  async #drain(): Promise<void> {
    const { now, nextIteration } = this.#options
    const start = now()
    do {
      this.#shift()()
      // The request continues in promises, up to its response if it needs nothing else.
      for (let i = 0; i < CONTINUATIONS; i++) await Promise.resolve()
    } while (this.#waiting > 0 && now() - start < BUDGET_MS)
    // Requests that are read next have a time of their own.
    this.#startedAt = now()
    nextIteration(this.#next)
  }

  /** Removes the request whose turn it is. */
  #shift(): Waiter {
    const [level, flows] = this.#levels.entries().next().value!
    const [flow, line] = flows.entries().next().value!
    const waiter = line.waiters.shift()!
    this.#waiting--
    if (flows.size === 1 && this.#levels.size === 1 && line.waiters.length > 0) return waiter
    flows.delete(flow)
    if (line.waiters.length > 0) flows.set(flow, line)
    this.#levels.delete(level)
    if (flows.size > 0) this.#levels.set(level, flows)
    return waiter
  }
}

const CONTINUATIONS = 6
