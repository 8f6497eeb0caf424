import type { AuditedRequest } from '../http/audit.ts'
import type { User } from '../registry/context.ts'
import { isDirect, type RequestState } from './event.ts'

/** Bytes that all entries hold at most, by estimate: clients choose the paths. */
const MAX_BYTES = 4 << 20
/** Bytes of one entry. */
const MAX_ENTRY = 8 << 10
/** What an entry takes beside the text that its lines have in common, which is in three places. */
const OTHERS = 1024
const PLACES = 3

interface Known {
  readonly method: string
  readonly user: User
  readonly remoteAddress: string
  readonly agent: string | undefined
  readonly state: RequestState
}

/** Remembers how a request was recorded, for those that are sent again and again: the same client asks for the same. */
export class KnownRequests {
  readonly #known = new Map<string, Known>()
  #bytes = 0

  /** What was kept of an equal request of the same client; null without one. */
  find(request: AuditedRequest): RequestState | null {
    const known = this.#known.get(request.target)
    if (
      known === undefined ||
      known.user !== (request.impersonator ?? request.user) ||
      known.method !== request.method ||
      known.remoteAddress !== request.remoteAddress ||
      known.agent !== request.headers['user-agent'] ||
      !isDirect(request.headers)
    )
      return null
    known.state.isRepeated = true
    return known.state
  }

  /** Keeps what is decided by nothing but path, method, and client. `chars`: of what its lines have in common. */
  keep(request: AuditedRequest, state: RequestState, chars: number): void {
    const { method, target, remoteAddress, headers } = request
    const user = request.impersonator ?? request.user
    const size = PLACES * chars + target.length + OTHERS
    if (user === null || request.info === null || size > MAX_ENTRY || !isDirect(headers)) return
    this.#bytes += size
    if (this.#bytes > MAX_BYTES) {
      this.#known.clear()
      this.#bytes = size
    }
    const agent = headers['user-agent']
    this.#known.set(target, { method, user, remoteAddress, agent, state })
  }
}
