import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { commonAudiences } from '../audiences.ts'
import { CredentialError, type AuthenticationContext } from '../authenticator.ts'
import { claimOf, type Claims } from '../oidc/claims.ts'

/** Counters of the kinds of tokens that were accepted. */
export type Count = (what: 'legacy' | 'stale' | 'valid') => void

export interface AudienceParts {
  readonly v: Vocabulary
  /** Audiences of this server, which a token without any is good for. */
  readonly apiAudiences: readonly string[]
  readonly count: Count
}

/** Audiences that a token is good for, out of the requested ones. Throws CredentialError when there is none. */
export function confirmedAudiences(
  claims: Claims,
  subject: string,
  context: AuthenticationContext,
  { v, apiAudiences, count }: AudienceParts,
): readonly string[] {
  let own = audienceClaim(claims)
  if (own.length === 0) {
    context.annotate(v.resolve('authentication{api}/legacy-token'), subject)
    count('legacy')
    own = apiAudiences
  }
  const wanted = context.audiences.length > 0 ? context.audiences : apiAudiences
  const confirmed = commonAudiences(own, wanted)
  if (confirmed.length === 0) {
    throw new CredentialError(
      `token audiences ${quoted(own)} is invalid for the target audiences ${quoted(wanted)}`,
    )
  }
  return confirmed
}

function audienceClaim(claims: Claims): readonly string[] {
  const value = claimOf(claims, 'aud') ?? []
  if (typeof value === 'string') return [value]
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value
  throw new CredentialError('aud claim is not a list of strings')
}

const quoted = (list: readonly string[]): string =>
  `[${list.map((each) => JSON.stringify(each)).join(' ')}]`
