import type { OidcOptions } from '../../authn/oidc/options.ts'

/**
 * Options of the authenticators; absent ones have the defaults of a standalone server. Files are PEM unless stated
 * otherwise.
 */
export interface AuthenticationOptions {
  /** Whether requests without a credential are allowed as the anonymous user; they are by default. */
  readonly anonymous?: boolean
  /** Authorities of client certificates, beside the server's own; reloaded when the file changes. */
  readonly clientCaFile?: string
  /** Tokens with their users: rows of token, name, uid and quoted groups. */
  readonly tokenAuthFile?: string
  /** Whether secrets may hold tokens for joining machines; they may by default. */
  readonly bootstrapTokens?: boolean
  /** Audiences that tokens may have; the issuers of service account tokens by default. */
  readonly apiAudiences?: readonly string[]
  readonly serviceAccounts?: ServiceAccountFiles
  /** An identity provider whose tokens are accepted. */
  readonly oidc?: OidcOptions
  /** A webhook that authenticates tokens. */
  readonly webhook?: {
    /** Client configuration, YAML. */
    readonly configFile: string
    readonly version?: string
    /** Milliseconds that its results are cached; 2 minutes by default. */
    readonly cacheTtlMs?: number
  }
  /** An authenticating proxy, which passes on the user of a request in headers. */
  readonly requestHeader?: {
    /** Authorities of the proxy's certificate. */
    readonly clientCaFile: string
    /** Common names that it may have; any by default. */
    readonly allowedNames?: readonly string[]
    readonly usernameHeaders?: readonly string[]
    readonly groupHeaders?: readonly string[]
    readonly extraHeaderPrefixes?: readonly string[]
  }
}

/** How tokens of service accounts are signed and verified; with keys of the server's own by default. */
export interface ServiceAccountFiles {
  /** The first signs, all are taken. */
  readonly issuers?: readonly string[]
  readonly keyFiles?: readonly string[]
  readonly signingKeyFile?: string
  readonly jwksUri?: string
  /** Whether tokens in secrets end with their secret and account; they do by default. */
  readonly lookup?: boolean
  /** Seconds; 0 for no bound. */
  readonly maxExpirationSeconds?: number
  readonly extendExpiration?: boolean
}
