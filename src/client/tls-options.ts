import { SERVER_TRUST } from '../base/server-trust.ts'
import type { ConnectionOptions } from 'node:tls'
import { addressFamily } from '../base/address-family.ts'
import type { CertificatePair } from './certificate-pair.ts'
import type { ClientConfig } from './client-config.ts'
import { bareHost } from './server-address.ts'

/** Trust and certificates of a connection to a server. */
export function tlsOptions(
  { ca, insecureSkipTlsVerify, tlsServerName }: ClientConfig,
  server: URL,
  { cert, key }: CertificatePair,
): ConnectionOptions {
  const host = bareHost(server)
  // IP addresses are not sent as server names (RFC 6066 3).
  const servername = tlsServerName ?? (addressFamily(host) === 0 ? host : undefined)
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    ...(servername === undefined ? {} : { servername }),
    ...SERVER_TRUST,
    rejectUnauthorized: insecureSkipTlsVerify !== true,
  }
}
