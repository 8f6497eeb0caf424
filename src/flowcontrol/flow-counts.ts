/** Why a request was rejected, as metrics name it. */
export type RejectionReason = 'queue-full' | 'concurrency-limit' | 'time-out' | 'cancelled'

/** Observes the requests of one FlowSchema at one priority level. Times are in milliseconds. */
export interface FlowObserver {
  /** A request was dispatched or rejected after it had waited so long; without queueing, 0. */
  waited(ms: number, isExecuted: boolean): void
  /** A request is finished; for a watch, its initial events have been sent. */
  executed(ms: number, isWatch: boolean): void
  /** A request has joined a queue, which then had this length. */
  queued(length: number): void
  /** Seats that a request takes at most. */
  estimated(seats: number): void
  /** Number of watches that a write is sent to. */
  watched(count: number): void
}

/** Counters of one FlowSchema at one priority level. */
export class FlowCounts {
  readonly schema: string
  readonly level: string
  dispatched = 0
  waiting = 0
  executing = 0
  seatsInUse = 0
  /** Requests that were next in line, but wider than the free seats. */
  noAccommodation = 0
  readonly rejected: Record<RejectionReason, number> = {
    'queue-full': 0,
    'concurrency-limit': 0,
    'time-out': 0,
    cancelled: 0,
  }
  /** Null: nobody observes. */
  observer: FlowObserver | null = null

  constructor(schema: string, level: string) {
    this.schema = schema
    this.level = level
  }
}
