import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { RequestHeaders } from './authenticator.ts'
import { removeWithPrefix } from './header-values.ts'
import type { RequestHeaderNames } from './request-header.ts'
import { removeWebsocketToken } from './websocket-token.ts'

const NAMES = ['authorization', 'x-remote-user', 'x-remote-group']
const PREFIX = 'x-remote-extra-'

/**
 * Makes the function that takes credentials out of a request whose user is known, so that neither the server nor
 * anybody it passes the request on to can use them. It returns whether there were any.
 */
export function credentialRemoval(
  v: Vocabulary,
  configured?: RequestHeaderNames,
): (request: RequestHeaders) => boolean {
  const lower = (names: readonly string[]) => names.map((name) => name.toLowerCase())
  const names = [
    ...new Set([
      ...NAMES,
      ...lower(configured?.usernameHeaders ?? []),
      ...lower(configured?.groupHeaders ?? []),
    ]),
  ]
  const prefixes = [...new Set([PREFIX, ...lower(configured?.extraHeaderPrefixes ?? [])])]
  return (request) => {
    const { headers } = request
    let hadSome = false
    for (const name of names) {
      if (headers[name] === undefined) continue
      // Not deleted: that takes longer than finding a known token, and makes the object slower.
      headers[name] = undefined
      hadSome = true
    }
    for (const prefix of prefixes) if (removeWithPrefix(request, prefix)) hadSome = true
    return removeWebsocketToken(headers, v) || hadSome
  }
}
