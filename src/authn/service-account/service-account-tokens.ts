import type { Clock } from '../../base/clock.ts'
import type { ObjectSource } from '../../catalogue/object-source.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import type { TokenAuthenticator } from '../authenticator.ts'
import type { Count } from './audiences.ts'
import { BoundTokens } from './bound-token.ts'
import { discovery, type Discovery } from './discovery.ts'
import { TokenIssuer } from './issue.ts'
import { signingKey, verificationKeys } from './keys.ts'
import { LegacyTokens } from './legacy-token.ts'
import { checkServiceAccountOptions, type ServiceAccountOptions } from './options.ts'

export interface ServiceAccountParts {
  readonly v: Vocabulary
  readonly clock: Clock
  readonly objects: ObjectSource
  readonly count?: Count
}

/** Everything about tokens of service accounts, ready for use. */
export interface ServiceAccountTokens {
  /** In the order of calls. */
  readonly authenticators: readonly TokenAuthenticator[]
  readonly issuer: TokenIssuer
  /** Audiences of this server. */
  readonly audiences: readonly string[]
  /** The documents for a server that others reach at `host:port`. */
  discovery(externalAddress: string): Discovery
}

/** Reads keys and options. Throws an Error about unusable ones. */
export function serviceAccountTokens(
  options: ServiceAccountOptions,
  { v, clock, objects, count = () => {} }: ServiceAccountParts,
): ServiceAccountTokens {
  const [problem] = checkServiceAccountOptions(options)
  if (problem !== undefined) throw new Error(problem)
  const { issuers, apiAudiences = [] } = options
  const issuer = issuers[0]!
  const keys = verificationKeys(options.keys)
  const audiences = apiAudiences.length > 0 ? apiAudiences : issuers
  const parts = { v, clock, objects, count, keys, apiAudiences: audiences }
  return {
    authenticators: [
      new LegacyTokens({ ...parts, lookup: options.lookup ?? true }),
      new BoundTokens({ ...parts, issuers }),
    ],
    issuer: new TokenIssuer({
      v,
      clock,
      key: signingKey(options.signingKey),
      issuer,
      apiAudiences: audiences,
      maxExpirationSeconds: options.maxExpirationSeconds ?? 0,
      extend: options.extendExpiration ?? true,
    }),
    audiences,
    discovery: (externalAddress) =>
      discovery({ issuer, jwksUri: options.jwksUri ?? '', externalAddress, keys }),
  }
}
