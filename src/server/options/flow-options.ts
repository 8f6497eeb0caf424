/** Limits of the requests that a server executes at a time. */
export interface FlowOptions {
  /** Whether requests get seats by priority levels and wait in fair queues; they do by default. */
  readonly priorityAndFairness?: boolean
  /**
   * Whether connections of busy users are read in turns, and long responses sent in short pieces beside other requests, with priority
   * and fairness; they are by default.
   */
  readonly fairConnections?: boolean
  /** Most requests in progress that only read; 400 by default. With priority and fairness, part of the seats. */
  readonly maxRequestsInFlight?: number
  /** The same for requests that write; 200 by default. */
  readonly maxMutatingRequestsInFlight?: number
}

/** The limits in force. */
export interface FlowLimits {
  /** By priority levels; otherwise by two plain numbers, 0 for no limit. */
  readonly isFair: boolean
  /** Whether connections of busy users are read in turns, and long responses sent in pieces that others do not wait for. */
  readonly readsInTurns: boolean
  readonly reads: number
  readonly writes: number
}

const READS = 400
const WRITES = 200

/** Checks the limits. Throws an Error that names flags. */
export function flowLimits(
  {
    priorityAndFairness = true,
    fairConnections = true,
    maxRequestsInFlight: reads = READS,
    maxMutatingRequestsInFlight: writes = WRITES,
  }: FlowOptions,
  gate: (name: string) => boolean,
): FlowLimits {
  const isFair = priorityAndFairness && gate('APIPriorityAndFairness')
  if (isFair && reads + writes < 1)
    throw new Error(
      '--max-requests-inflight and --max-mutating-requests-inflight must not both be 0 unless --enable-priority-and-fairness is false',
    )
  return { isFair, readsInTurns: isFair && fairConnections, reads, writes }
}
