/** What the event loop is shared by: long work, and all else. */
import { performance } from 'node:perf_hooks'
import { yieldToEventLoop } from './event-loop.ts'

/** What long work knows of the event loop. */
export interface EventLoop {
  /** Milliseconds of a clock that does not go back. */
  now(): number
  /** Lets what is due run once. */
  turn(): Promise<void>
  /** Waits for a millisecond or somewhat more; gives the share of it in which the loop was busy, 0 to 1. */
  rest(): Promise<number>
}

/** The event loop of this thread. */
export const thisLoop: EventLoop = {
  now: () => performance.now(),
  turn: yieldToEventLoop,
  async rest() {
    const before = performance.eventLoopUtilization()
    await new Promise((resolve) => setTimeout(resolve, 1))
    return performance.eventLoopUtilization(before).utilization
  },
}

/** The share of the time from which on others need the loop. */
const BUSY = 0.5

/** Leaves the loop to others as long as they need it, for so many milliseconds at most. */
export async function leaveTo(loop: EventLoop, mostMs: number): Promise<void> {
  const until = loop.now() + mostMs
  let busy = 1
  while (busy >= BUSY && loop.now() < until) busy = await loop.rest()
}
