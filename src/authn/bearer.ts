import {
  CredentialError,
  type AuthenticationResult,
  type AuthenticationContext,
  type Credentials,
  type RequestAuthenticator,
  type RequestHeaders,
  type TokenAuthenticator,
} from './authenticator.ts'
import { thenResult, firstResult } from './first-result.ts'
import { firstHeader } from './header-values.ts'

const EXTRA_SPACE =
  'the provided Authorization header contains extra space before the bearer token, and is ignored'

/** Authenticates users by the token in the `Authorization` header. */
export function bearer(tokens: TokenAuthenticator): RequestAuthenticator {
  return {
    name: 'bearer token',
    authenticateRequest(request, context) {
      if (request.headers.authorization === undefined) return null
      const { memory = null } = request
      const known = memory?.token ? tokens.recall?.(memory, context) : null
      if (known) return known
      const token = bearerToken(firstHeader(request, 'authorization'), context)
      return token === '' ? null : knownToken(tokens.authenticateToken(token, context, memory))
    },
  }
}

/**
 * Tries the server's own token, where it has one, before all else. Nearly every token is another: its error
 * as the server's own is reported with the errors of the rest, and thrown only then.
 */
export function ownTokenFirst(
  own: TokenAuthenticator | null,
  rest: RequestAuthenticator,
): RequestAuthenticator {
  const shown = (request: RequestHeaders) =>
    request.headers.authorization === undefined
      ? ''
      : bearerToken(firstHeader(request, 'authorization'), null)
  const members = [rest]
  const others = (request: Credentials, context: AuthenticationContext) =>
    firstResult(
      members,
      (one) => one.authenticateRequest(request, context),
      () => (shown(request) === '' ? [] : [unknownToken()]),
    )
  return {
    name: 'own token first',
    authenticateRequest(request, context) {
      // A token that is remembered was found to be another one.
      const token = own && !request.memory?.token ? shown(request) : ''
      const result = own && token !== '' ? own.authenticateToken(token, context) : null
      return result instanceof Promise
        ? result.then((found) => found ?? others(request, context))
        : (result ?? others(request, context))
    },
  }
}

const unknownToken = () => new CredentialError('invalid bearer token')

/** The token in the value of an `Authorization` header; empty when it holds none, and `told` may be warned then. */
function bearerToken(header: string, told: Pick<AuthenticationContext, 'warn'> | null): string {
  const text = header.trim()
  const space = text.indexOf(' ')
  if (space < 0 || text.slice(0, space).toLowerCase() !== 'bearer') return ''
  const end = text.indexOf(' ', space + 1)
  const token = text.slice(space + 1, end < 0 ? undefined : end)
  if (token === '') told?.warn(EXTRA_SPACE)
  return token
}

/** Turns a null result into an error: a token that was shown must hold. */
export const knownToken = (
  result: AuthenticationResult | Promise<AuthenticationResult>,
): AuthenticationResult | Promise<AuthenticationResult> =>
  thenResult(result, (found) => {
    if (!found) throw unknownToken()
    return found
  })
