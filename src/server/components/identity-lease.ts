import { hostname } from 'node:os'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

const DURATION_SECONDS = 3600
const RENEW_SECONDS = 10

/** Keeps the Lease by which this server is known, where the feature gate is on. */
export const identityLease = ({ options, gate, log, bindAddress }: Settings) =>
  component({
    name: 'identityLease',
    needs: ['api', 'audit', 'firstObjects', 'listener', 'readiness'],
    async start({ api, audit, listener }) {
      if (!gate('APIServerIdentity')) return { part: null }
      const { keepIdentity } = await import('../identity-lease.ts')
      const { durationSeconds = DURATION_SECONDS, renewSeconds = RENEW_SECONDS } =
        options.identityLease ?? {}
      const { stop } = keepIdentity({
        ...{ api, audit: audit.trail, log, durationSeconds, renewSeconds },
        // There may be several on one machine.
        place: [hostname(), bindAddress, listener.port].join(' '),
      })
      return { part: null, stop }
    },
  })
