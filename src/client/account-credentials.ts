import type { Clock } from '../base/clock.ts'
import type { Client } from './client.ts'
import type { CredentialSource } from './credentials.ts'
import type { ShownCredentials } from './standing-credentials.ts'
import { isNotFound } from './resource-client.ts'

/** Accounts whose tokens are requested, and the client that requests them. */
export interface AccountCredentialsOptions {
  /** May create accounts and request their tokens. */
  readonly client: Client
  readonly namespace: string
  readonly name: string
  readonly clock: Clock
}

const ACCOUNTS = { group: '', version: 'v1', resource: 'serviceaccounts' }
const SECONDS = 3600
/** A new token is requested when this part of the lifetime has passed. */
const RENEW_SHARE = 0.8

interface TokenAnswer {
  readonly status: { readonly token: string; readonly expirationTimestamp: string }
}

/** Shows tokens of a service account, which is made when it is missing. */
export class AccountCredentials implements CredentialSource {
  readonly #options: AccountCredentialsOptions
  #token: Promise<string> | null = null
  #renewAt = 0

  constructor(options: AccountCredentialsOptions) {
    this.#options = options
  }

  async current(): Promise<ShownCredentials> {
    if (this.#token === null || this.#options.clock.now() >= this.#renewAt) {
      this.#renewAt = Infinity
      const asking = this.#ask()
      this.#token = asking
      asking.catch(() => {
        if (this.#token === asking) this.#token = null
      })
    }
    const token = await this.#token
    return { headers: { authorization: `Bearer ${token}` }, secrets: [token] }
  }

  rejected(): void {
    this.#token = null
  }

  async #ask(): Promise<string> {
    const { client, namespace, name, clock } = this.#options
    const accounts = client.resource(ACCOUNTS).in(namespace)
    const order = { spec: { audiences: [], expirationSeconds: SECONDS } }
    const ask = () => accounts.sub('token').create<TokenAnswer>(name, order)
    let answer: TokenAnswer
    try {
      answer = await ask()
    } catch (error) {
      if (!isNotFound(error)) throw error
      await accounts.create({ metadata: { name } })
      answer = await ask()
    }
    const lifeMs = Date.parse(answer.status.expirationTimestamp) - clock.now()
    this.#renewAt = clock.now() + Math.max(lifeMs * RENEW_SHARE, 0)
    return answer.status.token
  }
}
