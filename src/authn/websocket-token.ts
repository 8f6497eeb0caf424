import type { IncomingHttpHeaders } from 'node:http'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import {
  CredentialError,
  type RequestAuthenticator,
  type TokenAuthenticator,
} from './authenticator.ts'
import { knownToken } from './bearer.ts'

const HEADER = 'sec-websocket-protocol'
const BASE64URL = /^[A-Za-z0-9_-]*$/
const UPGRADE = /(^|.*,\s*)upgrade($|\s*,)/

/**
 * Authenticates users by a token that is disguised as a subprotocol: programs in browsers cannot set the
 * `Authorization` header of a WebSocket.
 */
export function websocketToken(tokens: TokenAuthenticator, v: Vocabulary): RequestAuthenticator {
  const prefix = prefixOf(v)
  return {
    name: 'websocket token',
    authenticateRequest({ headers }, context) {
      if (headers[HEADER] === undefined || !isUpgrade(headers)) return null
      const token = tokenOf(protocolsOf(headers), prefix)
      return token === '' ? null : knownToken(tokens.authenticateToken(token, context))
    },
  }
}

/** Takes a token among the subprotocols out of a request; returns whether there was one. */
export function removeWebsocketToken(headers: IncomingHttpHeaders, v: Vocabulary): boolean {
  if (headers[HEADER] === undefined) return false
  const protocols = protocolsOf(headers)
  const others = protocols.filter((protocol) => !protocol.startsWith(prefixOf(v)))
  if (others.length === protocols.length) return false
  if (others.length === 0) delete headers[HEADER]
  else headers[HEADER] = others.join(',')
  return true
}

const prefixOf = (v: Vocabulary) => v.resolve('base64url.bearer.authorization{api}.')

const isUpgrade = (headers: IncomingHttpHeaders) =>
  headers.upgrade?.toLowerCase() === 'websocket' &&
  UPGRADE.test((headers.connection ?? '').toLowerCase())

const protocolsOf = (headers: IncomingHttpHeaders) =>
  String(headers[HEADER] ?? '')
    .split(',')
    .map((protocol) => protocol.trim())

function tokenOf(protocols: readonly string[], prefix: string): string {
  let token: string | null = null
  for (const protocol of protocols) {
    if (!protocol.startsWith(prefix)) continue
    if (token !== null) {
      throw new CredentialError('multiple base64.bearer.authorization tokens specified')
    }
    token = decode(protocol.slice(prefix.length))
  }
  if (token === null || token === '') return ''
  if (protocols.every((protocol) => protocol.startsWith(prefix))) {
    throw new CredentialError('missing additional subprotocol')
  }
  return token
}

function decode(encoded: string): string {
  if (!BASE64URL.test(encoded) || encoded.length % 4 === 1) {
    throw new CredentialError('invalid base64.bearer.authorization token encoding')
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(encoded, 'base64url'),
    )
  } catch {
    throw new CredentialError('invalid base64.bearer.authorization token')
  }
}
