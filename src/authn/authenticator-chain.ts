import type { Clock } from '../base/clock.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { anonymous } from './anonymous.ts'
import { commonAudiences, requestForServer, tokenForServer } from './audiences.ts'
import {
  CredentialError,
  type AuthenticationResult,
  type AuthenticationContext,
  type Credentials,
  type RequestAuthenticator,
  type RequestHeaders,
  type TokenAuthenticator,
} from './authenticator.ts'
import { bearer, ownTokenFirst } from './bearer.ts'
import { credentialRemoval, removeAuthorization } from './credential-removal.ts'
import { loopbackToken, type LoopbackOptions } from './loopback-token.ts'
import type { RequestHeaderNames } from './request-header.ts'
import { complete, requestUnion, unlessFailed, withAuthenticatedGroup } from './request-union.ts'
import { tokenCache, type TokenCacheMetrics } from './token-cache.ts'
import { tokenUnion } from './token-union.ts'
import { websocketToken } from './websocket-token.ts'

/** The authenticators; absent ones are off. Called in the order of the members. */
export interface ChainOptions {
  readonly v: Vocabulary
  readonly clock: Clock
  /** Audiences that tokens may be meant for. */
  readonly apiAudiences: readonly string[]
  /** The server's own token. */
  readonly loopback?: LoopbackOptions
  readonly requestHeader?: {
    readonly authenticator: RequestAuthenticator
    /** Removed from every request whose user is known. */
    readonly names: RequestHeaderNames
  }
  readonly clientCertificate?: RequestAuthenticator
  readonly tokens?: {
    readonly file?: TokenAuthenticator
    /** Those of secrets before those bound to objects. */
    readonly serviceAccounts?: readonly TokenAuthenticator[]
    readonly bootstrap?: TokenAuthenticator
    readonly oidc?: TokenAuthenticator
    readonly webhook?: TokenAuthenticator
  }
  readonly tokenCacheMetrics?: TokenCacheMetrics
  /** Whether requests without a credential have a user. */
  readonly anonymous: boolean
}

/** Determines the user of a request. */
export interface AuthenticationChain {
  /**
   * The user of a request. Null, and a thrown {@link CredentialError}, mean 401; the text is for the log. Without a
   * promise whenever no look-up was needed.
   */
  authenticate(
    request: Credentials,
    context: AuthenticationContext,
  ): AuthenticationResult | Promise<AuthenticationResult>
  /** The user of a token, as if a request had it and nothing else. */
  authenticateToken(
    token: string,
    context: AuthenticationContext,
  ): AuthenticationResult | Promise<AuthenticationResult>
  /** Takes the credentials out of a request whose user is known. */
  removeCredentials(request: RequestHeaders & Pick<Credentials, 'memory'>): void
}

/** Puts the authenticators in their order. */
export function authenticationChain(options: ChainOptions): AuthenticationChain {
  const { v, apiAudiences, requestHeader, clientCertificate } = options
  const tokens = tokenCache(tokenUnion(tokenMembers(options)), {
    clock: options.clock,
    ...(options.tokenCacheMetrics ? { metrics: options.tokenCacheMetrics } : {}),
  })
  const own = options.loopback
    ? tokenForServer(apiAudiences, loopbackToken(options.loopback))
    : null
  const fullChain = (members: readonly RequestAuthenticator[]) => {
    const known = withAuthenticatedGroup(requestUnion(members))
    const all = options.anonymous ? unlessFailed(known, anonymous) : known
    return ownTokenFirst(own, all)
  }
  const forRequests = fullChain([
    ...(requestHeader ? [requestForServer(apiAudiences, requestHeader.authenticator)] : []),
    ...(clientCertificate ? [clientCertificate] : []),
    bearer(tokens),
    websocketToken(tokens, v),
  ])
  const forTokens = fullChain([bearer(tokens)])

  const withAudiences = (context: AuthenticationContext): AuthenticationContext =>
    context.audiences.length > 0 || apiAudiences.length === 0
      ? context
      : new WithAudiences(apiAudiences, context)

  const checked = (
    result: AuthenticationResult,
    wanted: readonly string[],
  ): AuthenticationResult => {
    const got = result?.audiences
    if (got && got.length > 0 && wanted.length > 0 && commonAudiences(got, wanted).length === 0) {
      throw new CredentialError(
        `unable to match the audience: wanted ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`,
      )
    }
    return result
  }

  const byConnection = [requestHeader?.authenticator, clientCertificate].filter(
    (one) => one !== undefined,
  )
  /** The user of headers that had one before, where no other authenticator could decide; null: all have to be asked. */
  const recalled = (request: Credentials, context: AuthenticationContext): AuthenticationResult => {
    const { memory } = request
    if (!memory) return null
    if (memory.credentials === 'none') return clientCertificate?.recall?.(request) ?? null
    if (memory.credentials !== 'authorization' || memory.token === null) return null
    const isAlone = byConnection.every((one) => one.ignores?.(request) === true)
    return isAlone ? (tokens.recall?.(memory, context) ?? null) : null
  }
  const remove = credentialRemoval(v, requestHeader?.names)

  return {
    authenticate(request, context) {
      const full = withAudiences(context)
      const known = recalled(request, full)
      if (known) return checked(complete(known), full.audiences)
      const result = forRequests.authenticateRequest(request, full)
      return result instanceof Promise
        ? result.then((found) => checked(found, full.audiences))
        : checked(result, full.audiences)
    },
    authenticateToken: (token, context) =>
      forTokens.authenticateRequest(requestWith(token), withAudiences(context)),
    removeCredentials(request) {
      const { memory } = request
      if (memory?.credentials === 'none') return
      if (memory?.credentials === 'authorization') return void removeAuthorization(request.headers)
      const found = remove(request)
      if (memory) memory.credentials = found
    },
  }
}

/** A context with other audiences. */
class WithAudiences implements AuthenticationContext {
  readonly audiences: readonly string[]
  readonly #inner: AuthenticationContext

  constructor(audiences: readonly string[], inner: AuthenticationContext) {
    this.audiences = audiences
    this.#inner = inner
  }

  annotate(key: string, value: string): void {
    this.#inner.annotate(key, value)
  }

  warn(text: string): void {
    this.#inner.warn(text)
  }
}

/** Only the bearer token is checked: there is no connection to look at. */
const requestWith = (token: string): Credentials =>
  ({ headers: { authorization: `Bearer ${token}` } }) as unknown as Credentials

function tokenMembers({ apiAudiences, tokens = {} }: ChainOptions): TokenAuthenticator[] {
  const own = (inner: TokenAuthenticator | undefined) =>
    inner ? [tokenForServer(apiAudiences, inner)] : []
  return [
    ...own(tokens.file),
    ...(tokens.serviceAccounts ?? []),
    ...own(tokens.bootstrap),
    ...own(tokens.oidc),
    ...(tokens.webhook ? [tokens.webhook] : []),
  ]
}
