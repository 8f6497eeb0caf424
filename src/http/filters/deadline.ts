import { parseDurationMs } from '../../base/duration.ts'
import { first } from '../../api/context.ts'
import { badRequest, timeout } from '../../schema/errors.ts'
import { statusAnswer, writeAnswer } from '../answer.ts'
import type { Context, Filter, ServerState } from '../context.ts'
import type { RequestInfo } from '../request-info.ts'

const STREAMS = ['attach', 'exec', 'proxy', 'log', 'portforward']

/** Requests that may go on as long as they like. */
export const isLongRunning = (info: RequestInfo) =>
  info.verb === 'watch' ||
  info.verb === 'proxy' ||
  (info.isResource && STREAMS.includes(info.subresource))

/** Bounds the time until an answer begins, by the server's limit or a smaller `timeout` of the request. */
export const deadline: Filter = {
  name: 'deadline',
  run(context) {
    if (isLongRunning(context.info)) return
    let limitMs = context.server.requestTimeoutMs
    const asked = context.query.size === 0 ? undefined : first(context.query, 'timeout')
    if (asked !== undefined && asked !== '') {
      let askedMs: number
      try {
        askedMs = parseDurationMs(asked)
      } catch (error) {
        throw badRequest(
          `invalid timeout specified in the request URL - ${error instanceof Error ? error.message : String(error)}`,
        )
      }
      if (askedMs > 0) limitMs = Math.min(limitMs, askedMs)
    }
    context.limitMs = limitMs
  },
  waiting(context) {
    if (context.limitMs === Infinity) return
    context.deadline = context.server.api.clock.now() + context.limitMs
    context.server.underway.add(context)
  },
  after(context) {
    context.server.underway.delete(context)
  },
}

const LOOK_EVERY_MS = 250

/** Answers for requests whose time is up; one timer for all of them. Returns its end. */
export function watchDeadlines(server: ServerState): () => void {
  let ended = false
  let cancel = () => {}
  const look = () => {
    if (ended) return
    const now = server.api.clock.now()
    for (const context of server.underway) if (context.deadline <= now) expire(context)
    cancel = server.api.clock.after(LOOK_EVERY_MS, look)
  }
  cancel = server.api.clock.after(LOOK_EVERY_MS, look)
  return () => {
    ended = true
    cancel()
  }
}

function expire(context: Context): void {
  context.server.underway.delete(context)
  const { exchange } = context
  if (!exchange.begun) {
    const error = timeout('request did not complete within the allotted timeout')
    void writeAnswer(context, statusAnswer(context, error))
  }
  exchange.abort()
}
