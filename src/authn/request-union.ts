import type { AuthenticationResult, Authenticated, RequestAuthenticator } from './authenticator.ts'
import { ALL_AUTHENTICATED, ALL_UNAUTHENTICATED, ANONYMOUS } from './anonymous.ts'
import { thenResult, firstResult } from './first-result.ts'

/** Calls them in order; errors of earlier ones count only when no later one knows the user. */
export function requestUnion(members: readonly RequestAuthenticator[]): RequestAuthenticator {
  return {
    name: 'request union',
    authenticateRequest: (request, context) =>
      firstResult(members, (member) => member.authenticateRequest(request, context)),
  }
}

/** Calls the second only when the first neither knows the user nor fails. */
export function unlessFailed(
  first: RequestAuthenticator,
  second: RequestAuthenticator,
): RequestAuthenticator {
  return {
    name: first.name,
    authenticateRequest: (request, context) =>
      chained(first.authenticateRequest(request, context), () =>
        second.authenticateRequest(request, context),
      ),
  }
}

function chained(
  result: AuthenticationResult | Promise<AuthenticationResult>,
  next: () => AuthenticationResult | Promise<AuthenticationResult>,
): AuthenticationResult | Promise<AuthenticationResult> {
  if (result instanceof Promise) return result.then((found) => found ?? next())
  return result ?? next()
}

// Results are cached for connections and tokens: each is completed once.
const completed = new WeakMap<Authenticated, Authenticated>()

/** Adds every authenticated user to the group of all of them. */
export function withAuthenticatedGroup(inner: RequestAuthenticator): RequestAuthenticator {
  return {
    name: inner.name,
    authenticateRequest: (request, context) =>
      thenResult(inner.authenticateRequest(request, context), complete),
  }
}

/** A result as `withAuthenticatedGroup` returns it. */
export function complete(result: AuthenticationResult): AuthenticationResult {
  if (!result) return null
  const known = completed.get(result)
  if (known) return known
  const { user, audiences } = result
  const isComplete =
    user.name === ANONYMOUS ||
    user.groups.includes(ALL_AUTHENTICATED) ||
    user.groups.includes(ALL_UNAUTHENTICATED)
  const completedResult = isComplete
    ? result
    : { user: { ...user, groups: [...user.groups, ALL_AUTHENTICATED] }, audiences }
  completed.set(result, completedResult)
  return completedResult
}
