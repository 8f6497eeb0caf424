import { ensureServerService, type ServerPlace } from '../bootstrap/server-service.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'
import type { Listening } from './listener.ts'

/** The service by which programs in the cluster find the servers. */
export const serverService = (settings: Settings) =>
  component({
    name: 'serverService',
    needs: ['api', 'engine', 'health', 'listener', 'readiness', 'serverLease'],
    async start({ api, engine, health, listener }) {
      const place = placeOf(settings, listener)
      // Servers that share it make it with their leases.
      if (!engine.isShared || !place.reconciled) await ensureServerService(api, place)
      health.progress.done('bootstrap-controller')
      return { part: null }
    },
  })

/** Where this server is. */
export const placeOf = (
  { options, bindAddress, ranges, log }: Settings,
  { port }: Listening,
): ServerPlace & Pick<Settings, 'log'> => ({
  clusterIp: ranges.addresses[0]!.at(0),
  bindAddress,
  advertiseAddress: options.advertiseAddress ?? '',
  port,
  log,
  reconciled: options.endpointReconciler !== 'none',
})
