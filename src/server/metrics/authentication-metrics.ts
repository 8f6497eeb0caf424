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
  return {
    request(status, durationMs) {
      registry.of(tokenCacheRequests).with({ status }).inc()
      registry
        .of(tokenCacheDuration)
        .with({ status })
        .observe(durationMs / 1000)
    },
    fetch: (status) => registry.of(tokenCacheFetches).with({ status }).inc(),
    active: (status, change) => registry.of(tokenCacheActive).with({ status }).inc(change),
  }
}
