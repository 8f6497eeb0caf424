import { counter, exponentialBuckets, gauge, histogram } from '../declaration.ts'

const HOUR = 3600
const DAY = 24 * HOUR

export const authenticatedUserRequests = counter('authenticated_user_requests', {
  labels: ['username'],
  help: 'Authenticated requests, by user; all but a few users are one.',
})

export const authenticationAttempts = counter('authentication_attempts', {
  labels: ['result'],
  help: 'Attempts to authenticate: success, failure without a known user, error of a credential.',
})

export const authenticationDuration = histogram(
  'authentication_duration_seconds',
  exponentialBuckets(0.001, 2, 15),
  { labels: ['result'], help: 'Time until the user of a request was known, in seconds.' },
)

export const tokenCacheRequests = counter('authentication_token_cache_request_total', {
  labels: ['status'],
  help: 'Requests to the cache of tokens: hit or miss.',
})

export const tokenCacheDuration = histogram(
  'authentication_token_cache_request_duration_seconds',
  [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  { labels: ['status'], help: 'Time of requests to the cache of tokens, in seconds.' },
)

export const tokenCacheFetches = counter('authentication_token_cache_fetch_total', {
  labels: ['status'],
  help: 'Tokens that were looked up: ok or error.',
})

export const tokenCacheActive = gauge('authentication_token_cache_active_fetch_count', {
  labels: ['status'],
  help: 'Tokens that are being looked up, and requests that wait for another look-up.',
})

export const clientCertificateExpiration = histogram(
  'apiserver_client_certificate_expiration_seconds',
  [
    ...[0, HOUR / 2, HOUR, 2 * HOUR, 6 * HOUR, 12 * HOUR],
    ...[1, 2, 4, 7, 30, 90, 180, 360].map((days) => days * DAY),
  ],
  { help: 'Remaining life of the certificates that requests were authenticated by, in seconds.' },
)

export const ownCertificateExpiration = gauge('{brand}_certificate_expiration_seconds', {
  labels: ['certificate'],
  help: 'Remaining life of the certificates of the server: serving, administrator, authority.',
})

export const legacyTokens = counter('serviceaccount_legacy_tokens_total', {
  help: 'Requests with a service account token from a secret.',
})

export const validTokens = counter('serviceaccount_valid_tokens_total', {
  help: 'Requests with a service account token that is valid and need not be renewed.',
})

export const staleTokens = counter('serviceaccount_stale_tokens_total', {
  help: 'Requests with a service account token that was to be renewed before.',
})

export const auditEvents = counter('apiserver_audit_event_total', {
  help: 'Audit events that were made.',
})

export const auditErrors = counter('apiserver_audit_error_total', {
  labels: ['plugin'],
  help: 'Audit events that were lost, by backend.',
})

export const auditLevels = counter('apiserver_audit_level_total', {
  labels: ['level'],
  help: 'Requests by the level of their audit.',
})

export const auditRejections = counter('apiserver_audit_requests_rejected_total', {
  help: 'Requests that were refused since their event could not be stored.',
})

export const requestFilterDuration = histogram(
  'apiserver_request_filter_duration_seconds',
  [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5],
  {
    labels: ['filter'],
    help: 'Time that requests waited in a filter, in seconds; 0 where it did not have to wait.',
  },
)

export const tlsHandshakeErrors = counter('apiserver_tls_handshake_errors_total', {
  help: 'TLS handshakes that failed.',
})
