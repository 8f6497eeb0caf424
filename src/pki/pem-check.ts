import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

/** The fault of certificates in PEM, to follow the name of their source; null for none. */
export function certificatesProblem(pem: string): string | null {
  const blocks = pem.match(CERTIFICATE) ?? []
  // Node takes such a text for an empty list of authorities.
  if (blocks.length === 0) return 'holds no certificate'
  return blocks.every((block) => certificateOf(block) !== null)
    ? null
    : 'holds a certificate that cannot be read'
}

/** Checks a certificate and its key in PEM. Throws an Error that starts with the name of the faulty one. */
export function checkKeyPair(
  pair: { readonly cert: string; readonly key: string },
  names: { readonly cert: string; readonly key: string },
): void {
  const problem = certificatesProblem(pair.cert)
  if (problem !== null) throw new Error(`${names.cert} ${problem}`)
  const key = keyOf(pair.key)
  if (key === null) throw new Error(`${names.key} holds no private key that can be read`)
  const [own = ''] = pair.cert.match(CERTIFICATE) ?? []
  if (certificateOf(own)?.checkPrivateKey(key) !== true)
    throw new Error(`${names.key} is not the key of the certificate of ${names.cert}`)
}

// The library's error texts help no operator, and may quote a secret.
function certificateOf(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem)
  } catch {
    return null
  }
}

function keyOf(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem)
  } catch {
    return null
  }
}
