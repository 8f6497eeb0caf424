/** How clients of all kinds verify the certificates of servers. */
import { checkServerIdentity, type ConnectionOptions, type PeerCertificate } from 'node:tls'

/** The server has a certificate without subject alternative names; `code` is that of errors of the platform. */
export class LegacyNameError extends Error {
  readonly code = LEGACY_NAME

  constructor() {
    super('x509: certificate relies on legacy Common Name field, use SANs instead')
  }
}

/** Code of {@link LegacyNameError}. */
export const LEGACY_NAME = 'ERR_TLS_CERT_LEGACY_NAME'

/**
 * Options of a connection over TLS whose server is verified. Every certificate of the authorities is an anchor of trust, also an
 * intermediate one and that of the server itself, as in the reference: test environments give just the latter. Names
 * of servers are those of the extension; a common name is none.
 */
export const SERVER_TRUST = {
  allowPartialTrustChain: true,
  checkServerIdentity(host: string, certificate: PeerCertificate): Error | undefined {
    // The platform would take the common name then.
    if ((certificate.subjectaltname ?? '') === '') return new LegacyNameError()
    return checkServerIdentity(host, certificate)
  },
} as const satisfies ConnectionOptions
