import type { AuthenticatedUser } from '../authenticator.ts'
import { claimOf, mismatch, stringOf, stringsOf, type Claims } from './claims.ts'
import { messageOf } from './https-get.ts'
import type { ClaimRules } from './options.ts'

/**
 * The user that a verified token speaks of; throws an Error. `groups` is the value of the groups claim, which may
 * have come from elsewhere; undefined when there is none.
 */
export function userOf(claims: Claims, groups: unknown, rules: ClaimRules): AuthenticatedUser {
  const name = rules.usernamePrefix + usernameOf(claims, rules.usernameClaim)
  const names = groups === undefined ? [] : groupsOf(groups, rules)
  for (const [claim, wanted] of rules.requiredClaims) {
    const got = requiredOf(claims, claim)
    if (got !== wanted) {
      throw new Error(
        `oidc: required claim ${claim} value does not match. Got = ${got}, want = ${wanted}`,
      )
    }
  }
  return { name, uid: '', groups: names, extra: {} }
}

function usernameOf(claims: Claims, claim: string): string {
  const value = claimOf(claims, claim)
  const name = within(`parse username claims ${JSON.stringify(claim)}`, () => {
    if (value === undefined) throw new Error('claim not present')
    return stringOf(value)
  })
  if (claim === 'email') checkVerified(claimOf(claims, 'email_verified'))
  return name
}

function checkVerified(verified: unknown): void {
  if (verified === undefined || verified === true) return
  if (verified !== false && verified !== null) {
    throw new Error(`oidc: parse 'email_verified' claim: ${mismatch(verified, 'bool')}`)
  }
  throw new Error('oidc: email not verified')
}

const groupsOf = (groups: unknown, { groupsClaim, groupsPrefix }: ClaimRules): string[] =>
  within(`parse groups claim ${JSON.stringify(groupsClaim)}`, () =>
    stringsOf(groups).map((group) => groupsPrefix + group),
  )

function requiredOf(claims: Claims, claim: string): string {
  const value = claimOf(claims, claim)
  if (value === undefined) throw new Error(`oidc: required claim ${claim} not present in ID token`)
  return within(`parse claim ${claim}`, () => stringOf(value))
}

function within<T>(what: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new Error(`oidc: ${what}: ${messageOf(error)}`, { cause: error })
  }
}
