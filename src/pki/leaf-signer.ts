import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { LeafContent } from './sign-leaf.ts'
import type { Issued } from './subject.ts'

/** Signs certificates in the name of an authority. */
export interface LeafSigner {
  /** End of the authority's own certificate, milliseconds since the epoch. */
  readonly notAfterMs: number
  /** The signed certificate, PEM. */
  sign(content: LeafContent): Promise<string>
}

/** An authority of a certificate and its key, PEM. Throws an Error when they cannot sign. */
export function leafSigner(issuer: Issued): LeafSigner {
  const certificate = new X509Certificate(issuer.cert)
  const key = createPrivateKey(issuer.key)
  if (!certificate.ca) throw new Error('the certificate is not that of an authority')
  if (!certificate.checkPrivateKey(key)) {
    throw new Error('the key is not that of the certificate')
  }
  if (key.asymmetricKeyType !== 'ec' && key.asymmetricKeyType !== 'rsa') {
    throw new Error(`cannot sign with a key of type ${key.asymmetricKeyType}: use EC or RSA`)
  }
  return {
    notAfterMs: Date.parse(certificate.validTo),
    sign: async (content) => (await import('./sign-leaf.ts')).signLeaf(content, issuer),
  }
}
