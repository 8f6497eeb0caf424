import type { TokenAuthenticator } from './authenticator.ts'
import { firstResult } from './first-result.ts'

/** Calls them in order; errors of earlier ones count only when no later one knows the token. */
export function tokenUnion(members: readonly TokenAuthenticator[]): TokenAuthenticator {
  return {
    name: 'token union',
    authenticateToken: (token, context) =>
      firstResult(members, (member) => member.authenticateToken(token, context)),
  }
}
