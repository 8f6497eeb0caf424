/**
 * Trust in a server whose certificate was signed by the one authority of the configuration itself. Node.js 20 reads its list of
 * all public authorities before it takes another one, which takes as long as its start: short-lived programs go without
 * (docs/decisions/0083-certificates-that-one-authority-signed.md).
 */
import { X509Certificate } from 'node:crypto'
import type { ConnectionOptions, TLSSocket } from 'node:tls'
import { certificateDetails, type CertificateDetails } from '../base/certificate-details.ts'
import { SERVER_TRUST } from '../base/server-trust.ts'

/** Whether a connection whose handshake is over leads to the right server. False says only that others must decide. */
export type DirectTrust = (socket: TLSSocket) => boolean

const SERVER_AUTH = '1.3.6.1.5.5.7.3.1'
/** Bits of the key usage that servers need one of: signatures, keys that encipher, agreement about keys. */
const SERVER_USES = 0b1010_1000
const MIN_RSA_BITS = 2048

/** Whether the platform is one where this is worth it. */
const isSlowPlatform = process.versions.node.startsWith('20.')

/** The check that may take the place of the platform's; null where only that will do. */
export function directTrust(
  { ca, host, servername, rejectUnauthorized }: ConnectionOptions,
  now: () => number,
  isWanted = isSlowPlatform,
): DirectTrust | null {
  if (!isWanted || typeof ca !== 'string' || rejectUnauthorized !== true) return null
  // Several in one text are a choice that the platform makes.
  if (ca.split('-----BEGIN ').length !== 2) return null
  return (socket) => {
    try {
      const leaf = socket.getPeerX509Certificate()
      if (leaf === undefined || !isSignedBy(leaf, new X509Certificate(ca), now())) return false
      const name = servername || host || ''
      // Not asked of the socket, which shows it once.
      return SERVER_TRUST.checkServerIdentity(name, leaf.toLegacyObject()) === undefined
    } catch {
      // Not well formed: the platform says what is wrong.
      return false
    }
  }
}

/** Whether a server's certificate holds now, by an authority that signed it itself (RFC 5280, 6.1). Throws for odd forms. */
export function isSignedBy(
  leaf: X509Certificate,
  authority: X509Certificate,
  nowMs: number,
): boolean {
  const [server, issuer] = [certificateDetails(leaf), certificateDetails(authority)]
  return (
    [server, issuer].every((one) => isPlain(one) && holds(one, nowMs) && isStrong(one)) &&
    !server.isAuthority &&
    issuer.isAuthority &&
    // The end of every chain: the platform accepts no other.
    authority.checkIssued(authority) &&
    (server.keyUses === null || (server.keyUses & SERVER_USES) !== 0) &&
    servesHosts(leaf) &&
    servesHosts(authority) &&
    leaf.checkIssued(authority) &&
    leaf.verify(authority.publicKey)
  )
}

const isPlain = ({ version, hasUnknownCritical, hasNameConstraints }: CertificateDetails) =>
  version === 3 && !hasUnknownCritical && !hasNameConstraints

const holds = ({ notBeforeMs, notAfterMs }: CertificateDetails, nowMs: number): boolean =>
  nowMs >= notBeforeMs && nowMs <= notAfterMs

function isStrong({ certificate, isSoundlySigned }: CertificateDetails): boolean {
  const { asymmetricKeyType: type, asymmetricKeyDetails } = certificate.publicKey
  const bits = asymmetricKeyDetails?.modulusLength ?? 0
  return (type === 'ec' || (type === 'rsa' && bits >= MIN_RSA_BITS)) && isSoundlySigned
}

function servesHosts({ keyUsage }: X509Certificate): boolean {
  // Extended uses, for all that Node calls them.
  const uses: readonly string[] | undefined = keyUsage
  return uses === undefined || uses.includes(SERVER_AUTH)
}
