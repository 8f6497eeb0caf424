/** Secrets with bootstrap tokens. */
import { parseTime } from '../../base/time.ts'
import type { Secret } from '../../kinds/core/secret.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'

/** Selects the secrets with bootstrap tokens, which are in one namespace. */
export const tokenSecrets = (v: Vocabulary) => ({
  namespace: v.resolve('{system}-system'),
  fieldSelector: v.resolve('type=bootstrap.{label}/token'),
})

/** A token that signs. */
export interface SigningToken {
  readonly id: string
  readonly secret: string
}

const NAME = /^bootstrap-token-([a-z0-9]{6})$/

const textOf = ({ data = {} }: Secret, key: string): string =>
  Object.hasOwn(data, key) ? Buffer.from(data[key]!, 'base64').toString('utf8') : ''

/** When a token ends, milliseconds since the epoch; Infinity for never, and the past for a time that cannot be read. */
export function endOf(secret: Secret): number {
  const text = textOf(secret, 'expiration')
  if (text === '') return Infinity
  try {
    return parseTime(text)
  } catch {
    return -Infinity
  }
}

/** The token of a secret that may sign at a time; null without one. */
export function signingToken(secret: Secret, nowMs: number): SigningToken | null {
  const { name = '', deletionTimestamp } = secret.metadata
  const id = NAME.exec(name)?.[1]
  const token = textOf(secret, 'token-secret')
  if (id === undefined || textOf(secret, 'token-id') !== id || token === '') return null
  if (deletionTimestamp !== undefined || endOf(secret) <= nowMs) return null
  return textOf(secret, 'usage-bootstrap-signing') === 'true' ? { id, secret: token } : null
}
