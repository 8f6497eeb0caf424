import type { Pace } from '../base/event-loop.ts'
import type { NowOrLater } from '../admission/now-or-later.ts'

/** A step of a write: returns a promise only where it waits. */
export type Step<T> = (write: T) => void | Promise<void>

/** Takes a write through steps, in their order; without a promise as long as none waits or takes long. */
export function passed<T extends { readonly pace: Pace }>(
  write: T,
  steps: readonly Step<T>[],
  from = 0,
): NowOrLater<T> {
  for (let i = from; i < steps.length; i++) {
    const waiting = steps[i]!(write) ?? write.pace.pause()
    if (waiting) return waiting.then(() => passed(write, steps, i + 1))
  }
  return write
}
