/** Compact signed tokens: read strictly, verified with the server's keys only, signed. */
import { CredentialError } from '../authenticator.ts'
import { claimOf, isObject, jsonPart, unverifiedClaims, type Claims } from '../oidc/claims.ts'
import type { TokenKey } from './keys.ts'

// A token is sent in a header; a longer one is an attempt to keep the server busy.
const MAX_LENGTH = 65_536
const COMPACT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/

/** Whether a text is a signed token that claims to be by one of the issuers. Verifies nothing. */
export function isOf(issuers: readonly string[], token: string): boolean {
  if (token.length > MAX_LENGTH || !COMPACT.test(token)) return false
  const claims = unverifiedClaims(token)
  if (!claims || !issuers.some((issuer) => issuer === claimOf(claims, 'iss'))) return false
  const header = jsonPart(token.slice(0, token.indexOf('.')))
  return header !== null && typeof claimOf(header, 'alg') === 'string'
}

/** The claims of a token that one of the keys signed, each by its own algorithm. Throws CredentialError. */
export async function verifiedClaims(token: string, keys: readonly TokenKey[]): Promise<Claims> {
  // Loaded with the first token: a start need not read its many files.
  const { compactVerify } = await import('jose')
  for (const { key, alg } of keys) {
    const payload = await compactVerify(token, key, { algorithms: [alg] }).then(
      (verified) => verified.payload,
      () => null,
    )
    if (payload === null) continue
    const claims: unknown = JSON.parse(Buffer.from(payload).toString('utf8'))
    if (isObject(claims)) return claims
  }
  throw new CredentialError('token signature does not match any known key')
}

/** A token with these claims. */
export async function sign(claims: object, { key, alg, kid }: TokenKey): Promise<string> {
  const { CompactSign } = await import('jose')
  const payload = Buffer.from(JSON.stringify(claims))
  return new CompactSign(payload).setProtectedHeader({ alg, kid }).sign(key)
}

/** A claim that is a text; empty when it is missing. Throws CredentialError about any other value. */
export function textClaim(claims: Claims, name: string): string {
  const value = claimOf(claims, name) ?? ''
  if (typeof value !== 'string') throw new CredentialError(`${name} claim is not a string`)
  return value
}

/** A claim that is a time, in milliseconds; null when it is missing. Throws CredentialError about any other value. */
export function timeClaim(claims: Claims, name: string): number | null {
  const value = claimOf(claims, name) ?? null
  if (value === null) return null
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new CredentialError(`${name} claim is not a number`)
  }
  return Math.trunc(value) * 1000
}

/** A claim that is an object; null when it is missing. Throws CredentialError about any other value. */
export function objectClaim(claims: Claims, name: string): Claims | null {
  const value = claimOf(claims, name) ?? null
  if (value !== null && !isObject(value)) {
    throw new CredentialError(`${name} claim is not an object`)
  }
  return value
}
