import {
  CredentialError,
  type Answered,
  type Asking,
  type Authenticated,
  type RequestAuthenticator,
  type TokenAuthenticator,
} from './authenticator.ts'
import { after } from './first-result.ts'

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
    authenticateToken: (token, asking) =>
      forServer(own, asking, () => inner.authenticateToken(token, asking)),
  }
}

/** See {@link tokenForServer}. */
export function requestForServer(
  own: readonly string[],
  inner: RequestAuthenticator,
): RequestAuthenticator {
  return {
    name: inner.name,
    authenticateRequest: (request, asking) =>
      forServer(own, asking, () => inner.authenticateRequest(request, asking)),
  }
}

function forServer(
  own: readonly string[],
  asking: Asking,
  ask: () => Answered | Promise<Answered>,
): Answered | Promise<Answered> {
  if (asking.audiences.length === 0) return ask()
  const audiences = commonAudiences(own, asking.audiences)
  if (audiences.length === 0) return null
  return after(ask(), (answer) => answer && withAudiences(answer, audiences))
}

function withAudiences(answer: Authenticated, audiences: readonly string[]): Authenticated {
  if (answer.audiences !== null && answer.audiences.length > 0) {
    throw new CredentialError(
      `an authenticator without audiences answered with some: ${JSON.stringify(answer.audiences)}`,
    )
  }
  return { user: answer.user, audiences }
}
