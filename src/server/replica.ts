/** What a server does because there may be others over the same store. */
import { hostname } from 'node:os'
import type { Api } from '../registry/context.ts'
import type { Log } from '../base/log.ts'
import {
  ensureServerService,
  ensureService,
  reachableAddress,
  type ServerPlace,
} from './bootstrap/server-service.ts'
import { takePart, type ElectedWork, type Election } from './election.ts'
import { keepServerLease, type ServerLease } from './server-leases.ts'

/**
 * Shares the service of the servers with the others that live; null where nobody could reach this one. The service is
 * made after what it needs, `after`, which this server may still be making.
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
  // At the same time; what fails is told of, and tried again, in the rounds of the lease.
  const service = after.then(() => ensureService(api, place))
  const [lease] = await Promise.all([joining, service.catch(() => {})])
  return lease
}

/** Runs the controllers while this server is the one that does. */
export const electedControllers = (
  api: Api,
  log: Log,
  start: () => Promise<ElectedWork>,
): Promise<Election> =>
  takePart({
    api,
    log,
    namespace: api.v.resolve('{system}-system'),
    name: api.v.resolve('{system}-apiserver-controllers'),
    identity: `${hostname()}_${api.ids.uid()}`,
    start,
  })

/** What goes wrong each time is said once. */
function onceLog(log: Log): Pick<Log, 'warn'> {
  const said = new Set<string>()
  return {
    warn(text, fields) {
      const line = `${text} ${JSON.stringify(fields ?? {})}`
      if (said.has(line) || said.size > MOST_SAID) return
      said.add(line)
      log.warn(text, fields)
    },
  }
}

const MOST_SAID = 100
