import type { Call } from './context.ts'
import type { Result } from './results.ts'

/** A write of the server itself. */
export interface OwnWrite {
  readonly verb: 'create' | 'update' | 'delete'
  readonly call: Call
  /** The object to create, as JSON; absent for other verbs. */
  readonly object?: object
}

/** Records writes of the server itself as requests of its user. */
export interface OwnWrites {
  /** Runs a write with the call that it gets. Never refuses or delays it. */
  run(write: OwnWrite, work: (call: Call) => Promise<Result>): Promise<Result>
}
