import type { Settings } from '../settings.ts'
import { component } from './component.ts'
import { placeOf } from './server-service.ts'

const RENEW_MS = 10_000

/** Registers this server with others over the same store; null if the store is not shared or it has no reachable address. */
export const serverLease = (settings: Settings) =>
  component({
    name: 'serverLease',
    needs: ['api', 'engine', 'listener'],
    beside: ['firstObjects'],
    async start({ api, engine, listener }, { firstObjects }) {
      const { options } = settings
      if (!engine.isShared || options.endpointReconciler === 'none') return { part: null }
      const { joinServers } = await import('../replica.ts')
      const { renewMs = RENEW_MS } = options.serverLease ?? {}
      const part = await joinServers(api, placeOf(settings, listener), {
        renewMs,
        after: firstObjects,
      })
      return { part, stop: () => part?.stop() }
    },
  })
