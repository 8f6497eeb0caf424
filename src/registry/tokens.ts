import type { Requester } from '../catalogue/resource.ts'

/** Content of a requested service account token. */
export interface TokenOrder {
  readonly account: { readonly namespace: string; readonly name: string; readonly uid: string }
  readonly audiences: readonly string[]
  readonly expirationSeconds: number
  /** Object that the token is bound to. */
  readonly boundObject: {
    readonly kind: 'Pod' | 'Secret'
    readonly name: string
    readonly uid: string
  } | null
}

/** Signs tokens of service accounts. */
export interface TokenSigner {
  /** Default audiences of a token. */
  readonly audiences: readonly string[]
  issue(order: TokenOrder): Promise<{
    readonly token: string
    /** Reported lifetime in seconds, which may be shorter than requested. */
    readonly expirationSeconds: number
    /** Milliseconds since the epoch. */
    readonly expiresAt: number
    readonly warnings: readonly string[]
  }>
}

/** The user of a token, with the audiences that it is valid for; or why it could not be authenticated. */
export type TokenFinding =
  | { readonly user: Requester; readonly audiences: readonly string[] | null }
  | { readonly error: string }
