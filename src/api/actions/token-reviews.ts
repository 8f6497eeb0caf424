import type { Typed } from '../../schema/object-meta.ts'
import { badRequest, plainError } from '../../schema/errors.ts'
import type { Api, Call } from '../context.ts'
import type { Result } from '../results.ts'
import { admitted, answer } from './access-reviews.ts'

interface TokenReview extends Typed {
  spec: { readonly token?: string }
}

/**
 * Reviews a token. No authenticator of tokens is configured, for which the rule is to give the object back unchanged
 * (page on review kinds). Throws 400 without a token.
 */
export async function reviewToken(api: Api, call: Call): Promise<Result> {
  const object = await admitted<TokenReview>(api, call)
  if ((object.spec.token ?? '') === '')
    throw badRequest('token is required for TokenReview in authentication')
  return answer(call, object)
}

/** POST on `serviceaccounts/token`. Throws 501: no key to sign tokens with is configured. */
export function issueToken(): Promise<Result> {
  return Promise.reject(plainError('this server has no key to sign service account tokens', 501))
}
