import { rootCertificates } from 'node:tls'
import { readFile } from '../../base/files.ts'
import { plainReason } from '../../base/plain-reason.ts'
import { certificatesProblem } from '../../pki/pem-check.ts'

/** Where systems keep the authorities that they trust, all in one file. */
const BUNDLES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
]

/** Authorities that a provider's certificate must come from: those given, or else the host's. Throws an Error. */
export async function trustedRoots(given: {
  readonly ca?: string
  readonly caFile?: string
}): Promise<string | readonly string[]> {
  if (given.ca) return checked(given.ca, 'oidc: authority')
  if (!given.caFile) return hostRoots()
  const named = `--oidc-ca-file: ${given.caFile}`
  let pem: string
  try {
    pem = await readFile(given.caFile, 'utf8')
  } catch (cause) {
    throw new Error(`--oidc-ca-file: cannot read ${given.caFile}: ${plainReason(cause)}`, { cause })
  }
  return checked(pem, named)
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

/** Refuses a bundle without certificates: Node would silently take it for empty and trust no issuer. */
function checked(pem: string, named: string): string {
  const problem = certificatesProblem(pem)
  if (problem !== null) throw new Error(`${named} ${problem}`)
  return pem
}
