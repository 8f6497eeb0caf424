import type { Operation } from './attributes.ts'
import type { Plugin } from './plugin.ts'

/** One phase of a request, or one plugin in it. Requests that no plugin handles have no phases. */
export interface AdmissionStep {
  readonly type: 'admit' | 'validate'
  readonly operation: Operation
  /** Absent: all plugins of the phase. */
  readonly plugin?: Plugin
}

/** Told of admission, for metrics. */
export interface AdmissionObserver {
  /** Monotonic time in milliseconds. */
  now(): number
  /** Called after each step. Must not throw. */
  step(step: AdmissionStep, ms: number, rejected: boolean): void
}

/** Does the work of a step and tells the observer; without one it only does the work. */
export function observed(
  observer: AdmissionObserver | null,
  step: AdmissionStep,
  work: () => void | Promise<void>,
): void | Promise<void> {
  if (!observer) return work()
  const start = observer.now()
  const end = (rejected: boolean) => observer.step(step, observer.now() - start, rejected)
  const refused = (error: unknown): never => {
    end(true)
    throw error
  }
  let waiting: void | Promise<void>
  try {
    waiting = work()
  } catch (error) {
    return refused(error)
  }
  if (waiting) return waiting.then(() => end(false), refused)
  end(false)
}
