/** Coordination with other servers over the same store. */
import { hostname } from 'node:os'
import type { Api } from '../registry/context.ts'
import type { Log } from '../base/log.ts'
import {
  ensureServerService,
  ensureService,
  reachableAddress,
  type ServerPlace,
} from './bootstrap/server-service.ts'
import { takePart, type ElectedWork, type Election, type ElectionParts } from './election.ts'
import { keepServerLease, type ServerLease } from './server-leases.ts'

/**
 * Publishes the service of the servers together with the other live ones; null where others cannot reach this server.
 * The service is created after its prerequisites, `after`, which this server may still be creating.
 */
export async function joinServers(
  api: Api,
  place: ServerPlace & { readonly log: Log },
  { renewMs, after }: { readonly renewMs: number; readonly after: Promise<unknown> },
): Promise<ServerLease | null> {
  const address = reachableAddress(place)
  if (address === null) {
    await after
    await ensureServerService(api, place)
    return null
  }
  const log = onceLog(place.log)
  let keepPorts = false
  const joining = keepServerLease({
    cache: api.cache,
    clock: api.clock,
    log,
    address,
    renewMs,
    async reconcile(addresses) {
      await after
      await ensureServerService(api, { ...place, log, living: { addresses, keepPorts } })
      // This server's are right from its start on.
      keepPorts = true
    },
  })
  // Runs in parallel; failures are logged, and retried, in the rounds of the lease.
  const service = after.then(() => ensureService(api, place))
  const [lease] = await Promise.all([joining, service.catch(() => {})])
  return lease
}

/** Runs the controllers while this server is the one that does. */
export const electedControllers = (
  api: Api,
  { log, audit }: Pick<ElectionParts, 'log' | 'audit'>,
  start: () => Promise<ElectedWork>,
): Promise<Election> =>
  takePart({
    ...{ api, log, audit },
    namespace: api.v.resolve('{system}-system'),
    name: api.v.resolve('{system}-apiserver-controllers'),
    identity: `${hostname()}_${api.ids.uid()}`,
    start,
  })

/** A repeated failure is logged once. */
function onceLog(log: Log): Pick<Log, 'warn'> {
  const logged = new Set<string>()
  return {
    warn(text, fields) {
      const line = `${text} ${JSON.stringify(fields ?? {})}`
      if (logged.has(line) || logged.size > MAX_LOGGED) return
      logged.add(line)
      log.warn(text, fields)
    },
  }
}

const MAX_LOGGED = 100
