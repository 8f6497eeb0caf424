import type { AuditEvent } from './event.ts'
import type { LineTemplate, LineValues } from './line-template.ts'

export const MODES = ['batch', 'blocking', 'blocking-strict'] as const

/**
 * `batch`: requests do not wait. `blocking`: they do, and events that cannot be stored are lost. `blocking-strict`: a
 * request whose first event cannot be stored is refused.
 */
export type Mode = (typeof MODES)[number]

/** Stores events. */
export interface Backend {
  readonly name: 'log' | 'webhook'
  readonly mode: Mode
  /** Stores one event; never rejects. False, or a promise of it: it was not stored. */
  store(event: AuditEvent): boolean | Promise<boolean>
  /** Stores lines of events without bodies; absent where the backend needs the events. */
  readonly lines?: LineStore
  /** Stores what is left, as far as that takes no time. */
  close(): Promise<void>
}

/** Stores lines. False: the line was not stored. */
export interface LineStore {
  /** `isPlain`: the line is known to be ASCII. */
  store(line: string, isPlain: boolean): boolean
  /** The same from a template; absent where lines are needed as texts. */
  readonly copy?: (template: LineTemplate, values: LineValues) => boolean
}

/** Counts events, and reports those that were lost. */
export interface Losses {
  /** Events of a backend that were not stored, and why. */
  lost(backend: Backend['name'], count: number, why: string): void
}
