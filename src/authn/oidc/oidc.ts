import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import {
  CredentialError,
  type AuthenticationResult,
  type TokenAuthenticator,
} from '../authenticator.ts'
import { claimOf, unverifiedClaims, type Claims } from './claims.ts'
import { DistributedClaims } from './distributed-claims.ts'
import { httpsGet, messageOf } from './https-get.ts'
import { Issuer } from './issuer.ts'
import {
  checkOidcOptions,
  claimRules,
  signingAlgorithms,
  type ClaimRules,
  type OidcOptions,
} from './options.ts'
import { trustedRoots } from './trusted-roots.ts'
import { userOf } from './user-of.ts'
import { verifyToken, type TokenRules } from './verify-token.ts'

export interface OidcParts {
  readonly clock: Clock
  readonly log: Log
}

/**
 * Starts to accept tokens of an identity provider. Throws an Error about options that cannot work; a
 * provider that does not respond is no error: the look-up is retried in the background.
 */
export async function openOidc(options: OidcOptions, parts: OidcParts): Promise<OidcAuthenticator> {
  const [problem] = checkOidcOptions(options)
  if (problem !== undefined) throw new Error(problem)
  return new OidcAuthenticator(options, await trustedRoots(options), parts)
}

/** Authenticates users by ID tokens of one issuer. */
export class OidcAuthenticator implements TokenAuthenticator {
  readonly name = 'oidc'
  readonly #issuer: Issuer
  readonly #rules: TokenRules
  readonly #claimRules: ClaimRules
  readonly #distributed: DistributedClaims
  readonly #ending = new AbortController()

  constructor(options: OidcOptions, ca: string | readonly string[], { clock, log }: OidcParts) {
    const get = httpsGet({ ca, clock, signal: this.#ending.signal })
    const parts = { get, clock, log }
    this.#rules = { clientId: options.clientId, algorithms: signingAlgorithms(options), clock }
    this.#claimRules = claimRules(options)
    this.#issuer = new Issuer(options.issuerUrl, parts)
    this.#distributed = new DistributedClaims(this.#issuer, this.#rules, parts)
  }

  async authenticateToken(token: string): Promise<AuthenticationResult> {
    const claims = unverifiedClaims(token)
    if (!claims || claimOf(claims, 'iss') !== this.#issuer.url) return null
    try {
      await this.#verify(token, claims)
      const groups = await this.#groupsOf(claims)
      return { user: userOf(claims, groups, this.#claimRules), audiences: null }
    } catch (error) {
      throw new CredentialError(messageOf(error), { cause: error })
    }
  }

  /** Aborts requests under way. May be called twice. */
  close(): void {
    this.#issuer.close()
    this.#distributed.close()
    this.#ending.abort()
  }

  async #verify(token: string, claims: Claims): Promise<void> {
    const { keys } = this.#issuer
    if (!keys) throw new Error('oidc: authenticator not initialized')
    try {
      await verifyToken(token, claims, keys, this.#rules)
    } catch (error) {
      throw new Error(`oidc: verify token: ${messageOf(error)}`, { cause: error })
    }
  }

  async #groupsOf(claims: Claims): Promise<unknown> {
    const { groupsClaim } = this.#claimRules
    if (groupsClaim === '') return undefined
    const own = claimOf(claims, groupsClaim)
    if (own !== undefined) return own
    try {
      return await this.#distributed.find(groupsClaim, claims)
    } catch (error) {
      throw new Error(`oidc: could not expand distributed claims: ${messageOf(error)}`, {
        cause: error,
      })
    }
  }
}
