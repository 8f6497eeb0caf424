import type { TokenReview } from '../../kinds/authentication/token-review.ts'
import { badRequest, internalError } from '../../meta/errors.ts'
import type { TokenReviewDependencies, Call } from '../context.ts'
import type { Result } from '../results.ts'
import { admitted, answer } from './access-reviews.ts'

/**
 * Reviews a token. Without token authentication the object is returned unchanged. Throws 400 without a token, and 500
 * when a user was found but not for the requested audiences.
 */
export async function reviewToken(api: TokenReviewDependencies, call: Call): Promise<Result> {
  const object = await admitted<TokenReview>(api, call)
  const { token = '', audiences: wanted = [] } = object.spec
  if (token === '') throw badRequest('token is required for TokenReview in authentication')
  if (!api.authenticateToken) return answer(call, object)
  const found = await api.authenticateToken(token, wanted)
  object.status = { user: {} }
  if (found && 'error' in found) object.status.error = found.error
  else if (found) {
    const { user, audiences } = found
    if (wanted.length > 0 && !wanted.some((audience) => audiences?.includes(audience))) {
      throw internalError('error validating audiences')
    }
    object.status = {
      authenticated: true,
      user: {
        username: user.name,
        uid: user.uid,
        groups: [...user.groups],
        extra: Object.fromEntries(
          Object.entries(user.extra).map(([key, values]) => [key, [...values]]),
        ),
      },
      ...(audiences ? { audiences: [...audiences] } : {}),
    }
  }
  return answer(call, object)
}
