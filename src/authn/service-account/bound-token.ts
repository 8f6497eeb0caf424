import type { Clock } from '../../base/clock.ts'
import { parseTime } from '../../base/time.ts'
import { notFound } from '../../meta/errors.ts'
import type { Typed } from '../../meta/object-meta.ts'
import type { ObjectSource } from '../../catalogue/object-source.ts'
import type { ResourceName } from '../../meta/resource-name.ts'
import {
  CredentialError,
  type AuthenticationResult,
  type AuthenticationContext,
  type AuthenticatedUser,
  type TokenAuthenticator,
} from '../authenticator.ts'
import type { Claims } from '../oidc/claims.ts'
import { retryWithFreshRead } from '../fresh-read.ts'
import { accountUser, PODS, SECRETS, SERVICE_ACCOUNTS, type Account } from './account.ts'
import { confirmedAudiences, type AudienceParts } from './audiences.ts'
import { isOf, objectClaim, textClaim, timeClaim, verifiedClaims } from './jwt.ts'
import type { TokenKey } from './keys.ts'

/** An object that a token is bound to, by its claim. */
interface Reference {
  readonly name: string
  readonly uid: string
}

export interface BoundTokenParts extends AudienceParts {
  readonly clock: Clock
  readonly keys: readonly TokenKey[]
  readonly objects: ObjectSource
  /** Issuers whose tokens count; the first one signs. */
  readonly issuers: readonly string[]
}

// For clocks that differ, and for the remaining work of a pod that is ending.
const LEEWAY_MS = 60_000

/** Authenticates service accounts by tokens that end with time and with the objects they name. */
export class BoundTokens implements TokenAuthenticator {
  readonly name = 'service-account'
  readonly #parts: BoundTokenParts

  constructor(parts: BoundTokenParts) {
    this.#parts = parts
  }

  async authenticateToken(
    token: string,
    context: AuthenticationContext,
  ): Promise<AuthenticationResult> {
    const { issuers, keys, v } = this.#parts
    if (!isOf(issuers, token)) return null
    const claims = await verifiedClaims(token, keys)
    const subject = textClaim(claims, 'sub')
    const audiences = confirmedAudiences(claims, subject, context, this.#parts)
    const own = objectClaim(claims, v.resolve('{label}')) ?? {}
    const now = this.#parts.clock.now()
    checkTime(claims, now)
    const user = await retryWithFreshRead(this.#parts.objects, () => this.#check(own, now))
    this.#noteAge(own, subject, context, now)
    return { user, audiences }
  }

  async #check(own: Claims, now: number): Promise<AuthenticatedUser> {
    const namespace = textClaim(own, 'namespace')
    const account = { namespace, ...(reference(own, 'serviceaccount') ?? { name: '', uid: '' }) }
    const secret = reference(own, 'secret')
    const pod = reference(own, 'pod')
    await this.#checkAccount(account, now)
    if (secret) await this.#checkBound(SECRETS, namespace, secret, now)
    if (pod) await this.#checkBound(PODS, namespace, pod, now)
    if (!pod) return accountUser(account)
    const { v } = this.#parts
    return accountUser(account, {
      [v.resolve('authentication.{label}/pod-name')]: [pod.name],
      [v.resolve('authentication.{label}/pod-uid')]: [pod.uid],
    })
  }

  async #checkAccount({ namespace, name, uid }: Account, now: number): Promise<void> {
    const account = await this.#parts.objects.get(SERVICE_ACCOUNTS, namespace, name)
    if (!account) throw new CredentialError(notFound(SERVICE_ACCOUNTS, name).message)
    if (isDeleted(account, now)) {
      throw new CredentialError(`service account ${namespace}/${name} has been deleted`)
    }
    if (account.metadata.uid !== uid) {
      throw new CredentialError(
        `service account UID (${account.metadata.uid ?? ''}) does not match claim (${uid})`,
      )
    }
  }

  async #checkBound(
    resource: ResourceName,
    namespace: string,
    { name, uid }: Reference,
    now: number,
  ): Promise<void> {
    const object = await this.#parts.objects.get(resource, namespace, name)
    if (!object || isDeleted(object, now)) {
      throw new CredentialError('service account token has been invalidated')
    }
    if (object.metadata.uid !== uid) {
      const called = resource === PODS ? 'pod' : 'secret'
      throw new CredentialError(
        `${called} UID (${object.metadata.uid ?? ''}) does not match service account ${called} ref claim (${uid})`,
      )
    }
  }

  /** A program that still uses a token after it should have fetched a new one is reported, not refused. */
  #noteAge(own: Claims, subject: string, context: AuthenticationContext, now: number): void {
    const { v, count } = this.#parts
    const warnAfter = timeClaim(own, 'warnafter')
    if (!warnAfter || now <= warnAfter) return count('valid')
    const seconds = Math.floor((now - warnAfter) / 1000)
    context.annotate(
      v.resolve('authentication{api}/stale-token'),
      `subject: ${subject}, seconds after warning threshold: ${seconds}`,
    )
    count('stale')
  }
}

/** Throws CredentialError for a token whose time is over, or not yet come. */
function checkTime(claims: Claims, now: number): void {
  if (now - LEEWAY_MS > (timeClaim(claims, 'exp') ?? 0)) {
    throw new CredentialError('service account token has expired')
  }
  if (now + LEEWAY_MS < (timeClaim(claims, 'nbf') ?? 0)) {
    throw new CredentialError('service account token is not valid yet')
  }
}

function reference(own: Claims, claim: string): Reference | null {
  const value = objectClaim(own, claim)
  return value && { name: textClaim(value, 'name'), uid: textClaim(value, 'uid') }
}

// The time lies in the future by the grace period that the object was given.
function isDeleted({ metadata: { deletionTimestamp } }: Typed, now: number): boolean {
  return deletionTimestamp !== undefined && parseTime(deletionTimestamp) < now - LEEWAY_MS
}
