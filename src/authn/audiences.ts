import {
  CredentialError,
  type AuthenticationResult,
  type AuthenticationContext,
  type Authenticated,
  type RequestAuthenticator,
  type TokenAuthenticator,
} from './authenticator.ts'
import { thenResult } from './first-result.ts'

/** The wanted audiences that are among `known`, in the order wanted. */
export const commonAudiences = (
  known: readonly string[],
  wanted: readonly string[],
): readonly string[] => wanted.filter((audience) => known.includes(audience))

/** An authenticator that knows nothing of audiences: its credentials are good for the server's own ones. */
export function tokenForServer(
  own: readonly string[],
  inner: TokenAuthenticator,
): TokenAuthenticator {
  return {
    name: inner.name,
    authenticateToken: (token, context) =>
      forServer(own, context, () => inner.authenticateToken(token, context)),
  }
}

/** See {@link tokenForServer}. */
export function requestForServer(
  own: readonly string[],
  inner: RequestAuthenticator,
): RequestAuthenticator {
  return {
    name: inner.name,
    authenticateRequest: (request, context) =>
      forServer(own, context, () => inner.authenticateRequest(request, context)),
  }
}

function forServer(
  own: readonly string[],
  context: AuthenticationContext,
  authenticate: () => AuthenticationResult | Promise<AuthenticationResult>,
): AuthenticationResult | Promise<AuthenticationResult> {
  if (context.audiences.length === 0) return authenticate()
  const audiences = commonAudiences(own, context.audiences)
  if (audiences.length === 0) return null
  return thenResult(authenticate(), (answer) => answer && withAudiences(answer, audiences))
}

function withAudiences(answer: Authenticated, audiences: readonly string[]): Authenticated {
  if (answer.audiences !== null && answer.audiences.length > 0) {
    throw new CredentialError(
      `an authenticator without audiences answered with some: ${JSON.stringify(answer.audiences)}`,
    )
  }
  return { user: answer.user, audiences }
}
