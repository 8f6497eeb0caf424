/** Texts of failed connections, in the words that operators know from the reference. */
import { LEGACY_NAME, LegacyNameError } from '../base/server-trust.ts'
import { factsOf } from './platform-errors.ts'

/** Describes why there is no response. */
export function transportProblem(error: unknown, host: string): string {
  const fields = factsOf(error)
  const { code, syscall, address, port, errno, reason, hostname } = fields
  const dial = address === undefined ? 'dial tcp' : dialOf(address, port)
  if (syscall === 'getaddrinfo') {
    const name = hostname ?? host
    return code === 'ENOTFOUND'
      ? `dial tcp: lookup ${name}: no such host`
      : `dial tcp: lookup ${name}: temporary failure in name resolution`
  }
  if (code === 'ECONNRESET') {
    return errno === undefined ? 'EOF' : 'read: connection reset by peer'
  }
  if (code === 'EPIPE') return 'write: broken pipe'
  if (syscall === 'connect') return `${dial}: connect: ${CONNECT.get(String(code)) ?? code}`
  const certificate = CERTIFICATE.get(String(code))
  if (certificate !== undefined) return `x509: ${certificate}`
  if (code === LEGACY_NAME) return new LegacyNameError().message
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `x509: certificate is not valid for ${fields['host'] ?? host}`
  }
  const alert = /^ERR_SSL_(?:TLSV1|TLSV13|SSLV3)_ALERT_(.+)$/.exec(String(code))?.[1]
  if (alert !== undefined) return `remote error: tls: ${alert.toLowerCase().replaceAll('_', ' ')}`
  // The reason of a parser is no TLS error.
  if (String(code).startsWith('HPE_')) return 'malformed HTTP response'
  if (typeof reason === 'string') return `tls: ${reason}`
  return String(code ?? 'the connection failed')
}

const CONNECT: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['EHOSTUNREACH', 'no route to host'],
  ['ENETUNREACH', 'network is unreachable'],
  ['ETIMEDOUT', 'connection timed out'],
  ['EADDRNOTAVAIL', 'cannot assign requested address'],
  ['ENOENT', 'no such file or directory'],
  ['EACCES', 'permission denied'],
])

const UNKNOWN_AUTHORITY = 'certificate signed by unknown authority'
const CERTIFICATE: ReadonlyMap<string, string> = new Map([
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNKNOWN_AUTHORITY],
  ['SELF_SIGNED_CERT_IN_CHAIN', UNKNOWN_AUTHORITY],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNKNOWN_AUTHORITY],
  ['INVALID_CA', UNKNOWN_AUTHORITY],
  ['INVALID_PURPOSE', 'certificate specifies an incompatible key usage'],
  ['CERT_HAS_EXPIRED', 'certificate has expired or is not yet valid'],
  ['CERT_NOT_YET_VALID', 'certificate has expired or is not yet valid'],
])

function dialOf(address: unknown, port: unknown): string {
  const host = String(address)
  // Sockets of the file system have no port.
  if (port === undefined) return `dial unix ${host}`
  return `dial tcp ${host.includes(':') ? `[${host}]` : host}:${String(port)}`
}
