import { decodeProtectedHeader } from 'jose'
import type { Clock } from '../../base/clock.ts'
import { claimOf, mismatch, stringOf, stringsOf, type Claims } from './claims.ts'
import { messageOf } from './https-get.ts'
import type { KeySet } from './key-set.ts'

/** Requirements of every token, whatever its issuer. */
export interface TokenRules {
  readonly clientId: string
  readonly algorithms: readonly string[]
  readonly clock: Clock
}

const NOT_BEFORE_LEEWAY_MS = 60_000
const NO_TIME = '0001-01-01 00:00:00 +0000 UTC'

/** Checks whom a token is for, its time and its signature; throws an Error. `claims` are those of the token. */
export async function verifyToken(
  token: string,
  claims: Claims,
  keys: KeySet,
  rules: TokenRules,
): Promise<void> {
  const { aud, exp, nbf } = registered(claims)
  if (!aud.includes(rules.clientId)) {
    throw new Error(`oidc: expected audience ${JSON.stringify(rules.clientId)} got ${quoted(aud)}`)
  }
  const now = rules.clock.now()
  if (exp === undefined || exp * 1000 <= now) {
    const expiry = exp === undefined ? NO_TIME : timeText(exp * 1000)
    throw new Error(`oidc: token is expired (Token Expiry: ${expiry})`)
  }
  if (nbf !== undefined && now + NOT_BEFORE_LEEWAY_MS < nbf * 1000) {
    throw new Error(
      `oidc: current time ${timeText(now)} before the nbf (not before) time: ${timeText(nbf * 1000)}`,
    )
  }
  const alg = algorithmOf(token)
  if (!rules.algorithms.includes(alg)) {
    throw new Error(
      `oidc: id token signed with unsupported algorithm, expected ${quoted(rules.algorithms)} got ${JSON.stringify(alg)}`,
    )
  }
  let isVerified: boolean
  try {
    isVerified = await keys.verifies(token, rules.algorithms)
  } catch (error) {
    throw new Error(`failed to verify signature: ${messageOf(error)}`, { cause: error })
  }
  if (!isVerified)
    throw new Error('failed to verify signature: failed to verify id token signature')
}

function registered(claims: Claims) {
  try {
    const sub = claimOf(claims, 'sub')
    if (sub !== undefined) stringOf(sub)
    seconds(claims, 'iat')
    return {
      aud: stringsOf(claimOf(claims, 'aud') ?? null),
      exp: seconds(claims, 'exp'),
      nbf: seconds(claims, 'nbf'),
    }
  } catch (error) {
    throw new Error(`oidc: failed to unmarshal claims: ${messageOf(error)}`, { cause: error })
  }
}

/** Whole seconds since the epoch; undefined when the token has none. */
function seconds(claims: Claims, name: string): number | undefined {
  const value = claimOf(claims, name)
  if (value === undefined) return undefined
  const integer = typeof value === 'number' ? Math.trunc(value) : NaN
  if (!Number.isSafeInteger(integer)) throw new Error(mismatch(value, 'time'))
  return integer
}

function algorithmOf(token: string): string {
  try {
    return stringOf(decodeProtectedHeader(token).alg)
  } catch (error) {
    throw new Error(`oidc: malformed jwt: ${messageOf(error)}`, { cause: error })
  }
}

const quoted = (list: readonly string[]): string =>
  `[${list.map((each) => JSON.stringify(each)).join(' ')}]`

function timeText(ms: number): string {
  const date = new Date(ms)
  if (Number.isNaN(date.getTime())) return `${ms / 1000} s after 1970`
  const [day, time] = date.toISOString().slice(0, -1).split('T')
  return `${day} ${time!.replace(/\.?0+$/, '')} +0000 UTC`
}
