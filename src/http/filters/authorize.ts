import type { Filter } from '../context.ts'

/** Whether they may: 403 when not. */
export const authorize: Filter = {
  name: 'authorize',
  run(context) {
    context.server.authorize(context.user, context.info)
  },
}
