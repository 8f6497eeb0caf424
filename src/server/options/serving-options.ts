import type { TlsVersionName } from '../../http/tls-parameters.ts'

/** Certificates, TLS and headers of every response. */
export interface ServingOptions {
  /** Serving certificate and its key, PEM files; by default a certificate of the server's own authority. */
  readonly certFile?: string
  readonly keyFile?: string
  /** Directory of `apiserver.crt` and `apiserver.key`, made there if absent; without `certFile` alone. */
  readonly certDir?: string
  /** Further ones for clients that ask for certain names: `certificate,key` or `certificate,key:name,name`. */
  readonly sniCertKeys?: readonly string[]
  /** Oldest version of TLS; `VersionTLS12` by default. */
  readonly minTlsVersion?: TlsVersionName
  /** Cipher suites of TLS 1.2 and older; those that Node.js prefers by default. */
  readonly cipherSuites?: readonly string[]
  /** Concurrent requests on one HTTP/2 connection; 0, the default: 250. */
  readonly http2MaxStreams?: number
  /** Whether other processes may listen on the same port; needs Node.js 22.12. */
  readonly sharesPort?: boolean
  /** Whether complete responses over HTTP/1.1 are sent together; they are by default. */
  readonly joinsResponses?: boolean
  /** Whether plain requests over HTTP/1.1 are read without Node's HTTP server; they are by default. */
  readonly directHttp1?: boolean
  /** Directives of `Strict-Transport-Security`; no header by default. */
  readonly hstsDirectives?: readonly string[]
  /** Probability that a request over HTTP/2 makes its client connect anew, up to 0.02; 0 by default. */
  readonly goawayChance?: number
  /** Regular expressions of the origins whose pages may make requests; none by default. */
  readonly corsAllowedOrigins?: readonly string[]
}
