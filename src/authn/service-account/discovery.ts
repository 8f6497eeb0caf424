import { createPublicKey } from 'node:crypto'
import type { TokenKey } from './keys.ts'

/** A document that lets others verify tokens of this server's service accounts. */
export interface DiscoveryDocument {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface DiscoveryOptions {
  readonly issuer: string
  /** URI of the keys in the document; by default at this server. */
  readonly jwksUri: string
  /** `host:port` that others reach this server at. */
  readonly externalAddress: string
  readonly keys: readonly TokenKey[]
}

/** The documents, or why there are none. */
export type Discovery =
  | { readonly is: 'served'; readonly documents: readonly DiscoveryDocument[] }
  | { readonly is: 'absent'; readonly why: string }

/** Where clients find the configuration document. */
const CONFIGURATION_PATH = '/.well-known/openid-configuration'
/** Where this server has its keys. */
const JWKS_PATH = '/openid/v1/jwks'

const CACHE_CONTROL = 'public, max-age=3600'

/** Makes the two discovery documents. A server that cannot have them starts without. */
export function discovery(options: DiscoveryOptions): Discovery {
  const { issuer, keys, externalAddress } = options
  const problem = issuerProblem(issuer)
  if (problem !== '') return { is: 'absent', why: problem }
  const jwksUri = options.jwksUri || `https://${externalAddress}${JWKS_PATH}`
  if (!isHttps(jwksUri) || (options.jwksUri === '' && externalAddress === '')) {
    return { is: 'absent', why: `the URI of the keys must be an https URL: ${jwksUri}` }
  }
  if (keys.length === 0) return { is: 'absent', why: 'there is no key to verify tokens with' }
  const configuration = {
    issuer,
    jwks_uri: jwksUri,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(keys.map(({ alg }) => alg))].sort(),
  }
  return {
    is: 'served',
    documents: [
      documentAt(CONFIGURATION_PATH, 'application/json', configuration),
      documentAt(JWKS_PATH, 'application/jwk-set+json', { keys: keys.map(webKey) }),
    ],
  }
}

const documentAt = (path: string, type: string, body: object): DiscoveryDocument => ({
  path,
  headers: { 'content-type': type, 'cache-control': CACHE_CONTROL },
  body: JSON.stringify(body),
})

function webKey({ key, alg, kid }: TokenKey): object {
  const shown = key.type === 'private' ? createPublicKey(key) : key
  // Named one by one: whatever else the export holds stays here.
  const { kty, crv, x, y, n, e } = shown.export({ format: 'jwk' })
  return { use: 'sig', kty, kid, alg, ...(kty === 'RSA' ? { n, e } : { crv, x, y }) }
}

function issuerProblem(issuer: string): string {
  const of = `--service-account-issuer ${JSON.stringify(issuer)}`
  if (!isHttps(issuer)) return `${of} is not an https URL`
  if (issuer.includes('?')) return `${of} has a query`
  return issuer.includes('#') ? `${of} has a fragment` : ''
}

const isHttps = (text: string): boolean =>
  /^https:\/\//i.test(text) && URL.canParse(text) && new URL(text).hostname !== ''
