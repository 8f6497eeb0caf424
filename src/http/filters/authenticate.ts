import type { Filter } from '../context.ts'

/** Who asks: 401 when what the client showed does not hold. */
export const authenticate: Filter = {
  name: 'authenticate',
  run(context) {
    context.user = context.server.authenticate(context.exchange)
  },
}
