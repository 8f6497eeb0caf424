/** Release whose behaviour the server implements. */
export const RELEASE = { major: '1', minor: '25' } as const

/** The version as clients read it, for instance `v1.25.0+0.1.0`. */
export const gitVersion = (version: string): string =>
  `v${RELEASE.major}.${RELEASE.minor}.0+${version}`
