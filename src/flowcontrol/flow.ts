import type { FlowCounts } from './flow-counts.ts'
import type { PriorityLevel } from './priority-level.ts'
import type { Hand } from './queue.ts'

/** Requests of one FlowSchema that are equal before the queues: of one user, of one namespace, or all. */
export interface Flow {
  readonly schema: string
  readonly level: PriorityLevel
  /** Name of the user, or the namespace; empty without a distinguisher. */
  readonly distinguisher: string
  readonly counts: FlowCounts
  /** Names and values of the headers of responses. */
  readonly headers: readonly string[]
  /** The configuration that it is of. */
  readonly era: object
  /** Queues that its requests may join; dealt by the level on first use. */
  hand: Hand | null
}
