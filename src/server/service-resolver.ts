import {
  clusterIpResolver,
  endpointResolver,
  type ServiceResolver,
} from '../client/service-address.ts'
import type { ObjectSource } from '../catalogue/object-source.ts'
import type { Settings } from './settings.ts'

/** How this server reaches services: extension servers and webhooks. */
export const serviceResolver = (
  { options, ids }: Pick<Settings, 'options' | 'ids'>,
  objects: Pick<ObjectSource, 'get'>,
): ServiceResolver =>
  options.aggregation?.routesToEndpoints === true
    ? endpointResolver(objects, ids)
    : clusterIpResolver(objects)
