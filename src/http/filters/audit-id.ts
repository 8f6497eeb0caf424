import type { Filter } from '../context.ts'

const MAX_LENGTH = 64

/** Sets the audit ID of the request, or accepts the one it has. */
export const auditId: Filter = {
  name: 'auditId',
  run(context) {
    const sent = context.exchange.headers['audit-id']
    const usable = typeof sent === 'string' && sent.length <= MAX_LENGTH && /^[\w-]+$/.test(sent)
    context.headers.push('audit-id', usable ? sent : context.server.auditIds.next())
  },
}
