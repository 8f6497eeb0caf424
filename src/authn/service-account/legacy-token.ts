import type { Secret } from '../../kinds/core/secret.ts'
import { notFound } from '../../meta/errors.ts'
import { isDns1123Label, isDns1123Subdomain } from '../../meta/names.ts'
import type { ObjectSource } from '../../catalogue/object-source.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import {
  CredentialError,
  type AuthenticationResult,
  type AuthenticationContext,
  type TokenAuthenticator,
} from '../authenticator.ts'
import type { Claims } from '../oidc/claims.ts'
import { retryWithFreshRead } from '../fresh-read.ts'
import { sameSecret } from '../secret-digest.ts'
import { accountUser, accountUserName, SECRETS, SERVICE_ACCOUNTS, type Account } from './account.ts'
import { confirmedAudiences, type AudienceParts } from './audiences.ts'
import { isOf, textClaim, verifiedClaims } from './jwt.ts'
import type { TokenKey } from './keys.ts'

/** Issuer that tokens in secrets name. */
export const legacyIssuer = (v: Vocabulary): string => v.resolve('{brand}/serviceaccount')

/** Names of the claims that tokens in secrets have beside those of every token. */
export const legacyClaims = (v: Vocabulary) => ({
  namespace: v.resolve('{label}/serviceaccount/namespace'),
  secret: v.resolve('{label}/serviceaccount/secret.name'),
  name: v.resolve('{label}/serviceaccount/service-account.name'),
  uid: v.resolve('{label}/serviceaccount/service-account.uid'),
})

export interface LegacyTokenParts extends AudienceParts {
  readonly keys: readonly TokenKey[]
  readonly objects: ObjectSource
  /** Whether a token ends with its secret and its account; without, it is good as long as its key. */
  readonly lookup: boolean
}

/** Authenticates service accounts by the tokens in their secrets, which do not expire. */
export class LegacyTokens implements TokenAuthenticator {
  readonly name = 'legacy-service-account'
  readonly #parts: LegacyTokenParts
  readonly #issuers: readonly string[]

  constructor(parts: LegacyTokenParts) {
    this.#parts = parts
    this.#issuers = [legacyIssuer(parts.v)]
  }

  async authenticateToken(
    token: string,
    context: AuthenticationContext,
  ): Promise<AuthenticationResult> {
    if (!isOf(this.#issuers, token)) return null
    const claims = await verifiedClaims(token, this.#parts.keys)
    const audiences = confirmedAudiences(claims, textClaim(claims, 'sub'), context, this.#parts)
    const { secret, ...account } = this.#read(claims)
    if (this.#parts.lookup) {
      await retryWithFreshRead(this.#parts.objects, async () => {
        await this.#checkSecret(token, account.namespace, secret)
        await this.#checkAccount(account)
      })
    }
    return { user: accountUser(account), audiences }
  }

  #read(claims: Claims): Account & { readonly secret: string } {
    const names = legacyClaims(this.#parts.v)
    const take = (claim: string, called: string): string => {
      const value = textClaim(claims, claim)
      if (value === '') throw new CredentialError(`${called} claim is missing`)
      return value
    }
    const sub = take('sub', 'sub')
    const namespace = take(names.namespace, 'namespace')
    const secret = take(names.secret, 'secretName')
    const name = take(names.name, 'serviceAccountName')
    const uid = take(names.uid, 'serviceAccountUID')
    // Names of another form could make a user out of parts of two names.
    const areNames = isDns1123Label(namespace).length === 0 && isDns1123Subdomain(name).length === 0
    if (!areNames || sub !== accountUserName(namespace, name)) {
      throw new CredentialError('sub claim is invalid')
    }
    return { namespace, name, uid, secret }
  }

  async #checkSecret(token: string, namespace: string, name: string): Promise<void> {
    const secret = await this.#parts.objects.get<Secret>(SECRETS, namespace, name)
    if (!secret || secret.metadata.deletionTimestamp !== undefined) {
      throw new CredentialError('Token has been invalidated')
    }
    const stored = Buffer.from(secret.data?.['token'] ?? '', 'base64').toString('utf8')
    if (!sameSecret(stored, token)) {
      throw new CredentialError("Token does not match server's copy")
    }
  }

  async #checkAccount({ namespace, name, uid }: Account): Promise<void> {
    const account = await this.#parts.objects.get(SERVICE_ACCOUNTS, namespace, name)
    if (!account) throw new CredentialError(notFound(SERVICE_ACCOUNTS, name).message)
    if (account.metadata.deletionTimestamp !== undefined) {
      throw new CredentialError(`ServiceAccount ${namespace}/${name} has been deleted`)
    }
    if (account.metadata.uid !== uid) {
      throw new CredentialError(
        `ServiceAccount UID (${account.metadata.uid ?? ''}) does not match claim (${uid})`,
      )
    }
  }
}
