import { elapsedOf } from '../../base/clock.ts'
import type { HealthCheck } from '../../http/context.ts'
import { healthChecks, storeChecks } from '../health-checks.ts'
import { usesRbac } from '../open-authorization.ts'
import type { Settings } from '../settings.ts'
import { StartProgress } from '../start-progress.ts'
import { component } from './component.ts'

/** The health checks, and setters of their results. */
export interface Health {
  readonly checks: readonly HealthCheck[]
  readonly progress: StartProgress
  /** Reports that the system namespaces exist. */
  namespacesReady(): void
}

/** Health checks of the server. */
export const health = ({ options, v, clock, flowLimits }: Settings) =>
  component({
    name: 'health',
    needs: ['engine', 'admission', 'authorization', 'authentication'],
    later: ['requests'],
    start(parts) {
      const progress = new StartProgress([
        ...(usesRbac(options.authorization) ? [] : (['rbac/bootstrap-roles'] as const)),
        ...(options.controllers === false
          ? (['start-apiextensions-informers', 'start-apiextensions-controllers'] as const)
          : []),
        ...(flowLimits.isFair
          ? (['max-in-flight-filter'] as const)
          : (['priority-and-fairness-config-consumer', 'priority-and-fairness-filter'] as const)),
      ])
      // Their sources have been read: the components above have started.
      progress.done(
        'start-{system}-apiserver-admission-initializer',
        'generic-apiserver-start-informers',
        'storage-object-count-tracker-hook',
      )
      const liveUntilMs = elapsedOf(clock) + (options.livezGraceMs ?? 0)
      let isReady = false
      const checks = healthChecks(
        storeChecks(parts.engine, options, clock),
        {
          ready: () => isReady,
          synced: () => isReady && parts.admission.chain.isReady(),
          draining: () => parts.requests.state.shutdown.hasBegun,
        },
        progress.checks(v, () => elapsedOf(clock) < liveUntilMs),
      )
      return { part: { checks, progress, namespacesReady: () => void (isReady = true) } }
    },
  })
