import type { ObjectSource } from '../catalogue/object-source.ts'
import {
  serviceAddress,
  type ServiceResolver,
  type ServiceRouting,
} from '../client/service-address.ts'
import type { Settings } from './settings.ts'

/** How the options say that services are resolved. */
export const serviceRouting = (
  { options, ids }: Pick<Settings, 'options' | 'ids'>,
  objects: Pick<ObjectSource, 'get'>,
): ServiceRouting => ({
  objects,
  toEndpoints: options.aggregation?.routesToEndpoints ?? false,
  fraction: () => ids.fraction(),
})

/** Resolves services as the options say. */
export function serviceResolver(
  settings: Pick<Settings, 'options' | 'ids'>,
  objects: Pick<ObjectSource, 'get'>,
): ServiceResolver {
  const routing = serviceRouting(settings, objects)
  return (reference) => serviceAddress(routing, reference)
}
