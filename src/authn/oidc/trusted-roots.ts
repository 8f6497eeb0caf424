import { X509Certificate } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import { readFile } from '../../base/files.ts'
import { messageOf } from './https-get.ts'

/** Where systems keep the authorities that they trust, all in one file. */
const BUNDLES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
]
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

/** Authorities that a provider's certificate must come from: those given, or else the host's. Throws an Error. */
export async function trustedRoots(given: {
  readonly ca?: string
  readonly caFile?: string
}): Promise<string | readonly string[]> {
  if (given.ca) return checked(given.ca, 'oidc: authority')
  if (!given.caFile) return hostRoots()
  const named = `oidc-ca-file ${JSON.stringify(given.caFile)}`
  try {
    return checked(await readFile(given.caFile, 'utf8'), named)
  } catch (error) {
    throw messageOf(error).startsWith(named)
      ? error
      : new Error(`${named} cannot be read: ${messageOf(error)}`, { cause: error })
  }
}

async function hostRoots(): Promise<string | readonly string[]> {
  for (const path of BUNDLES) {
    try {
      return await readFile(path, 'utf8')
    } catch {
      continue
    }
  }
  return rootCertificates
}

/** A bundle that Node would silently take for empty trusts nobody, which nobody means. */
function checked(pem: string, named: string): string {
  const blocks = pem.match(CERTIFICATE) ?? []
  if (blocks.length === 0) throw new Error(`${named} holds no certificate`)
  for (const block of blocks) {
    try {
      void new X509Certificate(block)
    } catch (error) {
      throw new Error(`${named} holds a certificate that cannot be read`, { cause: error })
    }
  }
  return pem
}
