import { errorText } from '../../base/error-text.ts'
import { packageVersion } from '../../base/package-version.ts'
import type { Endpoint, ServerState } from '../../http/context.ts'
import { serveDiscovery } from '../../http/endpoints/discovery.ts'
import { FLOW_CONTROL_PATH, flowControlEndpoint } from '../../http/endpoints/flow-control.ts'
import { healthEndpoints } from '../../http/endpoints/health.ts'
import { indexEndpoint } from '../../http/endpoints/index-page.ts'
import { metricsEndpoint } from '../../http/endpoints/metrics.ts'
import { profilingEndpoints } from '../../http/endpoints/profiling.ts'
import { openApiDocuments, openApiPaths } from '../../http/endpoints/openapi.ts'
import { gitVersion } from '../../base/version-info.ts'
import { versionEndpoint } from '../../http/endpoints/version.ts'
import { openApiEndpoints } from '../../openapi/endpoints.ts'
import { mergedEndpoints } from '../../openapi/merged-endpoints.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

/** Endpoints beside resources. */
export interface ServerEndpoints {
  /** By path. More may be added later; the index page lists all. */
  readonly endpoints: Map<string, Endpoint>
  readonly prefixes: ServerState['prefixes']
}

/** Creates the endpoints of health, discovery, OpenAPI documents, version and index. */
export const endpoints = ({ options, v, log, metrics }: Settings) =>
  component({
    name: 'endpoints',
    needs: ['catalogue', 'aggregation', 'health', 'flowControl', 'metrics'],
    later: ['listener'],
    start(parts) {
      const { catalogue, aggregation, health, flowControl } = parts
      const documents = mergedEndpoints(
        openApiEndpoints({ catalogue, v, version: gitVersion(packageVersion()) }),
        aggregation.documents,
        (error) => log.warn('OpenAPI documents cannot be merged', { error: errorText(error) }),
      )
      const endpoints = new Map<string, Endpoint>([
        ...openApiPaths(documents),
        ...healthEndpoints(health.checks),
        ['/metrics', metricsEndpoint(metrics, () => parts.metrics.ready())],
        ...(options.profiling === false ? [] : profilingEndpoints),
        ['/version', versionEndpoint()],
      ])
      serveDiscovery(endpoints, catalogue, aggregation.order, () => parts.listener.external)
      endpoints.set(
        '/',
        indexEndpoint(() => [...endpoints.keys()]),
      )
      const prefixes = [...openApiDocuments(documents)]
      if (flowControl.control)
        prefixes.push([FLOW_CONTROL_PATH, flowControlEndpoint(flowControl.control)])
      return { part: { endpoints, prefixes } }
    },
  })
