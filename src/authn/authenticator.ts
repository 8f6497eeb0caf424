import type { IncomingHttpHeaders } from 'node:http'
import type { TLSSocket } from 'node:tls'

/** The user that a request is made by. */
export interface AuthenticatedUser {
  readonly name: string
  /** Empty when the authenticator knows none. */
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** Result of an authenticator: a user it vouches for. */
export interface Authenticated {
  readonly user: AuthenticatedUser
  /** Audiences that the credential was found good for; null when the authenticator knows of none. */
  readonly audiences: readonly string[] | null
}

/**
 * Result of one authenticator: a user, or null for "not mine". A credential that is its own and does not hold is
 * an error: it throws {@link CredentialError}.
 */
export type AuthenticationResult = Authenticated | null

/** A credential that does not hold. Its text goes into the log and into TokenReview: never the token itself. */
export class CredentialError extends Error {}

/** Context of an authentication. */
export interface AuthenticationContext {
  /** Audiences that one of must be met; empty: whatever the server's own are. */
  readonly audiences: readonly string[]
  /** Adds to the audit record of the request. */
  readonly annotate: (key: string, value: string) => void
  /** Adds a `Warning` header. */
  readonly warn: (text: string) => void
}

/** What is kept of a token. */
export interface TokenMemory {
  /** Of a token that was found good; null: nothing. Only the authenticator that wrote it reads it. */
  token: object | null
}

/** The headers in which a request had credentials: none, only `Authorization`, or any others as well. */
export type CredentialHeaders = 'none' | 'authorization' | 'others'

/** What is kept for requests with exactly the same headers, but for the length of the body, over one connection. */
export class RequestMemory implements TokenMemory {
  token: object | null = null
  /** What was taken out of the headers; null: no user was found yet. */
  credentials: CredentialHeaders | null = null
  /** Whether the headers may ask for an impersonation; null: they were not checked, or not found right. */
  mayImpersonate: boolean | null = null
}

/** Authenticates users by bearer tokens. */
export interface TokenAuthenticator {
  readonly name: string
  /** `memory`: that of the headers with this token, if there is one. */
  authenticateToken(
    token: string,
    context: AuthenticationContext,
    memory?: TokenMemory | null,
  ): AuthenticationResult | Promise<AuthenticationResult>
  /** The result for the token of such headers, as long as it holds; null: it has to be authenticated. */
  recall?(memory: TokenMemory, context: AuthenticationContext): AuthenticationResult
}

/** The headers of a request; credentials are taken out of them when they have been used. */
export interface RequestHeaders {
  readonly headers: IncomingHttpHeaders
  /**
   * Alternating names and values, as sent. `headers` joins repeated ones, so that two groups look like one with a comma
   * in its name; without this list they are taken for just that.
   */
  readonly rawHeaders?: readonly string[]
}

/** The parts of a request that identify its user. */
export interface Credentials extends RequestHeaders {
  readonly socket: TLSSocket
  /** Null, or absent: the headers are new on their connection. */
  readonly memory?: RequestMemory | null
}

/** Authenticates users by anything else in a request. */
export interface RequestAuthenticator {
  readonly name: string
  authenticateRequest(
    request: Credentials,
    context: AuthenticationContext,
  ): AuthenticationResult | Promise<AuthenticationResult>
  /** The user of the connection, as long as what was found out about it holds; null: the request has to be authenticated. */
  recall?(request: Credentials): AuthenticationResult
  /** Whether it has nothing to say about any request of the connection, whatever its headers are. */
  ignores?(request: Credentials): boolean
}
