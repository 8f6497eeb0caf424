import { yieldToEventLoop } from '../../base/event-loop.ts'
import { usesRbac } from '../open-authorization.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

/** Work on the roles and bindings that every cluster has. */
export interface BootstrapPolicy {
  /** Resolves when they are as they have to be, or that failed. */
  readonly settled: Promise<void>
}

/** Brings roles and bindings of the bootstrap policy up to date. Nobody waits for it at the start. */
export const bootstrapPolicy = ({ options, log }: Settings) =>
  component({
    name: 'bootstrapPolicy',
    needs: ['api', 'firstObjects', 'health', 'kubeconfig', 'serverService'],
    start({ api, firstObjects, health }) {
      const ending = new AbortController()
      const ensure = async () => {
        // After whoever waits for the server goes on.
        await yieldToEventLoop()
        if (!usesRbac(options.authorization) || firstObjects.isSeeded) return
        const { ensureBootstrapPolicy } = await import('../bootstrap/policy.ts')
        const settled = ensureBootstrapPolicy(api, { signal: ending.signal })
        void health.progress.follow('rbac/bootstrap-roles', settled)
        await settled
      }
      const settled = ensure().catch((error: unknown) => {
        log.error('the standing roles cannot be made', { error: String(error) })
      })
      return { part: { settled }, stop: () => ending.abort() }
    },
  })
