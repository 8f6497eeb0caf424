import { randomUuid } from '../../base/ids.ts'
import type { Filter } from '../context.ts'

const MAX_LENGTH = 64

/** Gives the request its id, or takes over the one it came with. */
export const auditId: Filter = {
  name: 'auditId',
  run(context) {
    const given = context.exchange.headers['audit-id']
    const usable = typeof given === 'string' && given.length <= MAX_LENGTH && /^[\w-]+$/.test(given)
    context.headers.push('audit-id', usable ? given : randomUuid())
  },
}
