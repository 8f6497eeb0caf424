import type { Clock } from '../base/clock.ts'
import type { Bounded } from './component-graph.ts'
import { graceOf } from './components/listener.ts'
import type { ServerParts } from './components/component.ts'
import type { Settings } from './settings.ts'

/** What each component gets to stop, milliseconds. */
const STOP_MS = 15_000
/** What all of them get. */
const ALL_STOP_MS = 30_000

/**
 * Ends a server that is ready. It serves for the delay, and is not ready meanwhile, so that load balancers stop sending
 * requests; other servers no longer name it among the endpoints. Then requests are finished and connections closed, and
 * at last `stop` stops the components: audit is flushed, the store closed. Rejects when that takes longer than it may, and
 * logs what was still open.
 */
export async function shutDown(
  { options, clock, log }: Pick<Settings, 'options' | 'clock' | 'log'>,
  parts: Readonly<Pick<ServerParts, 'requests' | 'listener' | 'serverLease'>>,
  stop: (bounded: Bounded) => Promise<void>,
): Promise<void> {
  const { shutdownDelayMs = 0 } = options
  let step = 'the delay'
  parts.requests.state.shutdown.hasBegun = true
  const inOrder = async () => {
    const delay =
      shutdownDelayMs === 0
        ? null
        : new Promise<void>((resolve) => void clock.after(shutdownDelayMs, resolve))
    // It reports its failures itself.
    await Promise.all([delay, parts.serverLease?.stop()])
    step = 'requests and connections'
    log.info('no new requests are accepted')
    await parts.listener.drain()
    log.info('all requests have ended')
    await stop((name, stopped) => {
      step = `the component ${name}`
      return within({ clock, ms: STOP_MS, late: () => new Late(step) }, stopped)
    })
  }
  const ms = shutdownDelayMs + graceOf(options) + ALL_STOP_MS
  const late = () => new Late(step)
  try {
    await within({ clock, ms, late }, inOrder())
  } catch (error) {
    if (error instanceof Late) {
      const { requests, connections, longRunning } = parts.listener.open()
      const named = longRunning.join(', ')
      log.error('the shutdown takes too long', {
        at: error.step,
        requests,
        connections,
        longRunning: named,
      })
    }
    throw error
  }
}

/** Something that did not end within its time. */
class Late extends Error {
  readonly step: string

  constructor(step: string) {
    super(`the shutdown took too long at ${step}`)
    this.name = 'Late'
    this.step = step
  }
}

interface Limit {
  readonly clock: Clock
  readonly ms: number
  readonly late: () => Error
}

/** Settles as a promise does, or rejects when it takes longer than the limit. */
function within<T>({ clock, ms, late }: Limit, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => reject(late()))
    promise.then(resolve, reject).finally(cancel)
  })
}
