/** Options for tokens of an identity provider. */
export interface OidcOptions {
  /** URL of the issuer, without the well-known path; https. */
  readonly issuerUrl: string
  /** Client that all tokens must be issued to. */
  readonly clientId: string
  /** Authority of the provider's certificate, PEM. */
  readonly ca?: string
  /** File that {@link ca} is read from, once; with neither of them the host's authorities are trusted. */
  readonly caFile?: string
  /** Claim that is the user's name; `sub` by default. */
  readonly usernameClaim?: string
  /** Put before names; `-` for nothing. By default `<issuer>#`, and nothing for the claim `email`. */
  readonly usernamePrefix?: string
  /** Claim with the user's groups; by default users have none. */
  readonly groupsClaim?: string
  /** Put before each group. */
  readonly groupsPrefix?: string
  /** Claims that must be there with exactly these values. */
  readonly requiredClaims?: ReadonlyMap<string, string>
  /** Algorithms that tokens may be signed with; RS256 by default. */
  readonly signingAlgs?: readonly string[]
}

/** Mapping of claims to the user name and the groups, with every default filled in. */
export interface ClaimRules {
  readonly usernameClaim: string
  /** Empty for none. */
  readonly usernamePrefix: string
  /** Empty for none. */
  readonly groupsClaim: string
  readonly groupsPrefix: string
  readonly requiredClaims: ReadonlyMap<string, string>
}

// Only signatures made with a key pair: a secret that verifies could also sign.
const ALGORITHMS: ReadonlySet<string> = new Set(
  ['RS', 'ES', 'PS'].flatMap((family) => ['256', '384', '512'].map((size) => family + size)),
)
const DEFAULT_ALGORITHMS = ['RS256']
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/

/** Whether tokens of a provider are wanted at all. */
const wantsOidc = (options: Partial<OidcOptions>): boolean =>
  Boolean(options.issuerUrl) || Boolean(options.clientId)

/** Faults of the options; empty when a server can start with them. */
export function checkOidcOptions(options: Partial<OidcOptions>): readonly string[] {
  const { issuerUrl = '', clientId = '' } = options
  if (!wantsOidc(options)) return []
  if (issuerUrl === '' || clientId === '') {
    return ['--oidc-issuer-url and --oidc-client-id must be given together']
  }
  const problems = [...checkIssuer(issuerUrl)]
  if (options.usernameClaim === '') problems.push('--oidc-username-claim must not be empty')
  for (const alg of options.signingAlgs ?? []) {
    if (!ALGORITHMS.has(alg))
      problems.push(
        `--oidc-signing-algs ${JSON.stringify(alg)} is none of ${[...ALGORITHMS].join(', ')}`,
      )
  }
  return problems
}

function checkIssuer(url: string): string[] {
  const scheme = SCHEME.exec(url)?.[1]?.toLowerCase() ?? ''
  const named = `--oidc-issuer-url ${JSON.stringify(url)}`
  return scheme === 'https' && URL.canParse(url) ? [] : [`${named} must be an https URL`]
}

/** Algorithms that tokens may be signed with. */
export const signingAlgorithms = ({ signingAlgs = [] }: OidcOptions): readonly string[] =>
  signingAlgs.length > 0 ? signingAlgs : DEFAULT_ALGORITHMS

/** The rules that claims are read by. */
export function claimRules(options: OidcOptions): ClaimRules {
  const { usernameClaim = 'sub', usernamePrefix = '', issuerUrl } = options
  const unset = usernamePrefix === ''
  // An address is the user's name everywhere; any other claim means something only to its issuer.
  const fallback = usernameClaim === 'email' ? '' : `${issuerUrl}#`
  return {
    usernameClaim,
    usernamePrefix: unset ? fallback : usernamePrefix === '-' ? '' : usernamePrefix,
    groupsClaim: options.groupsClaim ?? '',
    groupsPrefix: options.groupsPrefix ?? '',
    requiredClaims: options.requiredClaims ?? new Map(),
  }
}
