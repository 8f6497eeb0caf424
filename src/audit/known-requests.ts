import type { AuditedRequest } from '../http/audit.ts'
import type { User } from '../registry/context.ts'
import { isDirect, type RequestState } from './event.ts'

/** Characters that all entries hold at most, by estimate: clients choose the paths. */
const MAX_CHARS = 1 << 20
/** Characters of one entry. */
const MAX_ENTRY = 4096
/** What the objects of an entry take beside its texts. */
const OBJECTS = 256

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
  #chars = 0

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
    return known.state
  }

  /** Keeps what is decided by nothing but path, method, and client. `chars`: of the texts that it will hold. */
  keep(request: AuditedRequest, state: RequestState, chars: number): void {
    const { method, target, remoteAddress, headers } = request
    const user = request.impersonator ?? request.user
    const size = chars + target.length + OBJECTS
    if (user === null || request.info === null || size > MAX_ENTRY || !isDirect(headers)) return
    this.#chars += size
    if (this.#chars > MAX_CHARS) {
      this.#known.clear()
      this.#chars = size
    }
    const agent = headers['user-agent']
    this.#known.set(target, { method, user, remoteAddress, agent, state })
  }
}
