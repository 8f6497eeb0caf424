import { LRUCache } from 'lru-cache'
import { claimOf, isObject, stringOf, unverifiedClaims, type Claims } from './claims.ts'
import { isHttps, messageOf, namedUrl } from './https-get.ts'
import { Issuer } from './issuer.ts'
import type { KeySetParts } from './key-set.ts'
import { verifyToken, type TokenRules } from './verify-token.ts'

// Each takes a look-up that continues in the background; real providers need one or two.
const MOST_ISSUERS = 32

/** Fetches a claim that a token only points to (OpenID Connect Core 1.0, 5.6.2). */
export class DistributedClaims {
  readonly #parts: KeySetParts
  readonly #rules: TokenRules
  readonly #own: Issuer
  readonly #issuers = new LRUCache<string, Issuer>({
    max: MOST_ISSUERS,
    dispose: (issuer) => issuer.close(),
  })

  constructor(own: Issuer, rules: TokenRules, parts: KeySetParts) {
    this.#own = own
    this.#rules = rules
    this.#parts = parts
  }

  /** The value of a claim that `claims` has a source for; undefined when they have none. Throws an Error. */
  async find(claim: string, claims: Claims): Promise<unknown> {
    const source = sourceOf(claim, claims)
    if (source === null) return undefined
    const token = await this.#fetch(claim, source)
    const found = unverifiedClaims(token)
    const issuer = found && claimOf(found, 'iss')
    if (!found || typeof issuer !== 'string') {
      throw new Error(
        `getting untrusted issuer from endpoint ${source.named} failed for claim ${JSON.stringify(claim)}`,
      )
    }
    // Looked up repeatedly: not for an address that can never respond.
    if (!isHttps(issuer)) throw new Error(`issuer ${namedUrl(issuer)} is no https URL`)
    const { keys } = this.#issuerOf(issuer)
    if (!keys) throw new Error(`verifier not initialized for issuer: ${JSON.stringify(issuer)}`)
    try {
      await verifyToken(token, found, keys, this.#rules)
    } catch (error) {
      throw new Error(`verify distributed claim token: ${messageOf(error)}`, { cause: error })
    }
    const value = claimOf(found, claim)
    if (value === undefined) {
      throw new Error(
        `jwt returned by distributed claim endpoint ${source.named} did not contain claim: ${claim}`,
      )
    }
    return value
  }

  /** Ends look-ups. May be called twice. */
  close(): void {
    this.#issuers.clear()
  }

  async #fetch(claim: string, { endpoint, accessToken }: Source): Promise<string> {
    try {
      const { body } = await this.#parts.get(endpoint, {
        accept: 'application/jwt',
        ...(accessToken === '' ? {} : { bearer: accessToken }),
      })
      return body.trim()
    } catch (error) {
      throw new Error(
        `while getting distributed claim ${JSON.stringify(claim)}: ${messageOf(error)}`,
        { cause: error },
      )
    }
  }

  #issuerOf(url: string): Issuer {
    if (url === this.#own.url) return this.#own
    let issuer = this.#issuers.get(url)
    if (!issuer) {
      issuer = new Issuer(url, this.#parts)
      this.#issuers.set(url, issuer)
    }
    return issuer
  }
}

interface Source {
  readonly endpoint: string
  /** Without what may be secret, for messages. */
  readonly named: string
  readonly accessToken: string
}

function sourceOf(claim: string, claims: Claims): Source | null {
  const names = claimOf(claims, '_claim_names')
  if (names === undefined) return null
  if (!isObject(names)) throw new Error('error unmarshaling distributed claim names: not an object')
  const name = claimOf(names, claim)
  if (name === undefined) return null
  const sources = claimOf(claims, '_claim_sources')
  if (!isObject(sources)) throw new Error('could not parse claim sources: not an object')
  const key = stringOf(name)
  const source = claimOf(sources, key)
  if (!isObject(source)) {
    throw new Error(`id token _claim_names contained a source ${key} missing in _claims_sources`)
  }
  const endpoint = stringOf(claimOf(source, 'endpoint') ?? '')
  // An aggregated claim, which comes along in the token; not supported.
  if (endpoint === '') return null
  return {
    endpoint,
    named: namedUrl(endpoint),
    accessToken: stringOf(claimOf(source, 'access_token') ?? ''),
  }
}
