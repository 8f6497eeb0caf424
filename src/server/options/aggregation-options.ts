/** Options of the proxy in front of extension servers, which APIServices name. */
export interface AggregationOptions {
  /** Whether requests for extension servers and webhooks go to endpoints instead of cluster IPs; false by default. */
  readonly routesToEndpoints?: boolean
  /** Client certificate for extension servers, PEM, reloaded when it changes; by default the servers make one. */
  readonly proxyClientCertFile?: string
  /** Its private key, PEM. */
  readonly proxyClientKeyFile?: string
  /** Whether redirects of extension servers are refused; they are by default. */
  readonly refusesRedirects?: boolean
}
