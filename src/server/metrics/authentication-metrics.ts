import type { TokenCacheMetrics } from '../../authn/token-cache.ts'
import {
  clientCertificateExpiration,
  tokenCacheActive,
  tokenCacheDuration,
  tokenCacheFetches,
  tokenCacheRequests,
} from '../../metrics/declared/access.ts'
import type { Registry } from '../../metrics/registry.ts'

/** Observes the remaining life of certificates that requests present. */
export function observeCertificates(registry: Registry): (secondsLeft: number) => void {
  const series = registry.of(clientCertificateExpiration).only
  return (secondsLeft) => series.observe(secondsLeft)
}

/** Measures the cache of tokens. */
export function tokenCacheMetrics(registry: Registry): TokenCacheMetrics {
  const seriesOf = (status: string) => ({
    requests: registry.of(tokenCacheRequests).with({ status }),
    duration: registry.of(tokenCacheDuration).with({ status }),
  })
  // Each shows from its first use on.
  let hits: ReturnType<typeof seriesOf> | null = null
  return {
    request(status, durationMs) {
      const series = status === 'hit' ? (hits ??= seriesOf(status)) : seriesOf(status)
      series.requests.inc()
      series.duration.observe(durationMs / 1000)
    },
    fetch: (status) => registry.of(tokenCacheFetches).with({ status }).inc(),
    active: (status, change) => registry.of(tokenCacheActive).with({ status }).inc(change),
  }
}
