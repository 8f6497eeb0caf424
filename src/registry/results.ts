import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { Status } from '../meta/errors.ts'
import { formatJson } from '../codec/json-text.ts'
import type { StoredObject } from '../cache/stored-object.ts'

/** The result of a verb; http/ encodes it in the requested form. */
export type Result =
  | { readonly is: 'object'; readonly status: number; readonly version: StoredObject }
  | MadeResult
  | { readonly is: 'status'; readonly status: number; readonly body: Status }
  | ListResult

/** A collection, or one chunk of it. */
export interface ListResult {
  readonly is: 'list'
  readonly status: number
  /** Revision of the state; never empty. */
  readonly revision: number
  readonly items: readonly StoredObject[]
  /** The items were made for this response: others may have the same keys and revisions. */
  readonly isMade?: true
  /** Token of the next chunk; empty on the last. */
  readonly continueToken: string
  /** Number of items after this chunk; undefined when not reported. */
  readonly remaining: number | undefined
  /** What it took, for metrics; absent: unknown. */
  readonly search?: ListSearch
}

/** How a list was made. */
export interface ListSearch {
  /** Number of objects that were looked at. */
  readonly examined: number
  /** Whether an index had chosen them. */
  readonly isIndexed: boolean
}

/** An object that is not stored: made for this response. */
export interface MadeResult {
  readonly is: 'made'
  readonly status: number
  /** Kind of the object. */
  readonly served: ResourceEntry
  readonly object: Made
}

/** JSON of an object that is not stored, with the interface of stored ones. */
export class Made {
  readonly #json: Buffer
  readonly #metadata: Buffer

  constructor(plain: { readonly metadata?: unknown }) {
    this.#json = Buffer.from(formatJson(plain))
    this.#metadata = Buffer.from(formatJson(plain.metadata ?? {}))
  }
  json(): Buffer {
    return this.#json
  }
  metadata(): Buffer {
    return this.#metadata
  }
}

/** The response to an action without a result. */
export const success = (status: number): Result => ({
  is: 'status',
  status,
  body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: status },
})
