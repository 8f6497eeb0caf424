import type { Requester } from '../catalogue/resource.ts'

/** What a token of a service account is to say. */
export interface TokenOrder {
  readonly account: { readonly namespace: string; readonly name: string; readonly uid: string }
  readonly audiences: readonly string[]
  readonly expirationSeconds: number
  /** Object that the token ends with. */
  readonly boundObject: {
    readonly kind: 'Pod' | 'Secret'
    readonly name: string
    readonly uid: string
  } | null
}

/** Signs tokens of service accounts. */
export interface TokenSigner {
  /** Audiences of a token that is ordered without. */
  readonly audiences: readonly string[]
  issue(order: TokenOrder): Promise<{
    readonly token: string
    /** Seconds that it is said to be good for, which may be fewer than ordered. */
    readonly expirationSeconds: number
    /** Milliseconds since the epoch. */
    readonly expiresAt: number
    readonly warnings: readonly string[]
  }>
}

/** Whose a token is, with the audiences it was found good for; or why that could not be told. */
export type TokenFinding =
  | { readonly user: Requester; readonly audiences: readonly string[] | null }
  | { readonly error: string }
