import type { Operation } from './attributes.ts'
import type { Plugin } from './plugin.ts'

export type Phase = 'admit' | 'validate'

/** Receives how long a step of one request took, in milliseconds, and whether it refused the request. Must not throw. */
export type StepRecorder = (operation: Operation, ms: number, rejected: boolean) => void

/** Observes admission, for metrics. Requests that no plugin handles have no steps. */
export interface AdmissionObserver {
  /** Monotonic time in milliseconds. */
  now(): number
  /** Called once for each phase and plugin; null: all plugins of the phase. */
  recorder(phase: Phase, plugin: Plugin | null): StepRecorder
}

/** An observer that records nothing. */
export const UNOBSERVED: AdmissionObserver = { now: () => 0, recorder: () => () => {} }
