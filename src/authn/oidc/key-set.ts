import {
  compactVerify,
  createLocalJWKSet,
  errors,
  type CryptoKey,
  type JSONWebKeySet,
  type LocalJWKSet,
} from 'jose'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { freshForMs } from './freshness.ts'
import { jsonOf, messageOf, type HttpsGet } from './https-get.ts'

export interface KeySetParts {
  readonly get: HttpsGet
  readonly clock: Clock
  readonly log: Log
}

// A sender of tokens with made-up keys must not make us flood the provider.
const FLOOR_MS = 10_000

/** The public keys of an issuer, fetched when a token first needs them and again when one fits none of them. */
export class KeySet {
  readonly #url: string
  readonly #parts: KeySetParts
  #keys: LocalJWKSet | null = null
  #staleAt = 0
  /** Fetching again is held back until then. */
  #waitUntil = 0
  #failure: Error | null = null
  #pending: Promise<void> | null = null

  constructor(url: string, parts: KeySetParts) {
    this.#url = url
    this.#parts = parts
  }

  /** Whether a token's signature is by one of the keys. Throws an Error when the keys cannot be fetched. */
  async verifies(token: string, algorithms: readonly string[]): Promise<boolean> {
    if (this.#keys === null) {
      await this.#first()
      return signedBy(this.#keys, token, algorithms)
    }
    if (this.#now() >= this.#staleAt) this.#refreshBehind()
    const keys = this.#keys
    if (await signedBy(keys, token, algorithms)) return true
    // Keys that came in between, for another token, are as good as those we would fetch.
    if (this.#keys === keys) await this.#again()
    return this.#keys !== keys && (await signedBy(this.#keys, token, algorithms))
  }

  async #first(): Promise<void> {
    // After a failure; a first fetch that works leaves the way open for the next.
    if (!this.#pending && this.#failure && this.#now() < this.#waitUntil) throw this.#failure
    await this.#fetch()
  }

  async #again(): Promise<void> {
    if (!this.#pending) {
      if (this.#now() < this.#waitUntil) {
        if (this.#failure) throw this.#failure
        return
      }
      this.#waitUntil = this.#now() + FLOOR_MS
    }
    await this.#fetch()
  }

  /** Known keys stay valid while the provider is called: it may be unavailable, and tokens must not depend on that. */
  #refreshBehind(): void {
    if (this.#pending || this.#now() < this.#waitUntil) return
    this.#waitUntil = this.#now() + FLOOR_MS
    this.#fetch().catch((error: unknown) => {
      this.#parts.log.warn('oidc: keys cannot be refreshed, using the previous ones', {
        cause: messageOf(error),
      })
    })
  }

  #fetch(): Promise<void> {
    this.#pending ??= this.#load().finally(() => {
      this.#pending = null
    })
    return this.#pending
  }

  async #load(): Promise<void> {
    try {
      const response = await this.#parts.get(this.#url)
      // Anything that is no set of keys is refused there.
      this.#keys = createLocalJWKSet(jsonOf(response) as JSONWebKeySet)
      this.#staleAt = this.#now() + freshForMs(response.headers)
      this.#failure = null
    } catch (error) {
      this.#failure = new Error(`fetching keys oidc: get keys failed: ${messageOf(error)}`, {
        cause: error,
      })
      this.#waitUntil = this.#now() + FLOOR_MS
      throw this.#failure
    }
  }

  #now = (): number => this.#parts.clock.now()
}

async function signedBy(
  keys: LocalJWKSet | null,
  token: string,
  algorithms: readonly string[],
): Promise<boolean> {
  if (keys === null) return false
  const options = { algorithms: [...algorithms] }
  try {
    await compactVerify(token, keys, options)
    return true
  } catch (error) {
    // Several keys fit when the token has no key ID.
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return false
    for await (const key of error as AsyncIterable<CryptoKey>) {
      const isVerified = await compactVerify(token, key, options).then(
        () => true,
        () => false,
      )
      if (isVerified) return true
    }
    return false
  }
}
