/** The names of authorities that a TLS server sends to its clients, so that they choose a certificate that fits. */
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { bitString, contextTag, der, objectId, readDer, sequence, Tag, time } from '../base/der.ts'

const ED25519 = sequence(objectId('1.3.101.112'))
const NO_SIGNATURE = bitString(Buffer.alloc(64))
const SERIAL = der(Tag.integer, Buffer.of(1))
const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

/**
 * Certificates that have the names of these authorities (PEM) and a key of a type that cannot sign. As option `ca` of a
 * TLS server they announce the authorities, and the TLS library never finds a certificate valid by them. That is wanted
 * for two reasons: `verifyClient` alone decides, with the clock and the bundle of the moment; and some releases of Node
 * (24.21, 26.8) drop the intermediate certificates of a client when the library finds its certificate valid.
 */
export function authorityNames(pem: string): string {
  // With a key that can sign, the library would try signatures, and a failed one breaks the connection.
  const key = generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'der' })
  const names = new Map<string, Buffer>()
  for (const block of pem.match(BLOCK) ?? []) {
    const name = subjectName(new X509Certificate(block).raw)
    names.set(name.toString('latin1'), name)
  }
  const validity = sequence(time(0), time(0))
  return [...names.values()]
    .map((name) => {
      const signed = sequence(SERIAL, ED25519, name, validity, name, key)
      return new X509Certificate(sequence(signed, ED25519, NO_SIGNATURE)).toString()
    })
    .join('')
}

/** The subject of a certificate as its bytes: the encoding of a name must not change (RFC 5280, 4.1.2.4). */
function subjectName(certificate: Buffer): Buffer {
  const [whole] = readDer(certificate)
  const [signed] = readDer(whole!.content)
  const parts = readDer(signed!.content)
  // Certificates of the first version do not name their version.
  const from = parts[0]!.tag === contextTag(0, true) ? 1 : 0
  return parts[from + 4]!.whole
}
