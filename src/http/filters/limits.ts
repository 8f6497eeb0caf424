import type { Filter } from '../context.ts'

/** Limits the requests that are executed at a time: 429 beyond. */
export const limits: Filter = {
  name: 'limits',
  isNeeded: (server) => server.limits !== null,
  run: (context) => context.server.limits?.admit(context),
}
