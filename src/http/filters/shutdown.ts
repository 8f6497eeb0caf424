import { unavailable } from '../../meta/errors.ts'
import type { Filter } from '../context.ts'
import { PlainTextError } from '../plain-text.ts'
import { isLongRunning } from '../request-info.ts'

/** What operators watch until the end. */
const EXEMPT = /^\/((healthz|livez|readyz)(\/|$)|metrics$)/
const RETRY_SECONDS = '5'

/** Registers requests without a time limit, and rejects new requests during shutdown. */
export const shutdown: Filter = {
  name: 'shutdown',
  run(context) {
    const { server, info, exchange, headers } = context
    const { refusal } = server.shutdown
    if (refusal !== null && !EXEMPT.test(context.path)) {
      if (refusal === 'unavailable') throw unavailable('apiserver is shutting down', 1)
      // The next connection reaches another server.
      exchange.endConnection()
      headers.push('retry-after', RETRY_SECONDS)
      throw new PlainTextError(429, 'The apiserver is shutting down, please try again later.')
    }
    if (isLongRunning(info)) server.longRunning.add(context)
  },
}
