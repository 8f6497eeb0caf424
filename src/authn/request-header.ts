import { CredentialError, type RequestAuthenticator } from './authenticator.ts'
import { CertificateVerifier, type VerifierOptions } from './connection-certificate.ts'
import { extrasOf, firstHeader, headerValues } from './header-values.ts'

/** The headers in which an authenticating proxy names users. */
export interface RequestHeaderNames {
  /** The first that holds a value gives the user name. */
  readonly usernameHeaders: readonly string[]
  readonly groupHeaders: readonly string[]
  readonly extraHeaderPrefixes: readonly string[]
}

export interface RequestHeaderOptions extends Omit<VerifierOptions, 'describe'> {
  readonly names: RequestHeaderNames
  /** Common names of proxies; empty: any whose certificate holds. */
  readonly allowedNames: readonly string[]
}

const lower = (names: readonly string[]) => names.map((name) => name.toLowerCase())

/**
 * Authenticates users by the headers of a proxy, when the proxy itself shows a certificate.
 * Without one the headers mean nothing.
 */
export function requestHeader(options: RequestHeaderOptions): RequestAuthenticator {
  const { bundle, certificates, clock, allowedNames } = options
  const usernameHeaders = lower(options.names.usernameHeaders)
  const groupHeaders = lower(options.names.groupHeaders)
  const extraHeaderPrefixes = lower(options.names.extraHeaderPrefixes)
  const verifier = new CertificateVerifier({ bundle, certificates, clock })
  return {
    name: 'request header',
    authenticateRequest(request) {
      const proxy = verifier.verified(request.socket)
      if (!proxy) return null
      if (allowedNames.length > 0 && !allowedNames.includes(proxy.commonName)) {
        throw new CredentialError(
          `x509: subject with cn=${proxy.commonName} is not in the allowed list`,
        )
      }
      const name = usernameHeaders.map((header) => firstHeader(request, header)).find(Boolean)
      if (name === undefined) return null
      const groups = groupHeaders
        .flatMap((header) => headerValues(request, header))
        .filter((group) => group !== '')
      const extra = extrasOf(request, extraHeaderPrefixes)
      return { user: { name, uid: '', groups, extra }, audiences: null }
    },
    ignores: ({ socket }) => certificates.hasNone(socket),
  }
}

/** Throws an Error when a list of names of a flag holds an empty one. */
export function checkHeaderNames(flag: string, names: readonly string[]): void {
  if (names.some((name) => name.trim() === '')) throw new Error(`--${flag} holds an empty name`)
}
