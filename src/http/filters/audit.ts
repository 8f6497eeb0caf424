import type { Context, Filter } from '../context.ts'
import { internalErrorText } from '../plain-text.ts'

/** Records the request before anything is done for it: 500 when that fails and the server must not go on without. */
export const audit: Filter = {
  name: 'audit',
  run(context) {
    const { record, server } = context
    if (record === null || server.audit === null) return
    const stored = server.audit.begins(record)
    if (stored === true) return
    if (stored === false) throw notStored(context)
    return stored.then((done) => {
      if (!done) throw notStored(context)
    })
  },
}

const notStored = ({ exchange }: Context) =>
  internalErrorText(exchange.target, 'failed to store audit event')
