import type { Clock } from '../../base/clock.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { accountUserName, type Account } from './account.ts'
import { sign } from './jwt.ts'
import type { TokenKey } from './keys.ts'
import { legacyClaims, legacyIssuer } from './legacy-token.ts'

/** An object that a token ends with. */
export interface BoundObject {
  readonly kind: 'Pod' | 'Secret'
  readonly name: string
  readonly uid: string
}

/** Contents of a token. */
export interface TokenOrder {
  readonly account: Account
  /** Its audiences; this server when empty. */
  readonly audiences: readonly string[]
  readonly expirationSeconds: number
  readonly boundObject: BoundObject | null
}

/** A token, with the values that were granted. */
export interface IssuedToken {
  readonly token: string
  readonly audiences: readonly string[]
  /** Life of the token that the client sees, seconds. */
  readonly expirationSeconds: number
  /** End of that life, milliseconds since the epoch. */
  readonly expiresAt: number
  /** Warnings for the client. */
  readonly warnings: readonly string[]
}

export interface IssuerParts {
  readonly v: Vocabulary
  readonly clock: Clock
  readonly key: TokenKey
  readonly issuer: string
  readonly apiAudiences: readonly string[]
  /** Longest life of a token, seconds; 0 for no bound. */
  readonly maxExpirationSeconds: number
  /** Whether tokens for pods are good for longer than they say. */
  readonly extend: boolean
}

/** The life that is requested on behalf of pods; clients choose the number, so it identifies them. */
const POD_TOKEN_SECONDS = 3607
/** For programs in pods that never read their token again. */
const EXTENDED_SECONDS = 31_536_000

/** Signs tokens of service accounts. */
export class TokenIssuer {
  readonly #parts: IssuerParts

  constructor(parts: IssuerParts) {
    this.#parts = parts
  }

  /** Audiences of a token that is ordered without. */
  get audiences(): readonly string[] {
    return this.#parts.apiAudiences
  }

  async issue(order: TokenOrder): Promise<IssuedToken> {
    const { v, clock, key, issuer, maxExpirationSeconds: most } = this.#parts
    const { account, boundObject } = order
    const audiences = order.audiences.length > 0 ? order.audiences : this.audiences
    const isShortened = most > 0 && order.expirationSeconds > most
    const expirationSeconds = isShortened ? most : order.expirationSeconds
    const isExtended = this.#extends(audiences, expirationSeconds, boundObject)
    const now = Math.floor(clock.now() / 1000)
    const token = await sign(
      {
        aud: audiences,
        exp: now + (isExtended ? EXTENDED_SECONDS : expirationSeconds),
        iat: now,
        iss: issuer,
        [v.resolve('{label}')]: {
          namespace: account.namespace,
          ...(boundObject
            ? {
                [boundObject.kind === 'Pod' ? 'pod' : 'secret']: {
                  name: boundObject.name,
                  uid: boundObject.uid,
                },
              }
            : {}),
          serviceaccount: { name: account.name, uid: account.uid },
          ...(isExtended ? { warnafter: now + expirationSeconds } : {}),
        },
        nbf: now,
        sub: accountUserName(account.namespace, account.name),
      },
      key,
    )
    return {
      token,
      audiences,
      expirationSeconds,
      expiresAt: (now + expirationSeconds) * 1000,
      warnings: isShortened
        ? [
            `requested expiration of ${order.expirationSeconds} seconds shortened to ${most} seconds`,
          ]
        : [],
    }
  }

  /** A token for a secret, without an end. */
  issueLegacy({ namespace, name, uid }: Account, secret: string): Promise<string> {
    const { v, key } = this.#parts
    const names = legacyClaims(v)
    return sign(
      {
        iss: legacyIssuer(v),
        [names.namespace]: namespace,
        [names.secret]: secret,
        [names.name]: name,
        [names.uid]: uid,
        sub: accountUserName(namespace, name),
      },
      key,
    )
  }

  #extends(
    audiences: readonly string[],
    expirationSeconds: number,
    boundObject: BoundObject | null,
  ): boolean {
    const { extend, apiAudiences } = this.#parts
    return (
      extend &&
      boundObject?.kind === 'Pod' &&
      expirationSeconds === POD_TOKEN_SECONDS &&
      audiences.every((audience) => apiAudiences.includes(audience))
    )
  }
}
