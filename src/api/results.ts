import type { Status } from '../schema/errors.ts'
import type { Version } from '../store/cache/version.ts'

/** What a verb answers; http/ turns it into bytes of the form that was asked for. */
export type Result =
  | { readonly is: 'object'; readonly status: number; readonly version: Version }
  | { readonly is: 'status'; readonly status: number; readonly body: Status }
  | ListResult

/** A collection, or one chunk of it. */
export interface ListResult {
  readonly is: 'list'
  readonly status: number
  /** Revision of the state, empty text in no case. */
  readonly revision: number
  readonly items: readonly Version[]
  /** Token of the next chunk; empty on the last. */
  readonly continueToken: string
  /** Items after this chunk; undefined when not told. */
  readonly remaining: number | undefined
}
