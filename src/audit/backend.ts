import type { AuditEvent } from './event.ts'
import type { StoreLine } from './metadata-lines.ts'

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
  /** Stores the line of an event without bodies; absent where the backend needs the event. */
  readonly storeLine?: StoreLine
  /** Stores what is left, as far as that takes no time. */
  close(): Promise<void>
}

/** Counts events, and reports those that were lost. */
export interface Losses {
  /** Events of a backend that were not stored, and why. */
  lost(backend: Backend['name'], count: number, why: string): void
}
