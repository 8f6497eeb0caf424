import { systemClock } from '../../base/clock.ts'
import { openAuthentication } from '../open-authentication.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

/** Opens the authenticators that the options name. */
export const authentication = ({ options, inside, v, clock, log, metrics, ownService }: Settings) =>
  component({
    name: 'authentication',
    needs: ['objects', 'pki', 'authorization'],
    async start({ objects, pki, authorization }) {
      const part = await openAuthentication(options.authentication ?? {}, {
        v,
        clock,
        certificateClock: inside.certificateClock ?? systemClock,
        log,
        onCall: inside.onWebhookCall,
        objects,
        pki,
        metrics,
        loopback: ownService,
        anonymousAllowed: !authorization.modes.includes('AlwaysAllow'),
      })
      return { part, stop: () => part.close() }
    },
  })
