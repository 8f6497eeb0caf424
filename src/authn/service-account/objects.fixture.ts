/** Objects, keys and requests for tests of service account tokens. */
import {
  createPublicKey,
  generateKeyPairSync,
  sign as signBytes,
  type KeyObject,
} from 'node:crypto'
import type { ObjectSource } from '../../catalogue/object-source.ts'
import type { AuthenticationContext } from '../authenticator.ts'
import { verificationKeys, type TokenKey } from './keys.ts'

export const NOW = Date.parse('2030-01-01T01:00:00Z')
export const NOW_SECONDS = NOW / 1000

/** A new key that signs, and what verifies it. */
export function freshKey(namedCurve = 'P-256'): {
  readonly signing: TokenKey
  readonly verifying: TokenKey
} {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve })
  const [verifying] = verificationKeys([publicPem(privateKey)])
  return { verifying: verifying!, signing: { ...verifying!, key: privateKey } }
}

export const publicPem = (key: KeyObject): string =>
  (key.type === 'public' ? key : createPublicKey(key)).export({
    type: 'spki',
    format: 'pem',
  }) as string

/** Objects by `resource/namespace/name`. */
export function objectsOf(entries: Readonly<Record<string, object>>): ObjectSource {
  return {
    get: async ({ resource }, namespace, name) =>
      (new Map(Object.entries(entries)).get(`${resource}/${namespace}/${name}`) ?? null) as never,
    follow: () => Promise.reject(new Error('not needed here')),
  }
}

/** A context, with its notes. */
export function authenticationContext(
  audiences: readonly string[] = [],
): AuthenticationContext & { readonly notes: string[] } {
  const notes: string[] = []
  return {
    audiences,
    notes,
    annotate: (key, value) => void notes.push(`${key}=${value}`),
    warn: (text) => void notes.push(`warning: ${text}`),
  }
}

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token with any header and any claims, signed by `signature` over the first two parts. */
export function forge(
  header: object,
  claims: unknown,
  signature: (text: string) => Buffer,
): string {
  const text = `${part(header)}.${part(claims)}`
  return `${text}.${signature(text).toString('base64url')}`
}

/** The signature format of ES256. */
export const es256 =
  (key: KeyObject) =>
  (text: string): Buffer =>
    signBytes('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
