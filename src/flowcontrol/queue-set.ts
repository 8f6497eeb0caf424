/**
 * The seats of one limited priority level, and the queues of requests that wait for them.
 *
 * Dispatch is fair between queues by virtual time. It advances with the work that each active queue would get if seats
 * could be divided: `min(seats requested, limit) / active queues` for each millisecond. A queue's next request starts,
 * in virtual time, at `nextDispatchR`; dispatching moves that on by the estimated work of the request, and its end by the
 * difference to the real work. The request that would finish first is dispatched next.
 *
 * Example: 2 seats; queue 1 has 4 requests, queue 2 gets one a little later. All take the estimated 3 ms.
 *
 *     queue   requests   nextDispatchR      order of dispatch
 *     1       a b c d    0 → 3 → 6 → 9      a b at once; then e, whose virtual finish is 4; then c and d
 *     2       e          1 → 4
 */
import { CountTimes } from './count-times.ts'
import { dealHand, flowHash } from './flow-hash.ts'
import type { RejectionReason } from './flow-counts.ts'
import type { Flow } from './flow.ts'
import { Queue, type QueueSettings } from './queue.ts'
import { ESTIMATED_MS, Ticket } from './ticket.ts'
import type { Width } from './width.ts'

/** Monotonic time of flow control. */
export interface FlowClock {
  /** Milliseconds, with fractions. */
  now(): number
  /** Calls back once, unless cancelled by the returned function. */
  after(ms: number, call: () => void): () => void
}

/** Beyond this number, idle queues are let go of when a flow is dealt its hand. */
const MAX_QUEUES_KEPT = 10_000

const ONLY_QUEUE = [0]

/** Figures for metrics and dumps. */
export interface QueueSetFigures {
  readonly waiting: number
  readonly executing: number
  readonly seatsInUse: number
  readonly activeQueues: number
  /** Virtual time, seats × milliseconds. */
  readonly virtualTime: number
}

export interface Bounds {
  readonly min: number
  readonly max: number
}

/** How a level was used while its limits were these. */
export class LevelTimes {
  readonly executing = new CountTimes()
  readonly waiting = new CountTimes()
  readonly seats = new CountTimes()
  /** Seats. */
  readonly limit: number
  /** Requests that may wait; 0: none. */
  readonly capacity: number

  constructor(limit: number, settings: QueueSettings | null) {
    this.limit = limit
    this.capacity = settings === null ? 0 : settings.queues * settings.queueLengthLimit
  }
}

/** Changes of limits that are remembered, should nobody read the metrics. */
const MAX_TIMES = 50

export class QueueSet {
  /** Seats of the level. */
  limit: number
  /** Null: requests are rejected instead of queued. */
  settings: QueueSettings | null
  readonly #clock: FlowClock
  readonly #waitLimitMs: number
  readonly #queues = new Map<number, Queue>()
  /** Queues with requests that wait; those served last are at the end. */
  readonly #waitingQueues: Queue[] = []
  #waiting = 0
  #executing = 0
  #seatsInUse = 0
  #seatsWaiting = 0
  #activeQueues = 0
  #virtual = 0
  #virtualAt: number
  #deals = 0
  #cancelTimer: (() => void) | null = null
  /** Virtual start of the request dispatched last, and the virtual time then; seats × milliseconds. */
  latestStart = 0
  dispatchedAt = 0
  #times: LevelTimes
  #timesBefore: LevelTimes[] = []
  /** Called when nothing waits or runs any more. */
  onIdle: () => void = () => {}

  constructor(
    clock: FlowClock,
    options: {
      readonly limit: number
      readonly settings: QueueSettings | null
      readonly waitLimitMs: number
    },
  ) {
    this.#clock = clock
    this.limit = options.limit
    this.settings = options.settings
    this.#waitLimitMs = options.waitLimitMs
    this.#virtualAt = clock.now()
    this.#times = new LevelTimes(this.limit, this.settings)
  }

