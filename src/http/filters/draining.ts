import { unavailable } from '../../meta/errors.ts'
import type { Filter } from '../context.ts'

const HEALTH = /^\/(healthz|livez|readyz)(\/|$)/

/** Rejects new requests during shutdown. */
export const draining: Filter = {
  name: 'draining',
  run(context) {
    if (context.server.draining && !HEALTH.test(context.path)) {
      throw unavailable('apiserver is shutting down', 1)
    }
  },
}
