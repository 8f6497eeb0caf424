import type { Log } from '../base/log.ts'
import { shortened } from '../base/short-text.ts'
import type { ObservedRequest } from './request-record.ts'
import type { StageSubscriber } from './stages.ts'

/** The `-v` level of the lines. */
const REQUEST_LOG_LEVEL = 3

const MAX_TARGET = 2048
const MAX_AGENT = 1024

/** Logs one line for each request at its end. Without bodies and headers: nothing in it is secret. */
export const requestLog = (log: Log): StageSubscriber => ({
  name: 'request log',
  responseComplete: (request) => log.debug(REQUEST_LOG_LEVEL, 'HTTP', fieldsOf(request)),
  panic: (request) => log.debug(REQUEST_LOG_LEVEL, 'HTTP', { ...fieldsOf(request), panic: true }),
})

const fieldsOf = (request: ObservedRequest) => ({
  verb: verbOf(request),
  URI: targetOf(request),
  latency: `${request.endedAt - request.receivedAt}ms`,
  userAgent: shortened(request.headers['user-agent'] ?? '', MAX_AGENT),
  'audit-ID': request.auditId,
  srcIP: request.remoteAddress,
  resp: request.status,
})

function verbOf({ info, method }: ObservedRequest): string {
  const { verb = '' } = info ?? {}
  return verb === 'list' || verb === 'watch' ? verb.toUpperCase() : method
}

/** Parameters of commands, and of what is proxied, may be secret. */
function targetOf({ target, info, isLongRunning }: ObservedRequest): string {
  const mark = target.indexOf('?')
  const isShown = info !== null && (!isLongRunning || info.verb === 'watch')
  if (mark === -1 || isShown) return shortened(target, MAX_TARGET)
  return `${shortened(target.slice(0, mark), MAX_TARGET)}?...`
}