  /** How the level was used up to now: by each of the limits that it had, the present ones last. */
  times(): readonly LevelTimes[] {
    this.#advance(this.#clock.now())
    return [...this.#timesBefore.splice(0), this.#times]
  }

  get isIdle(): boolean {
    return this.#waiting === 0 && this.#executing === 0 && this.#seatsInUse === 0
  }

  /** Figures of this moment. */
  figures(): QueueSetFigures {
    this.#advance(this.#clock.now())
    return {
      waiting: this.#waiting,
      executing: this.#executing,
      seatsInUse: this.#seatsInUse,
      activeQueues: this.#activeQueues,
      virtualTime: this.#virtual,
    }
  }

  /** Bounds of the virtual starts of the requests that are next; `discounted`: less the work in progress. */
  nextStarts(): { readonly starts: Bounds; readonly discounted: Bounds } {
    const queues = this.#waitingQueues
    const starts = queues.map(({ nextDispatchR }) => nextDispatchR)
    const discounted = queues.map((one) => one.nextDispatchR - one.seatsInUse * ESTIMATED_MS)
    return { starts: boundsOf(starts), discounted: boundsOf(discounted) }
  }

  /** The queues that exist, by index. */
  get queues(): ReadonlyMap<number, Queue> {
    return this.#queues
  }

  /** Changes the limit and the queues; requests that wait stay where they are. */
  configure(limit: number, settings: QueueSettings | null): void {
    const now = this.#clock.now()
    this.#advance(now)
    if (limit !== this.limit || !sameSettings(this.settings, settings)) {
      this.#timesBefore.push(this.#times)
      if (this.#timesBefore.length > MAX_TIMES) this.#timesBefore.shift()
      this.#times = new LevelTimes(limit, settings)
    }
    this.limit = limit
    if (!sameSettings(this.settings, settings)) this.settings = settings
    this.#dispatch(now)
  }

  /** Takes a request: its ticket is then executing, waiting or rejected. */
  begin(flow: Flow, width: Width): Ticket {
    const now = this.#clock.now()
    const ticket = new Ticket(flow, width, now)
    const { observer } = flow.counts
    if (observer !== null) observer.estimated(ticket.seats)
    const { settings } = this
    this.#advance(now)
    if (settings === null) {
      if (this.#fits(ticket.seats)) this.#execute(ticket, now)
      else this.#reject(ticket, 'concurrency-limit', now)
      return ticket
    }
    const queue = this.#queueFor(flow, settings)
    if (this.#seatsInUse >= this.limit && queue.length >= settings.queueLengthLimit) {
      this.#reject(ticket, 'queue-full', now)
      return ticket
    }
    if (queue.isIdle) {
      queue.nextDispatchR = this.#virtual
      this.#activeQueues++
    }
    ticket.queue = queue
    ticket.arrivedR = this.#virtual
    if (observer !== null) observer.queued(queue.length + 1)
    if (this.#waiting === 0 && this.#fits(ticket.seats)) this.#execute(ticket, now)
    else this.#enqueue(ticket, queue, now)
    return ticket
  }

  /** A request has ended, or its client is gone. */
  end(ticket: Ticket): void {
    if (ticket.state === 'executing') this.#finish(ticket)
    else if (ticket.state === 'waiting') {
      const now = this.#clock.now()
      this.#advance(now)
      this.#leave(ticket)
      ticket.queue?.bound()
      this.#reject(ticket, 'cancelled', now)
      // The next in line may be narrower.
      this.#dispatch(now)
      this.#checkIdle()
    }
  }

  #enqueue(ticket: Ticket, queue: Queue, now: number): void {
    if (queue.length === 0) this.#waitingQueues.push(queue)
    queue.push(ticket)
    this.#waiting++
    this.#seatsWaiting += ticket.seats
    ticket.flow.counts.waiting++
    if (this.#cancelTimer === null) this.#setTimer(this.#waitLimitMs)
    this.#dispatch(now)
  }

  /** Removes a request that waits from its queue. */
  #leave(ticket: Ticket): void {
    const queue = ticket.queue!
    queue.remove(ticket)
    this.#waiting--
    this.#seatsWaiting -= ticket.seats
    ticket.flow.counts.waiting--
    if (queue.length > 0) return
    this.#waitingQueues.splice(this.#waitingQueues.indexOf(queue), 1)
    if (queue.executing === 0) this.#activeQueues--
    if (this.#waiting === 0) {
      this.#cancelTimer?.()
      this.#cancelTimer = null
    }
  }

  #finish(ticket: Ticket): void {
    const now = this.#clock.now()
    const { flow, width, queue, seats } = ticket
    this.#advance(now)
    ticket.state = 'finished'
    const took = now - ticket.startedAt
    this.#executing--
    flow.counts.executing--
    if (flow.counts.observer !== null) flow.counts.observer.executed(took, ticket.isWatch)
    if (queue !== null) {
      queue.executing--
      queue.nextDispatchR -= width.initialSeats * (ESTIMATED_MS - took)
      queue.bound()
      if (queue.isIdle) this.#activeQueues--
    }
    if (width.extraMs > 0) {
      this.#clock.after(width.extraMs, () => {
        const later = this.#clock.now()
        this.#advance(later)
        this.#release(ticket, seats, later)
      })
    } else this.#release(ticket, seats, now)
  }

