import type { IncomingHttpHeaders } from 'node:http'

const DEFAULT_MS = 5 * 60_000
const LONGEST_MS = 24 * 60 * 60_000
const NOT_CACHEABLE = /(?:^|[\s,])(?:no-store|no-cache)(?:$|[\s,;=])/i
const MAX_AGE = /(?:^|[\s,])max-age\s*=\s*"?(\d+)/i

/**
 * How long a response may be cached according to its headers (RFC 9111), in milliseconds. At most a day: a key that was
 * withdrawn must be noticed some time.
 */
export function freshForMs(headers: IncomingHttpHeaders): number {
  const control = headers['cache-control'] ?? ''
  if (NOT_CACHEABLE.test(control)) return 0
  const age = Number(headers.age ?? 0) * 1000 || 0
  const seconds = MAX_AGE.exec(control)?.[1]
  if (seconds !== undefined) return bounded(Number(seconds) * 1000 - age)
  if (headers.expires === undefined) return DEFAULT_MS
  const lifetime = Date.parse(headers.expires) - Date.parse(headers.date ?? '')
  // An `Expires` that is no date means "in the past".
  return Number.isNaN(lifetime) ? 0 : bounded(lifetime - age)
}

const bounded = (ms: number): number => Math.min(Math.max(ms, 0), LONGEST_MS)
