import { claimOf, isObject } from './claims.ts'
import { isHttps, jsonOf, messageOf } from './https-get.ts'
import { KeySet, type KeySetParts } from './key-set.ts'

const RETRY_MS = 10_000

/** An issuer of tokens, looked up in the background until it responds (OpenID Connect Discovery 1.0). */
export class Issuer {
  readonly url: string
  readonly #parts: KeySetParts
  #keys: KeySet | null = null
  #cancel: () => void = () => {}
  #closed = false

  /** Starts to look the issuer up. */
  constructor(url: string, parts: KeySetParts) {
    this.url = url
    this.#parts = parts
    void this.#discover()
  }

  /** Its keys; null until it has been found. */
  get keys(): KeySet | null {
    return this.#keys
  }

  /** Ends the look-up. May be called twice. */
  close(): void {
    this.#closed = true
    this.#cancel()
  }

  async #discover(): Promise<void> {
    try {
      this.#keys = new KeySet(await this.#keysUrl(), this.#parts)
      this.#parts.log.info('oidc: provider configuration loaded', { issuer: this.url })
    } catch (error) {
      if (this.#closed) return
      this.#parts.log.error(`oidc: issuer not found, trying again in ${RETRY_MS / 1000} s`, {
        issuer: this.url,
        cause: messageOf(error),
      })
      this.#cancel = this.#parts.clock.after(RETRY_MS, () => void this.#discover())
    }
  }

  async #keysUrl(): Promise<string> {
    const response = await this.#parts.get(
      `${this.url.replace(/\/$/, '')}/.well-known/openid-configuration`,
    )
    const document = jsonOf(response)
    if (!isObject(document)) throw new Error('discovery document is no object')
    const issuer = claimOf(document, 'issuer')
    if (issuer !== this.url) {
      const [expected, got] = [this.url, issuer].map((each) => JSON.stringify(each))
      throw new Error(
        `oidc: issuer did not match the issuer returned by provider, expected ${expected} got ${got}`,
      )
    }
    const url = claimOf(document, 'jwks_uri')
    if (typeof url !== 'string' || !isHttps(url)) {
      throw new Error('discovery document has no jwks_uri with https')
    }
    return url
  }
}
