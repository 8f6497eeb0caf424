import type { Answered, Authenticated, RequestAuthenticator } from './authenticator.ts'
import { ALL_AUTHENTICATED, ALL_UNAUTHENTICATED, ANONYMOUS } from './anonymous.ts'
import { after, firstAnswer } from './first-result.ts'

/** Calls them in order; errors of earlier ones count only when no later one knows the user. */
export function requestUnion(members: readonly RequestAuthenticator[]): RequestAuthenticator {
  return {
    name: 'request union',
    authenticateRequest: (request, asking) =>
      firstAnswer(members, (member) => member.authenticateRequest(request, asking)),
  }
}

/** Calls the second only when the first neither knows the user nor fails. */
export function unlessFailed(
  first: RequestAuthenticator,
  second: RequestAuthenticator,
): RequestAuthenticator {
  return {
    name: first.name,
    authenticateRequest: (request, asking) =>
      chained(first.authenticateRequest(request, asking), () =>
        second.authenticateRequest(request, asking),
      ),
  }
}

function chained(
  answer: Answered | Promise<Answered>,
  next: () => Answered | Promise<Answered>,
): Answered | Promise<Answered> {
  if (answer instanceof Promise) return answer.then((found) => found ?? next())
  return answer ?? next()
}

// Results are cached for connections and tokens: each is completed once.
const completed = new WeakMap<Authenticated, Authenticated>()

/** Adds every authenticated user to the group of all of them. */
export function withAuthenticatedGroup(inner: RequestAuthenticator): RequestAuthenticator {
  return {
    name: inner.name,
    authenticateRequest: (request, asking) =>
      after(inner.authenticateRequest(request, asking), complete),
  }
}

function complete(answer: Answered): Answered {
  if (!answer) return null
  const known = completed.get(answer)
  if (known) return known
  const { user, audiences } = answer
  const isComplete =
    user.name === ANONYMOUS ||
    user.groups.includes(ALL_AUTHENTICATED) ||
    user.groups.includes(ALL_UNAUTHENTICATED)
  const made = isComplete
    ? answer
    : { user: { ...user, groups: [...user.groups, ALL_AUTHENTICATED] }, audiences }
  completed.set(answer, made)
  return made
}
