/** The payload of a token. Its names are the issuer's: look them up with {@link claimOf}. */
export type Claims = Readonly<Record<string, unknown>>

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads the payload of a compact token without verifying anything; null when it is none. */
export function unverifiedClaims(token: string): Claims | null {
  const parts = token.split('.')
  if (parts.length !== 3) return null
  return jsonPart(parts[1]!)
}

const BASE64URL = /^[A-Za-z0-9_-]+$/

/** Reads one part of a compact token as a JSON object; null when it is none. */
export function jsonPart(part: string): Claims | null {
  if (!BASE64URL.test(part)) return null
  try {
    const value: unknown = JSON.parse(utf8.decode(Buffer.from(part, 'base64url')))
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** The value of a claim; undefined when the token has none of that name. */
export const claimOf = (claims: Claims, name: string): unknown =>
  Object.hasOwn(claims, name) ? claims[name] : undefined

/** Whether a value is a JSON object. */
export const isObject = (value: unknown): value is Claims =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A string, or an Error about the actual type. */
export function stringOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error(mismatch(value, 'string'))
  return value
}

/** A list of strings; one string alone is a list of one, null is an empty one. Throws Error. */
export function stringsOf(value: unknown): readonly string[] {
  if (value === null) return []
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value
  return [stringOf(value)]
}

/** Text for a value of a token with another type. */
export const mismatch = (value: unknown, type: string): string =>
  `json: cannot unmarshal ${typeName(value)} into Go value of type ${type}`

function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}
