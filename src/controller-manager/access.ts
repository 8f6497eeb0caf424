/** Who asks this program for its pages, and whether they may: the server decides, by reviews. */
import { createHash } from 'node:crypto'
import type { AuthenticatedUser, TokenAuthenticator } from '../authn/authenticator.ts'
import { PRIVILEGED_GROUP } from '../authz/subjects.ts'
import { elapsedOf, type Clock } from '../base/clock.ts'
import type { Client } from '../client/client.ts'
import { StatusError } from '../meta/errors.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** A user, as reviews name it. */
interface ReviewedUser {
  readonly username: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** The server that is asked. */
export interface ReviewServer {
  readonly client: Client
  readonly v: Vocabulary
}

interface TokenReview {
  readonly spec: { readonly token: string }
  readonly status?: { readonly authenticated?: boolean; readonly user?: ReviewedUser }
}

interface AccessReview {
  readonly spec: object
  readonly status?: { readonly allowed?: boolean; readonly reason?: string }
}

/** How many answers are remembered. */
const MOST_HELD = 256
const TIMEOUT_MS = 10_000

/** A server that is asked; null as long as it was not reached. */
type Reached = () => ReviewServer | null | Promise<ReviewServer>

/** Which servers are asked, and how long their answers count, milliseconds. */
export interface DelegatedAccessOptions {
  /** Who users are. */
  readonly authentication: Reached
  /** What they may; the same server by default. */
  readonly authorization?: Reached
  readonly clock: Clock
  /** Ten seconds by default, like the others; 0: answers are not remembered. */
  readonly tokenTtlMs?: number
  readonly allowedTtlMs?: number
  readonly deniedTtlMs?: number
}

const TTL_MS = 10_000

/** Asks the server by reviews. Answers count for a while; failures reject and are not remembered. */
export class DelegatedAccess {
  readonly #options: DelegatedAccessOptions
  readonly #held = new Map<string, { readonly until: number; readonly answer: unknown }>()

  constructor(options: DelegatedAccessOptions) {
    this.#options = options
  }

  /** Knows users by their bearer tokens. */
  get tokens(): TokenAuthenticator {
    return {
      name: 'token review',
      authenticateToken: async (token) => {
        const user = await this.#userOf(token)
        return user && { user, audiences: null }
      },
    }
  }

  /** The user of a bearer token; null: the server does not accept it. */
  #userOf(token: string): Promise<AuthenticatedUser | null> {
    // A digest: secrets are not kept.
    const key = `token ${createHash('sha256').update(token).digest('hex')}`
    const { authentication, tokenTtlMs = TTL_MS } = this.#options
    return this.#remembered(
      key,
      authentication,
      () => tokenTtlMs,
      async ({ client, v }) => {
        const of = {
          group: v.resolve('authentication{api}'),
          version: 'v1',
          resource: 'tokenreviews',
        }
        const review: TokenReview = { spec: { token } }
        const { status } = await client
          .resource<TokenReview>(of)
          .create(review, { timeoutMs: TIMEOUT_MS, retries: 0 })
        if (status?.authenticated !== true || !status.user) return null
        const { username, uid = '', groups = [], extra = {} } = status.user
        return { name: username, uid, groups, extra }
      },
    )
  }

  /** Whether a user may read a path. */
  async allows(user: AuthenticatedUser, verb: string, path: string): Promise<boolean> {
    const { name, uid, groups, extra } = user
    if (groups.includes(PRIVILEGED_GROUP)) return true
    const spec = {
      user: name,
      ...(uid === '' ? {} : { uid }),
      groups,
      ...(Object.keys(extra).length === 0 ? {} : { extra }),
      nonResourceAttributes: { path, verb },
    }
    const { authentication, authorization = authentication } = this.#options
    const { allowedTtlMs = TTL_MS, deniedTtlMs = TTL_MS } = this.#options
    const ttlOf = (isAllowed: boolean) => (isAllowed ? allowedTtlMs : deniedTtlMs)
    const key = `access ${JSON.stringify(spec)}`
    return this.#remembered(key, authorization, ttlOf, async ({ client, v }) => {
      const group = v.resolve('authorization{api}')
      const of = { group, version: 'v1', resource: 'subjectaccessreviews' }
      const { status } = await client
        .resource<AccessReview>(of)
        .create({ spec }, { timeoutMs: TIMEOUT_MS, retries: 0 })
      return status?.allowed === true
    })
  }

  async #remembered<T>(
    key: string,
    reached: Reached,
    ttlOf: (answer: T) => number,
    ask: (server: ReviewServer) => Promise<T>,
  ): Promise<T> {
    const now = elapsedOf(this.#options.clock)
    const held = this.#held.get(key)
    // Under one key all answers are of one type.
    if (held && held.until > now) return held.answer as T
    const server = await reached()
    if (!server)
      throw new StatusError(503, 'ServiceUnavailable', 'the server has not been reached yet')
    const answer = await ask(server)
    const ttlMs = ttlOf(answer)
    this.#held.delete(key)
    if (ttlMs <= 0) return answer
    for (const [oldest] of this.#held) {
      if (this.#held.size < MOST_HELD) break
      this.#held.delete(oldest)
    }
    this.#held.set(key, { until: now + ttlMs, answer })
    return answer
  }
}
