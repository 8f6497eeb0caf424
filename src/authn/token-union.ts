import type { TokenAuthenticator } from './authenticator.ts'
import { firstAnswer } from './first-result.ts'

/** Calls them in order; errors of earlier ones count only when no later one knows the token. */
export function tokenUnion(members: readonly TokenAuthenticator[]): TokenAuthenticator {
  return {
    name: 'token union',
    authenticateToken: (token, asking) =>
      firstAnswer(members, (member) => member.authenticateToken(token, asking)),
  }
}
