/** Who asks this program for its pages, and whether they may: the server decides, by reviews. */
import { createHash } from 'node:crypto'
import { ALL_AUTHENTICATED, ALL_UNAUTHENTICATED, ANONYMOUS } from '../authn/anonymous.ts'
import type { Clock } from '../base/clock.ts'
import type { Client } from '../client/client.ts'
import { StatusError } from '../meta/errors.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** A user, as reviews name it. */
export interface PageUser {
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
  readonly status?: { readonly authenticated?: boolean; readonly user?: PageUser }
}

interface AccessReview {
  readonly spec: object
  readonly status?: { readonly allowed?: boolean; readonly reason?: string }
}

/** Who has no credentials. */
export const anonymousUser: PageUser = { username: ANONYMOUS, groups: [ALL_UNAUTHENTICATED] }

/** How long answers count, milliseconds, and how many of them are remembered. */
const HOLD_MS = 10_000
const MOST_HELD = 256
const TIMEOUT_MS = 10_000

/** Asks the server by reviews. Answers count for ten seconds; failures reject and are not remembered. */
export class DelegatedAccess {
  readonly #server: () => ReviewServer | null
  readonly #clock: Clock
  readonly #held = new Map<string, { readonly until: number; readonly answer: unknown }>()

  /** `server` is null as long as it was not reached. */
  constructor(server: () => ReviewServer | null, clock: Clock) {
    this.#server = server
    this.#clock = clock
  }

  /** The user of a bearer token; null: the server does not accept it. */
  userOf(token: string): Promise<PageUser | null> {
    // A digest: secrets are not kept.
    const key = `token ${createHash('sha256').update(token).digest('hex')}`
    return this.#remembered(key, async ({ client, v }) => {
      const of = {
        group: v.resolve('authentication{api}'),
        version: 'v1',
        resource: 'tokenreviews',
      }
      const review: TokenReview = { spec: { token } }
      const { status } = await client
        .resource<TokenReview>(of)
        .create(review, { timeoutMs: TIMEOUT_MS, retries: 0 })
      return status?.authenticated === true ? (status.user ?? null) : null
    })
  }

  /** Whether a user may read a path. */
  allows(user: PageUser, verb: string, path: string): Promise<boolean> {
    const { username, uid, groups, extra } = user
    const spec = {
      user: username,
      ...(uid === undefined ? {} : { uid }),
      ...(groups === undefined ? {} : { groups }),
      ...(extra === undefined ? {} : { extra }),
      nonResourceAttributes: { path, verb },
    }
    return this.#remembered(`access ${JSON.stringify(spec)}`, async ({ client, v }) => {
      const group = v.resolve('authorization{api}')
      const of = { group, version: 'v1', resource: 'subjectaccessreviews' }
      const { status } = await client
        .resource<AccessReview>(of)
        .create({ spec }, { timeoutMs: TIMEOUT_MS, retries: 0 })
      return status?.allowed === true
    })
  }

  async #remembered<T>(key: string, ask: (server: ReviewServer) => Promise<T>): Promise<T> {
    const now = this.#clock.now()
    const held = this.#held.get(key)
    // Under one key all answers are of one type.
    if (held && held.until > now) return held.answer as T
    const server = this.#server()
    if (!server)
      throw new StatusError(503, 'ServiceUnavailable', 'the server has not been reached yet')
    const answer = await ask(server)
    this.#held.delete(key)
    for (const [oldest] of this.#held) {
      if (this.#held.size < MOST_HELD) break
      this.#held.delete(oldest)
    }
    this.#held.set(key, { until: now + HOLD_MS, answer })
    return answer
  }
}

/** A user that authenticated by a certificate. */
export const certifiedUser = (commonName: string, organizations: readonly string[]): PageUser => ({
  username: commonName,
  groups: [...organizations, ALL_AUTHENTICATED],
})
