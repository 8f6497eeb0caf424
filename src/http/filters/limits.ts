import type { Filter } from '../context.ts'

/** Limits the requests that are executed at a time: 429 beyond. */
export const limits: Filter = {
  name: 'limits',
  run(context) {
    const { limits: inForce } = context.server
    if (inForce !== null) return inForce.admit(context)
  },
}
