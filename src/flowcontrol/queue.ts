import type { Ticket } from './ticket.ts'

/** The queues that a flow may use, as dealt for these settings. */
export interface Hand {
  readonly of: QueueSettings
  readonly queues: readonly Queue[]
}

/** Queues of a priority level. */
export interface QueueSettings {
  readonly queues: number
  readonly handSize: number
  readonly queueLengthLimit: number
}

/** One queue of a priority level: requests that wait, the oldest first, and sums over its requests. */
export class Queue {
  readonly index: number
  head: Ticket | null = null
  #tail: Ticket | null = null
  /** Requests that wait. */
  length = 0
  /** Their work, seats × milliseconds. */
  work = 0
  /** Sums of their seats: while they are executed, and at most. */
  initialSeats = 0
  seats = 0
  executing = 0
  seatsInUse = 0
  /** Virtual time at which its next request would start, seats × milliseconds. */
  nextDispatchR = 0

  constructor(index: number) {
    this.index = index
  }

  /** Without requests that wait or are executed. */
  get isIdle(): boolean {
    return this.length === 0 && this.executing === 0
  }

  push(ticket: Ticket): void {
    ticket.before = this.#tail
    if (this.#tail) this.#tail.after = ticket
    else this.head = ticket
    this.#tail = ticket
    this.#count(ticket, 1)
  }

  remove(ticket: Ticket): void {
    const { before, after } = ticket
    if (before) before.after = after
    else this.head = after
    if (after) after.before = before
    else this.#tail = before
    ticket.before = ticket.after = null
    this.#count(ticket, -1)
  }

  /** The start moves back to the arrival of the oldest request at most. */
  bound(): void {
    if (this.head && this.nextDispatchR < this.head.arrivedR)
      this.nextDispatchR = this.head.arrivedR
  }

  #count(ticket: Ticket, by: 1 | -1): void {
    this.length += by
    this.work = this.length === 0 ? 0 : this.work + by * ticket.work
    this.initialSeats += by * ticket.width.initialSeats
    this.seats += by * ticket.seats
  }
}
