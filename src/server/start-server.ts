/** The composition root: the components of a server, and their start. */
import { startFailure } from '../base/start-failure.ts'
import { ComponentGraph } from './component-graph.ts'
import { admission } from './components/admission.ts'
import { aggregation } from './components/aggregation.ts'
import { api } from './components/api.ts'
import { audit } from './components/audit.ts'
import { apiServices } from './components/api-services.ts'
import { authentication } from './components/authentication.ts'
import { authorization } from './components/authorization.ts'
import { bootstrapPolicy } from './components/bootstrap-policy.ts'
import { cache } from './components/cache.ts'
import { catalogue } from './components/catalogue.ts'
import type { ServerComponent, ServerParts } from './components/component.ts'
import { controllers } from './components/controllers.ts'
import { dataDir } from './components/data-dir.ts'
import { definitions } from './components/definitions.ts'
import { endpoints } from './components/endpoints.ts'
import { engine } from './components/engine.ts'
import { firstObjects } from './components/first-objects.ts'
import { flowControl } from './components/flow-control.ts'
import { flowControlObjects } from './components/flow-control-objects.ts'
import { health } from './components/health.ts'
import { identityLease } from './components/identity-lease.ts'
import { certificateRenewal } from './components/certificate-renewal.ts'
import { kubeconfig } from './components/kubeconfig.ts'
import { listener } from './components/listener.ts'
import { metrics } from './components/metrics.ts'
import { objects } from './components/objects.ts'
import { pki } from './components/pki.ts'
import { publishedAuthentication } from './components/published-authentication.ts'
import { readiness } from './components/readiness.ts'
import { requests } from './components/requests.ts'
import { serverLease } from './components/server-lease.ts'
import { serverService } from './components/server-service.ts'
import { store } from './components/store.ts'
import { tracing } from './components/tracing.ts'
import { systemPriorities } from './components/system-priorities.ts'
import { checkOptions, inOptions } from './options/option-checks.ts'
import type { RunningServer, ServerOptions } from './options/server-options.ts'
import { runningServer } from './running-server.ts'
import { readSettings, type Inside, type Settings } from './settings.ts'

/**
 * The components of a server. They start concurrently, as far as the needs of each allow, and stop in the reverse of this
 * order.
 */
const components: readonly ((settings: Settings) => ServerComponent)[] = [
  // Storage, keys, and where requests are recorded.
  ...[dataDir, engine, catalogue, store, pki, audit],
  // The verbs of the API, without HTTP.
  ...[cache, api, objects, admission],
  // Objects that are written and followed before the server is ready.
  ...[firstObjects, definitions, aggregation, authorization, systemPriorities],
  // Requests over the network.
  ...[
    tracing,
    authentication,
    health,
    metrics,
    flowControl,
    endpoints,
    requests,
    listener,
    kubeconfig,
    certificateRenewal,
  ],
  // Ready, and registered among the servers of the cluster.
  ...[readiness, serverLease, serverService, identityLease],
  // In the background, from the start on.
  ...[bootstrapPolicy, flowControlObjects, publishedAuthentication, apiServices, controllers],
]

/**
 * Starts a server in this process and resolves when it is ready. Without a data directory all data is lost when it
 * closes. Rejects when the options are invalid, or the address or the data directory is unavailable, with an Error that
 * names options.
 */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  checkOptions(options)
  try {
    return await launchServer(options)
  } catch (error) {
    throw inOptions(startFailure(error, options))
  }
}

/** The same for checked options; errors name flags, and may be those of the runtime. */
export async function launchServer(
  options: ServerOptions,
  inside: Inside = {},
): Promise<RunningServer> {
  const settings = await readSettings(options, inside)
  const graph = serverGraph(settings)
  const parts = await graph.start()
  inside.started?.(parts)
  settings.log.info('ready', {
    url: parts.listener.url,
    store: settings.store,
    vocabulary: settings.v.name,
    revision: parts.store.engine.revision(),
  })
  setImmediate(parts.listener.prepare)
  return runningServer(settings, parts, (bounded) => graph.stop(bounded))
}

/** The components of one server, not yet started. */
export const serverGraph = (settings: Settings): ComponentGraph<ServerParts> =>
  new ComponentGraph(components.map((make) => withOwnLog(make, settings)))

/** Components only declare what they do until they start: one can be made for its name. */
function withOwnLog(make: (settings: Settings) => ServerComponent, settings: Settings) {
  const { log } = settings
  return log.module ? make({ ...settings, log: log.module(make(settings).name) }) : make(settings)
}
