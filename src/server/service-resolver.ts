import {
  clusterIpResolver,
  endpointResolver,
  type ServiceResolver,
} from '../client/service-address.ts'
import type { ObjectSource } from '../catalogue/object-source.ts'
import type { Settings } from './settings.ts'

/** How this server reaches the services of webhooks: as below, but its own service is this server itself. */
export function webhookResolver(
  settings: Pick<Settings, 'options' | 'ids' | 'ownService'>,
  objects: Pick<ObjectSource, 'get'>,
): ServiceResolver {
  const others = serviceResolver(settings, objects)
  return async (service) => settings.ownService.addressOf(service) ?? others(service)
}

/** How this server reaches services: extension servers and webhooks. */
export const serviceResolver = (
  { options, ids }: Pick<Settings, 'options' | 'ids'>,
  objects: Pick<ObjectSource, 'get'>,
): ServiceResolver =>
  options.aggregation?.routesToEndpoints === true
    ? endpointResolver(objects, ids)
    : clusterIpResolver(objects)
