import type { IncomingHttpHeaders } from 'node:http'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { CredentialHeaders, RequestHeaders } from './authenticator.ts'
import { removeWithPrefix } from './header-values.ts'
import type { RequestHeaderNames } from './request-header.ts'
import { removeWebsocketToken } from './websocket-token.ts'

const NAMES = ['x-remote-user', 'x-remote-group']
const PREFIX = 'x-remote-extra-'

/**
 * Makes the function that takes credentials out of a request whose user is known, so that neither the server nor
 * anybody it passes the request on to can use them. It returns where they were.
 */
export function credentialRemoval(
  v: Vocabulary,
  configured?: RequestHeaderNames,
): (request: RequestHeaders) => CredentialHeaders {
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
    const isAuthorized = removeAuthorization(headers)
    let hadOthers = false
    for (const name of names) if (removeHeader(headers, name)) hadOthers = true
    for (const prefix of prefixes) if (removeWithPrefix(request, prefix)) hadOthers = true
    if (removeWebsocketToken(headers, v)) hadOthers = true
    if (hadOthers) return 'others'
    return isAuthorized ? 'authorization' : 'none'
  }
}

/** Takes the header `Authorization` out of others; returns whether it was there. */
export const removeAuthorization = (headers: IncomingHttpHeaders): boolean =>
  removeHeader(headers, 'authorization')

function removeHeader(headers: IncomingHttpHeaders, name: string): boolean {
  if (headers[name] === undefined) return false
  // Not deleted: that takes longer than finding a known token, and makes the object slower.
  headers[name] = undefined
  return true
}
