/** Options to issue and accept tokens of service accounts. */
export interface ServiceAccountOptions {
  /** Issuers whose tokens count; the first one signs. */
  readonly issuers: readonly string[]
  /** Keys to verify with: PEM texts, each with one key or more. */
  readonly keys: readonly string[]
  /** Key to sign with, PEM. */
  readonly signingKey: string
  /** Audiences of this server; the issuers by default. */
  readonly apiAudiences?: readonly string[]
  /** Whether tokens in secrets end with their secret and account; they do by default. */
  readonly lookup?: boolean
  /** Longest life of a token, seconds; 0, the default, for no bound. */
  readonly maxExpirationSeconds?: number
  /** Whether tokens for pods are good for longer than they say; they are by default. */
  readonly extendExpiration?: boolean
  /** URI of the keys in the discovery document; by default at this server. */
  readonly jwksUri?: string
}

const LEAST_MAX_SECONDS = 3600
const MOST_MAX_SECONDS = 2 ** 32

/** Faults of the options; empty when a server can start with them. */
export function checkServiceAccountOptions(options: ServiceAccountOptions): readonly string[] {
  const { issuers, keys, signingKey, maxExpirationSeconds: most = 0, jwksUri = '' } = options
  const problems = [...checkIssuers(issuers)]
  if (keys.length === 0) problems.push('--service-account-key-file must be given')
  if (signingKey === '') {
    problems.push(
      '--service-account-signing-key-file and --service-account-issuer must be given together',
    )
  }
  if (most !== 0 && !(most >= LEAST_MAX_SECONDS && most <= MOST_MAX_SECONDS)) {
    problems.push('--service-account-max-token-expiration must be from 1 hour to 2^32 seconds')
  }
  if (jwksUri !== '' && !(URL.canParse(jwksUri) && new URL(jwksUri).protocol === 'https:')) {
    problems.push(`--service-account-jwks-uri ${JSON.stringify(jwksUri)} must be an https URL`)
  }
  return problems
}

function* checkIssuers(issuers: readonly string[]): Generator<string> {
  if (issuers.length === 0) yield '--service-account-issuer must be given'
  const seen = new Set<string>()
  for (const issuer of issuers) {
    if (issuer === '') yield '--service-account-issuer must not be empty'
    else if (issuer.includes(':') && !URL.canParse(issuer)) {
      yield `--service-account-issuer ${JSON.stringify(issuer)} has a colon and is no URL`
    } else if (seen.has(issuer)) {
      yield `--service-account-issuer ${JSON.stringify(issuer)} is given twice`
    }
    seen.add(issuer)
  }
}
