/** Work in several steps, between which it may yield to the event loop. */
import { Pace } from './event-loop.ts'

/** Ends each step with a `yield`. */
export type Steps<T> = Generator<void, T, void>

/** Does all steps at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Does all steps at once. */
export function finishIfSteps(steps: void | Steps<void>): void {
  if (steps) finish(steps)
}

/** Does the steps and yields to the event loop where they take long; at once where they do not. */
export function paced<T>(steps: Steps<T>, pace = new Pace()): T | Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    const pause = pace.pause()
    if (pause) return pause.then(() => paced(steps, pace))
  }
}
