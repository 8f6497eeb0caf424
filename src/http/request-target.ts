import type { Flow } from '../flowcontrol/flow.ts'
import type { FlowUser } from '../flowcontrol/matching.ts'
import type { Query } from '../registry/context.ts'
import {
  parseQuery,
  parseRequest,
  type RequestInfo,
  type RequestInfoMemory,
} from './request-info.ts'

const NO_QUERY: Query = new Map()

/** Method and target of requests, and what follows from them. A connection makes it once for requests that repeat both. */
export class RequestTarget implements RequestInfoMemory {
  readonly method: string
  /** Path and query as sent. */
  readonly text: string
  /** Path without the query. */
  readonly path: string
  readonly query: Query
  grant: object | null = null
  flow: Flow | null = null
  flowUser: FlowUser | null = null
  #info: RequestInfo | null = null

  constructor(method: string, text: string) {
    const mark = text.indexOf('?')
    this.method = method
    this.text = text
    this.path = mark === -1 ? text : text.slice(0, mark)
    this.query = mark === -1 ? NO_QUERY : parseQuery(text.slice(mark + 1))
  }

  /** Verb, resource and name, parsed on first use. Throws RequestPathError. */
  get info(): RequestInfo {
    return (this.#info ??= parseRequest(
      this.method,
      this.path,
      // Without its mark.
      this.text.slice(this.path.length + 1),
      this,
    ))
  }
}
