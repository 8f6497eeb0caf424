import { openAuthorization } from '../open-authorization.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

/** Opens the authorizers that the options name. */
export const authorization = ({ options, inside, v, clock, log, metrics, egress }: Settings) =>
  component({
    name: 'authorization',
    needs: ['objects'],
    async start({ objects }) {
      const part = await openAuthorization(options.authorization ?? {}, {
        ...{ v, clock, log, objects, metrics },
        onCall: inside.onWebhookCall,
        through: egress.controlplane,
      })
      return { part, stop: () => part.close() }
    },
  })
