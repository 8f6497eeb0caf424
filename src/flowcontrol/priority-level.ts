import type { LimitedPriorityLevelConfiguration } from '../kinds/flowcontrol/priority-level-configuration.ts'
import type { QueueSettings } from './queue.ts'
import { QueueSet, type FlowClock } from './queue-set.ts'
import { maxSeatsOf } from './width.ts'

/** What a priority level needs to know of its configuration. */
export interface LevelSettings {
  readonly shares: number
  /** Null: requests are rejected instead of queued. */
  readonly queueing: QueueSettings | null
}

/** The settings of a limited level, with defaults for what a broken object lacks. */
export function levelSettings({
  assuredConcurrencyShares = 30,
  limitResponse,
}: LimitedPriorityLevelConfiguration): LevelSettings {
  const { type, queuing } = limitResponse
  if (type !== 'Queue' || !queuing) return { shares: assuredConcurrencyShares, queueing: null }
  const { queues = 64, handSize = 8, queueLengthLimit = 50 } = queuing
  return { shares: assuredConcurrencyShares, queueing: { queues, handSize, queueLengthLimit } }
}

/** The part of the server's seats that belongs to so many of the shares. */
export const limitOf = (total: number, shares: number, allShares: number): number =>
  Math.ceil((total * shares) / allShares)

/** A priority level in force. */
export class PriorityLevel {
  readonly name: string
  /** Empty while the level is imagined, since its object does not exist. */
  uid = ''
  /** Its object is gone, but some of its requests are not. */
  isQuiescing = false
  settings: LevelSettings | null = null
  /** Null: exempt. */
  seats: QueueSet | null = null
  /** Most seats of one request. */
  maxSeats = 1

  constructor(name: string) {
    this.name = name
  }

  get isIdle(): boolean {
    return this.seats === null || this.seats.isIdle
  }

  /** Sets the number of seats. */
  limit(limit: number, clock: FlowClock, waitLimitMs: number): void {
    const settings = this.settings?.queueing ?? null
    this.maxSeats = maxSeatsOf(limit, settings?.handSize ?? 0)
    if (this.seats) this.seats.configure(limit, settings)
    else this.seats = new QueueSet(clock, { limit, settings, waitLimitMs })
  }
}
