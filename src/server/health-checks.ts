import type { Clock } from '../base/clock.ts'
import type { HealthCheck } from '../http/context.ts'
import { ExpectedFailure } from '../http/endpoints/health.ts'
import { sharedCheck } from '../http/endpoints/shared-check.ts'
import type { ServerOptions } from './options/server-options.ts'
import type { EtcdEngine } from '../engine/etcd/engine.ts'
import type { Engine } from '../engine/engine.ts'

const ETCD_CHECK_MS = 2_000
/** A result serves all probes of this time, and of half the time that the check may take. */
const MAX_HOLD_MS = 1_000

/** Health checks of the store: etcd is queried, embedded stores need only be open. */
export function storeChecks(
  engine: Engine & Partial<Pick<EtcdEngine, 'check'>>,
  { etcd }: Pick<ServerOptions, 'etcd'>,
  clock: Clock,
): readonly HealthCheck[] {
  if (!engine.check) {
    const check = () => void engine.revision()
    const always = ['healthz', 'livez', 'readyz'] as const
    // Probes exclude or select the store by its names in the reference.
    return [
      { name: 'etcd', of: always, check },
      { name: 'etcd-readiness', of: ['readyz'], check },
      { name: 'store', of: always, check },
      // Reads and deletions continue: operators have to know, but a restart would not help.
      ...(engine.checkSpace
        ? [{ name: 'store-space', of: ['readyz'] as const, check: () => engine.checkSpace?.() }]
        : []),
    ]
  }
  const asked = (timeoutMs = ETCD_CHECK_MS) =>
    sharedCheck(() => engine.check!(timeoutMs), {
      clock,
      holdMs: Math.min(MAX_HOLD_MS, timeoutMs / 2),
    })
  return [
    {
      name: 'etcd',
      of: ['healthz', 'livez', 'readyz'],
      check: asked(etcd?.healthCheckTimeoutMs),
    },
    { name: 'etcd-readiness', of: ['readyz'], check: asked(etcd?.readyCheckTimeoutMs) },
  ]
}

/** Every condition of the server's health. */
export function healthChecks(
  store: readonly HealthCheck[],
  is: {
    readonly ready: () => boolean
    /** Whether all caches have read their data. */
    readonly synced: () => boolean
    readonly draining: () => boolean
  },
  steps: readonly HealthCheck[],
): readonly HealthCheck[] {
  const always = ['healthz', 'livez', 'readyz'] as const
  const unless = (wrong: () => boolean, text: string) => () => {
    if (wrong()) throw new ExpectedFailure(text)
  }
  return [
    { name: 'ping', of: always, check: () => {} },
    { name: 'log', of: always, check: () => {} },
    ...store,
    { name: 'informer-sync', of: ['readyz'], check: unless(() => !is.synced(), 'not finished') },
    ...steps,
    {
      name: 'poststarthook/system-namespaces',
      of: always,
      check: unless(() => !is.ready(), 'not finished'),
    },
    { name: 'shutdown', of: ['readyz'], check: unless(is.draining, 'process is shutting down') },
  ]
}
