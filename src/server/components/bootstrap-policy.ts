import { yieldToEventLoop } from '../../base/event-loop.ts'
import { usesRbac } from '../open-authorization.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

/** Reconciliation of the bootstrap policy. */
export interface BootstrapPolicy {
  /** Resolves when it has finished or failed. */
  readonly settled: Promise<void>
}

/** Reconciles roles and bindings of the bootstrap policy in the background. */
export const bootstrapPolicy = ({ options, log }: Settings) =>
  component({
    name: 'bootstrapPolicy',
    needs: ['api', 'firstObjects', 'health', 'kubeconfig', 'serverService'],
    start({ api, firstObjects, health }) {
      const ending = new AbortController()
      const ensure = async () => {
        // The caller of the start continues first.
        await yieldToEventLoop()
        if (!usesRbac(options.authorization) || firstObjects.isSeeded) return
        const { ensureBootstrapPolicy } = await import('../bootstrap/policy.ts')
        const settled = ensureBootstrapPolicy(api, { signal: ending.signal })
        void health.progress.follow('rbac/bootstrap-roles', settled)
        await settled
      }
      const settled = ensure().catch((error: unknown) => {
        log.error('the bootstrap policy cannot be written', { error: String(error) })
      })
      return { part: { settled }, stop: () => ending.abort() }
    },
  })
