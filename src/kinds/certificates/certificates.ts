import { X509Certificate } from 'node:crypto'
import { readDer } from '../../base/der.ts'
import { pemBlocks } from './pem.ts'

/** The problem with an issued certificate (base64 of PEM), or null. Text around the PEM blocks is ignored. */
export function certificateProblem(base64: string): string | null {
  const blocks = [...pemBlocks(Buffer.from(base64, 'base64').toString('latin1'))]
  for (const { type, hasHeaders, data } of blocks) {
    if (type !== 'CERTIFICATE') {
      return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`
    }
    if (hasHeaders) return 'no PEM block headers are permitted'
    try {
      const certificates = readDer(data).map(({ whole }) => new X509Certificate(whole))
      if (certificates.length === 0) {
        return 'found CERTIFICATE PEM block containing 0 certificates'
      }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      return why.startsWith('asn1: ') ? why : `x509: malformed certificate: ${why}`
    }
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : null
}
