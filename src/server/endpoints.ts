import type { Api } from '../registry/context.ts'
import type { Endpoint, HealthCheck, ServerState } from '../http/context.ts'
import { serveDiscovery } from '../http/endpoints/discovery.ts'
import { healthEndpoints } from '../http/endpoints/health.ts'
import { indexEndpoint } from '../http/endpoints/index-page.ts'
import { openApiDocuments, openApiPaths } from '../http/endpoints/openapi.ts'
import { gitVersion, versionEndpoint } from '../http/endpoints/version.ts'
import { openApiEndpoints } from '../openapi/endpoints.ts'
import { buildInfo, packageVersion } from '../base/package-version.ts'

/** What is served beside resources. More may be added to the map later: the index page tells what is there. */
export function serverEndpoints(
  { catalogue, v }: Pick<Api, 'catalogue' | 'v'>,
  { health, address }: { readonly health: readonly HealthCheck[]; readonly address: () => string },
): { readonly endpoints: Map<string, Endpoint>; readonly prefixes: ServerState['prefixes'] } {
  const documents = openApiEndpoints({ catalogue, v, version: gitVersion(packageVersion()) })
  const endpoints = new Map<string, Endpoint>([
    ...openApiPaths(documents),
    ...healthEndpoints(health),
    ['/version', versionEndpoint({ version: packageVersion(), ...buildInfo() })],
  ])
  serveDiscovery(endpoints, catalogue, address)
  endpoints.set(
    '/',
    indexEndpoint(() => [...endpoints.keys()]),
  )
  return { endpoints, prefixes: openApiDocuments(documents) }
}