  #release({ flow, queue }: Ticket, seats: number, now: number): void {
    this.#seatsInUse -= seats
    flow.counts.seatsInUse -= seats
    if (queue !== null) queue.seatsInUse -= seats
    if (this.#waiting > 0) this.#dispatch(now)
    this.#checkIdle()
  }

  #checkIdle(): void {
    if (this.#executing === 0 && this.isIdle) this.onIdle()
  }

  #fits(seats: number): boolean {
    // What is wider than the whole level gets it alone.
    if (seats > this.limit) return this.#executing === 0
    return this.#seatsInUse + seats <= this.limit
  }

  #dispatch(now: number): void {
    while (this.#waiting > 0) {
      const queue = this.#nextQueue()
      const ticket = queue.head!
      if (!this.#fits(ticket.seats)) {
        ticket.flow.counts.noAccommodation++
        return
      }
      // The rest of the queue waits behind the others when their virtual finishes are the same.
      moveToEnd(this.#waitingQueues, queue)
      // It is active as long as the ticket is on neither side.
      queue.executing++
      this.#leave(ticket)
      queue.executing--
      const { width } = ticket
      if (width.finalSeats > this.limit) {
        const extraMs = (width.finalSeats * width.extraMs) / this.limit
        ticket.width = { ...width, finalSeats: this.limit, extraMs }
      }
      this.#execute(ticket, now)
      ticket.onDecision?.()
    }
  }

  /** The queue whose oldest request has the least virtual finish. */
  #nextQueue(): Queue {
    let best = this.#waitingQueues[0]!
    let least = Infinity
    for (const queue of this.#waitingQueues) {
      const finish = queue.nextDispatchR + queue.head!.work
      if (finish < least) {
        least = finish
        best = queue
      }
    }
    return best
  }

  #execute(ticket: Ticket, now: number): void {
    const { flow, queue, seats } = ticket
    const { counts } = flow
    ticket.state = 'executing'
    ticket.startedAt = now
    this.#executing++
    this.#seatsInUse += seats
    counts.dispatched++
    counts.executing++
    counts.seatsInUse += seats
    if (counts.observer !== null) counts.observer.waited(now - ticket.arrivedAt, true)
    if (queue === null) return
    this.latestStart = queue.nextDispatchR
    this.dispatchedAt = this.#virtual
    queue.executing++
    queue.seatsInUse += seats
    queue.nextDispatchR += ticket.work
  }

  #reject(ticket: Ticket, reason: RejectionReason, now: number): void {
    const { counts } = ticket.flow
    ticket.state = 'rejected'
    ticket.reason = reason
    counts.rejected[reason]++
    if (counts.observer !== null && ticket.queue !== null)
      counts.observer.waited(now - ticket.arrivedAt, false)
    ticket.onDecision?.()
  }

  /** The queue of the hand with the least work that waits; among equals, a different one each time. */
  #queueFor(flow: Flow, settings: QueueSettings): Queue {
    let { hand } = flow
    if (hand === null || hand.of !== settings)
      flow.hand = hand = { of: settings, queues: this.#deal(flow, settings) }
    const { queues } = hand
    const offset = this.#deals++ % queues.length
    let best = queues[offset]!
    if (this.#waiting === 0) return best
    for (let i = 1; i < queues.length; i++) {
      const queue = queues[(offset + i) % queues.length]!
      if (queue.work < best.work) best = queue
    }
    return best
  }

  #deal({ schema, distinguisher }: Flow, { queues, handSize }: QueueSettings): readonly Queue[] {
    const indexes =
      queues > 1 ? dealHand(flowHash(schema, distinguisher), queues, handSize) : ONLY_QUEUE
    if (this.#queues.size > MAX_QUEUES_KEPT) {
      for (const queue of this.#queues.values())
        if (queue.isIdle && queue.seatsInUse === 0) this.#queues.delete(queue.index)
    }
    return indexes.map((index) => {
      let queue = this.#queues.get(index)
      if (!queue) this.#queues.set(index, (queue = new Queue(index)))
      return queue
    })
  }

  #advance(now: number): void {
    const passed = now - this.#virtualAt
    this.#virtualAt = now
    if (passed > 0) {
      const times = this.#times
      times.executing.add(this.#executing, passed)
      times.waiting.add(this.#waiting, passed)
      times.seats.add(this.#seatsInUse, passed)
    }
    if (this.#activeQueues === 0) return
    const requested = this.#seatsInUse + this.#seatsWaiting
    this.#virtual +=
      (passed * (requested < this.limit ? requested : this.limit)) / this.#activeQueues
  }

  #setTimer(ms: number): void {
    this.#cancelTimer = this.#clock.after(ms, () => {
      this.#cancelTimer = null
      this.#expire()
    })
  }

  /** Rejects requests that have waited too long. */
  #expire(): void {
    const now = this.#clock.now()
    this.#advance(now)
    let oldest = Infinity
    for (const queue of [...this.#waitingQueues]) {
      while (queue.head !== null && now - queue.head.arrivedAt >= this.#waitLimitMs) {
        const ticket = queue.head
        this.#leave(ticket)
        queue.bound()
        this.#reject(ticket, 'time-out', now)
      }
      if (queue.head !== null) oldest = Math.min(oldest, queue.head.arrivedAt)
    }
    this.#dispatch(now)
    if (this.#waiting > 0 && this.#cancelTimer === null)
      this.#setTimer(Math.max(1, oldest + this.#waitLimitMs - now))
    this.#checkIdle()
  }
}

/** Moves one of a list behind the others, without the list of what was removed that `splice` makes. */
function moveToEnd(queues: Queue[], queue: Queue): void {
  const last = queues.length - 1
  for (let i = queues.indexOf(queue); i < last; i++) queues[i] = queues[i + 1]!
  queues[last] = queue
}

const sameSettings = (a: QueueSettings | null, b: QueueSettings | null): boolean =>
  a === b ||
  (a !== null &&
    b !== null &&
    a.queues === b.queues &&
    a.handSize === b.handSize &&
    a.queueLengthLimit === b.queueLengthLimit)

function boundsOf(values: readonly number[]): Bounds {
  if (values.length === 0) return { min: 0, max: 0 }
  let [min, max] = [Infinity, -Infinity]
  for (const value of values) {
    if (value < min) min = value
    if (value > max) max = value
  }
  return { min, max }
}
