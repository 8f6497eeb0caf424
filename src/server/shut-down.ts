import type { ServerParts } from './components/component.ts'
import type { Settings } from './settings.ts'

/**
 * Ends a server that is ready. It serves for the delay, and is not ready meanwhile, so that load balancers stop sending
 * requests; other servers no longer name it among the endpoints. Then requests are finished and connections closed, and
 * at last `stop` stops the components: audit is flushed, the store closed.
 */
export async function shutDown(
  { options, clock, log }: Pick<Settings, 'options' | 'clock' | 'log'>,
  parts: Readonly<Pick<ServerParts, 'requests' | 'listener' | 'serverLease'>>,
  stop: () => Promise<void>,
): Promise<void> {
  const { shutdownDelayMs = 0 } = options
  parts.requests.state.shutdown.hasBegun = true
  const delay =
    shutdownDelayMs === 0
      ? null
      : new Promise<void>((resolve) => void clock.after(shutdownDelayMs, resolve))
  // It reports its failures itself.
  await Promise.all([delay, parts.serverLease?.stop()])
  log.info('no new requests are accepted')
  await parts.listener.drain()
  log.info('all requests have ended')
  await stop()
}
