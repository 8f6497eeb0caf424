/** Authenticates users by a remote service. */
import { LRUCache } from 'lru-cache'
import { elapsedOf, type Clock } from '../base/clock.ts'
import { silentLog, type Log } from '../base/log.ts'
import { CallError, withoutSecrets } from '../client/call-error.ts'
import {
  flagOf,
  mapOf,
  memberOf,
  textOf,
  textsOf,
  type ConfigMap,
} from '../client/config-values.ts'
import type { JsonClient } from '../client/json-call.ts'
import { askReview, read } from '../client/review.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { commonAudiences } from './audiences.ts'
import {
  CredentialError,
  type AuthenticationResult,
  type AuthenticatedUser,
  type TokenAuthenticator,
} from './authenticator.ts'
import { secretKeys } from './secret-digest.ts'

const CACHE_TTL_MS = 120_000
const MAX_TOKENS = 16_384
const VERSIONS = ['v1', 'v1beta1']

/** Dependencies of a webhook for tokens. */
export interface WebhookTokenOptions {
  readonly client: JsonClient
  readonly v: Vocabulary
  readonly clock: Clock
  readonly log?: Log
  /** Of the reviews; v1beta1 by default. */
  readonly version?: string
  /** Audiences of a token when the service returns none. */
  readonly apiAudiences: readonly string[]
  /** How long results are cached, milliseconds; 2 minutes by default, 0 for not at all. */
  readonly cacheTtlMs?: number
}

interface CachedResult {
  readonly result: AuthenticationResult
  readonly untilMs: number
}

/**
 * Asks a service for the user of a token, and caches the result, also for unknown tokens. Concurrent requests for the
 * same token share one call. Throws an Error about a version that is not known.
 */
export function webhookToken(options: WebhookTokenOptions): TokenAuthenticator {
  const { client, v, clock, log = silentLog, apiAudiences, version = 'v1beta1' } = options
  const { cacheTtlMs = CACHE_TTL_MS } = options
  checkTokenReviewVersion(version)
  const apiVersion = v.resolve(`authentication{api}/${version}`)
  const keyOf = secretKeys()
  const cache = new LRUCache<string, CachedResult>({ max: MAX_TOKENS })
  const underway = new Map<string, Promise<AuthenticationResult>>()

  const review = async (
    token: string,
    audiences: readonly string[],
  ): Promise<AuthenticationResult> => {
    try {
      const status = await askReview(client, {
        kind: 'TokenReview',
        apiVersion,
        spec: { token, ...(audiences.length > 0 ? { audiences } : {}) },
        status: { user: {} },
        secrets: [token],
      })
      return resultOf(status, { token, audiences, apiAudiences })
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      log.error('failed to make webhook authenticator request', { error: error.message })
      throw new CredentialError(error.message)
    }
  }

  return {
    name: 'webhook',
    authenticateToken(token, { audiences }) {
      const key = keyOf(JSON.stringify([token, audiences]))
      const entry = cache.get(key)
      if (entry && elapsedOf(clock) < entry.untilMs) return entry.result
      const others = underway.get(key)
      if (others) return others
      const pending = review(token, audiences)
        .then((result) => {
          if (cacheTtlMs > 0) cache.set(key, { result, untilMs: elapsedOf(clock) + cacheTtlMs })
          return result
        })
        .finally(() => underway.delete(key))
      underway.set(key, pending)
      return pending
    },
  }
}

/** Throws an Error about a version of token reviews that is not known. */
function checkTokenReviewVersion(version: string): void {
  if (VERSIONS.includes(version)) return
  const known = VERSIONS.map((one) => JSON.stringify(one)).join(', ')
  throw new Error(
    `unsupported authentication webhook version ${JSON.stringify(version)}, supported versions are ${known}`,
  )
}

interface ReviewedToken {
  readonly token: string
  readonly audiences: readonly string[]
  readonly apiAudiences: readonly string[]
}

function resultOf(
  status: ConfigMap,
  { token, audiences, apiAudiences }: ReviewedToken,
): AuthenticationResult {
  const reported = read(() => ({
    authenticated: flagOf(status, 'authenticated'),
    audiences: textsOf(status, 'audiences'),
    error: textOf(status, 'error') ?? '',
    user: userOf(mapOf(memberOf(status, 'user') ?? {}, 'user')),
  }))
  const confirmed = commonAudiences(
    reported.audiences.length > 0 ? reported.audiences : apiAudiences,
    audiences,
  )
  // Not for us: the rest of the response is for others.
  if (audiences.length > 0 && confirmed.length === 0) return null
  if (reported.authenticated) {
    return { user: reported.user, audiences: audiences.length > 0 ? confirmed : null }
  }
  if (reported.error !== '') throw new CredentialError(withoutSecrets(reported.error, [token]))
  return null
}

function userOf(user: ConfigMap): AuthenticatedUser {
  const extra = mapOf(memberOf(user, 'extra') ?? {}, 'extra')
  return {
    name: textOf(user, 'username') ?? '',
    uid: textOf(user, 'uid') ?? '',
    groups: textsOf(user, 'groups'),
    extra: Object.fromEntries(Object.keys(extra).map((key) => [key, textsOf(extra, key)])),
  }
}
