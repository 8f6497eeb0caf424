import { ensureServerService, type ServerPlace } from '../bootstrap/server-service.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'
import type { Listening } from './listener.ts'

/** Writes the service by which programs in the cluster find the servers, with its endpoints. */
export const serverService = (settings: Settings) =>
  component({
    name: 'serverService',
    needs: ['api', 'engine', 'health', 'listener', 'readiness', 'serverLease'],
    async start({ api, engine, health, listener }) {
      const place = placeOf(settings, listener)
      // Servers that share a store write it together with their leases.
      if (!engine.isShared || !place.reconciled) await ensureServerService(api, place)
      health.progress.done('bootstrap-controller')
      return { part: null }
    },
  })

/** Where others reach this server. */
export const placeOf = (
  { options, bindAddress, ranges, log }: Settings,
  { port }: Listening,
): ServerPlace & Pick<Settings, 'log'> => ({
  clusterIp: ranges.addresses[0]!.at(0),
  bindAddress,
  advertiseAddress: options.advertiseAddress ?? '',
  port,
  log,
  nodePort: options.serviceNodePort ?? 0,
  reconciled: options.endpointReconciler !== 'none',
})
