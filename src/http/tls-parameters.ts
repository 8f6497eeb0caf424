/** Versions and cipher suites of TLS, by the names that flags have for them (operations page, TLS). */
import { DEFAULT_CIPHERS, getCiphers, type SecureVersion } from 'node:tls'

/** What a server agrees to in handshakes. */
export interface TlsParameters {
  readonly minVersion: SecureVersion
  /** In the notation of the TLS library; undefined: its own choice. */
  readonly ciphers?: string
}

const VERSIONS = {
  VersionTLS10: 'TLSv1',
  VersionTLS11: 'TLSv1.1',
  VersionTLS12: 'TLSv1.2',
  VersionTLS13: 'TLSv1.3',
} as const satisfies Record<string, SecureVersion>

export type TlsVersionName = keyof typeof VERSIONS

/** Names of versions, oldest first. */
export const TLS_VERSIONS = Object.keys(VERSIONS) as readonly TlsVersionName[]

/** Suites of TLS 1.3, which cannot be chosen. */
const SUITES_13 = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
]

const OLDER =
  /^TLS_(ECDHE_ECDSA_|ECDHE_RSA_|RSA_)WITH_(?:AES_(128|256)_(?:CBC_(SHA|SHA256)|GCM_(SHA256|SHA384))|CHACHA20_POLY1305(?:_SHA256)?)$/

/** A suite in the notation of the TLS library; null when there is none, '' for one that is always on. */
function suiteOf(name: string): string | null {
  if (SUITES_13.includes(name)) return ''
  const parts = OLDER.exec(name)
  if (!parts) return null
  const [, exchange = '', bits, cbc, gcm] = parts
  const prefix = exchange === 'RSA_' ? '' : exchange.replaceAll('_', '-')
  const suite =
    bits === undefined
      ? 'CHACHA20-POLY1305'
      : `AES${bits}-${gcm === undefined ? cbc : `GCM-${gcm}`}`
  return getCiphers().includes(`${prefix}${suite}`.toLowerCase()) ? prefix + suite : null
}

/** Those of a server without flags. */
export const DEFAULT_PARAMETERS: TlsParameters = { minVersion: 'TLSv1.2' }

/** Why cipher suites are not possible; null for none. */
export function suitesProblem(names: readonly string[]): string | null {
  const wrong = names.find((name) => suiteOf(name) === null)
  return wrong === undefined ? null : `Cipher suite ${wrong} not supported or doesn't exist`
}

/** The parameters of checked names. */
export function tlsParameters(
  version: TlsVersionName = 'VersionTLS12',
  suites: readonly string[] = [],
): TlsParameters {
  const isOld = version === 'VersionTLS10' || version === 'VersionTLS11'
  const chosen = suites.map(suiteOf).filter((suite) => suite !== null && suite !== '')
  if (suites.length === 0 && !isOld) return { minVersion: VERSIONS[version] }
  const ciphers = suites.length === 0 ? [DEFAULT_CIPHERS] : [...SUITES_13, ...chosen]
  return {
    // Without a suite of an older version there is none to agree to.
    minVersion: suites.length > 0 && chosen.length === 0 ? 'TLSv1.3' : VERSIONS[version],
    // The signatures of old versions are below the library's default level.
    ciphers: [...ciphers, ...(isOld ? ['@SECLEVEL=0'] : [])].join(':'),
  }
}
