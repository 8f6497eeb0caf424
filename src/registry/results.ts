import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { Status } from '../meta/errors.ts'
import { formatJson } from '../codec/json-text.ts'
import type { StoredObject } from '../cache/stored-object.ts'

/** What a verb answers; http/ turns it into bytes of the form that was asked for. */
export type Result =
  | { readonly is: 'object'; readonly status: number; readonly version: StoredObject }
  | MadeResult
  | { readonly is: 'status'; readonly status: number; readonly body: Status }
  | ListResult

/** A collection, or one chunk of it. */
export interface ListResult {
  readonly is: 'list'
  readonly status: number
  /** Revision of the state, empty text in no case. */
  readonly revision: number
  readonly items: readonly StoredObject[]
  /** Token of the next chunk; empty on the last. */
  readonly continueToken: string
  /** Items after this chunk; undefined when not told. */
  readonly remaining: number | undefined
}

/** An object that is not stored: made for this answer. */
export interface MadeResult {
  readonly is: 'made'
  readonly status: number
  /** Kind of the object. */
  readonly served: ResourceEntry
  readonly object: Made
}

/** JSON of an object that is not stored, as stored ones show theirs. */
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

/** The answer to an action that has nothing to show. */
export const success = (status: number): Result => ({
  is: 'status',
  status,
  body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: status },
})
