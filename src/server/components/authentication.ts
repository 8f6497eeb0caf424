import { systemClock } from '../../base/clock.ts'
import { openAuthentication } from '../open-authentication.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

/** Opens the authenticators that the options name. */
export const authentication = (settings: Settings) =>
  component({
    name: 'authentication',
    needs: ['objects', 'pki', 'authorization'],
    async start({ objects, pki, authorization }) {
      const { options, inside, v, clock, log, metrics, ownService, egress } = settings
      const part = await openAuthentication(options.authentication ?? {}, {
        v,
        clock,
        certificateClock: inside.certificateClock ?? systemClock,
        log,
        onCall: inside.onWebhookCall,
        objects,
        pki,
        metrics,
        through: egress.controlplane,
        loopback: ownService,
        anonymousAllowed: !authorization.modes.includes('AlwaysAllow'),
      })
      return { part, stop: () => part.close() }
    },
  })
