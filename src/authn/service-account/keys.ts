import {
  createHash,
  createPrivateKey,
  createPublicKey,
  X509Certificate,
  type KeyObject,
} from 'node:crypto'

/** Algorithm of a key; determined by the key alone, never by a token. */
export type Algorithm = 'RS256' | 'ES256' | 'ES384' | 'ES512'

/** A key with what tokens and documents call it. */
export interface TokenKey {
  readonly kid: string
  readonly alg: Algorithm
  readonly key: KeyObject
}

const CURVES: ReadonlyMap<string | undefined, Algorithm> = new Map([
  ['prime256v1', 'ES256'],
  ['secp384r1', 'ES384'],
  ['secp521r1', 'ES512'],
])
// Shorter ones are within reach of forgers.
const LEAST_RSA_BITS = 2048

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g
const PRIVATE = new Set(['PRIVATE KEY', 'RSA PRIVATE KEY', 'EC PRIVATE KEY'])
const PUBLIC = new Set(['PUBLIC KEY', 'RSA PUBLIC KEY'])

/**
 * Public keys that tokens are verified with, out of PEM texts: public keys, private keys, certificates; each once.
 * Blocks of other things are passed over. Throws an Error about a text without any key.
 */
export function verificationKeys(pems: readonly string[]): readonly TokenKey[] {
  const keys = new Map<string, TokenKey>()
  for (const pem of pems) {
    const found = blocks(pem).map(publicKeyOf).filter(isUsable).map(tokenKey)
    if (found.length === 0) throw new Error('no RSA or ECDSA key to verify with')
    for (const key of found) keys.set(key.kid, key)
  }
  return [...keys.values()]
}

/** The private key that tokens are signed with: the first in a PEM text. Throws an Error. */
export function signingKey(pem: string): TokenKey {
  const block = blocks(pem).find(({ label }) => PRIVATE.has(label))
  const key = block ? attempt(() => createPrivateKey(block.text)) : null
  if (!key) throw new Error('no RSA or ECDSA private key')
  if (algorithmOf(key) === null) {
    throw new Error(
      `a private key of type ${JSON.stringify(key.asymmetricKeyType ?? '')}, which must be RSA or ECDSA`,
    )
  }
  return tokenKey(key)
}

interface Block {
  readonly label: string
  readonly text: string
}

const blocks = (pem: string): Block[] =>
  [...pem.matchAll(BLOCK)].map(([text, label = '']) => ({ label, text }))

function publicKeyOf({ label, text }: Block): KeyObject | null {
  return attempt(() => {
    if (label === 'CERTIFICATE') return new X509Certificate(text).publicKey
    if (PRIVATE.has(label)) return createPublicKey(createPrivateKey(text))
    return PUBLIC.has(label) ? createPublicKey(text) : null
  })
}

/** The library's own words may quote the text, which is a secret. */
function attempt(read: () => KeyObject | null): KeyObject | null {
  try {
    return read()
  } catch {
    return null
  }
}

const isUsable = (key: KeyObject | null): key is KeyObject =>
  key !== null && algorithmOf(key) !== null

function algorithmOf(key: KeyObject): Algorithm | null {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  if (type === 'ec') return CURVES.get(details?.namedCurve) ?? null
  if (type !== 'rsa') return null
  const bits = details?.modulusLength ?? 0
  if (bits < LEAST_RSA_BITS) {
    throw new Error(`an RSA key of ${bits} bits is too short: ${LEAST_RSA_BITS} are the least`)
  }
  return 'RS256'
}

function tokenKey(key: KeyObject): TokenKey {
  const spki = (key.type === 'private' ? createPublicKey(key) : key).export({
    type: 'spki',
    format: 'der',
  })
  return {
    kid: createHash('sha256').update(spki).digest('base64url'),
    alg: algorithmOf(key)!,
    key,
  }
}
