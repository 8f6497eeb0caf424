import type { TokenAuthenticator } from './authenticator.ts'
import { sameSecret } from './secret-digest.ts'

/** The server as a client of itself. */
export interface LoopbackOptions {
  /** Random, a new one at each start. */
  readonly token: string
  readonly uid: string
}

/** Knows the server's own token, if it has one. */
export function loopbackToken(options?: LoopbackOptions): TokenAuthenticator {
  const result = options && {
    user: {
      name: 'system:apiserver',
      uid: options.uid,
      groups: ['system:masters'],
      extra: {},
    },
    audiences: null,
  }
  return {
    name: 'loopback token',
    authenticateToken: (token) =>
      result && options.token !== '' && sameSecret(token, options.token) ? result : null,
  }
}
