import type { RejectionReason } from './flow-counts.ts'
import type { Flow } from './flow.ts'
import type { Queue } from './queue.ts'
import type { Width } from './width.ts'

export type TicketState = 'waiting' | 'executing' | 'rejected' | 'finished'

/** A request, as dumps show it. */
export interface ShownRequest {
  readonly path: string
  readonly user: { readonly name: string }
  readonly info: {
    readonly verb: string
    readonly group: string
    readonly version: string
    readonly resource: string
    readonly subresource: string
    readonly namespace: string
    readonly name: string
  }
}

/** Estimated time of service of any request, milliseconds; corrected when it is finished. */
export const ESTIMATED_MS = 3

/** One request at a limited priority level. */
export class Ticket {
  readonly flow: Flow
  width: Width
  state: TicketState = 'waiting'
  /** Set when it is rejected. */
  reason: RejectionReason | null = null
  readonly arrivedAt: number
  /** Virtual time of the arrival in its queue. */
  arrivedR = 0
  startedAt = 0
  queue: Queue | null = null
  before: Ticket | null = null
  after: Ticket | null = null
  /** Called when a request that waits is executed or rejected. */
  onDecision: (() => void) | null = null
  /** Of what request it is, for dumps. */
  request: ShownRequest | null = null

  constructor(flow: Flow, width: Width, arrivedAt: number) {
    this.flow = flow
    this.width = width
    this.arrivedAt = arrivedAt
  }

  /** Seats that it takes at most. */
  get seats(): number {
    const { initialSeats, finalSeats } = this.width
    return initialSeats > finalSeats ? initialSeats : finalSeats
  }

  /** Estimated work, seats × milliseconds. */
  get work(): number {
    const { initialSeats, finalSeats, extraMs } = this.width
    return initialSeats * ESTIMATED_MS + finalSeats * extraMs
  }

  /** Whether it is a watch, which takes its seats only until its initial events have been sent. */
  get isWatch(): boolean {
    return this.request?.info.verb === 'watch'
  }

  /** The request has ended; may be called twice. */
  end(): void {
    this.flow.level.seats?.end(this)
  }
}
