/** Where the server behind a service is reached. */
import type { ObjectSource } from '../catalogue/object-source.ts'
import type { ServiceReference } from '../kinds/apiregistration/api-service.ts'
import type { Endpoints } from '../kinds/core/endpoints.ts'
import type { Service } from '../kinds/core/service/service.ts'
import type { ServicePort } from '../kinds/core/service/service-spec.ts'

export const SERVICES = { group: '', resource: 'services' }
export const ENDPOINTS = { group: '', resource: 'endpoints' }

/** A host, by name or address, and a port. */
export interface ServiceAddress {
  readonly host: string
  readonly port: number
}

/** How services are resolved. */
export interface ServiceRouting {
  readonly objects: Pick<ObjectSource, 'get'>
  /** Whether requests go to the endpoints of a service instead of its cluster IP. */
  readonly toEndpoints: boolean
  /** A number from 0 to 1, to choose an endpoint by. */
  readonly fraction: () => number
}

/** The port that an APIService refers to. */
export const portOf = ({ port = 443 }: ServiceReference): number => port

/** Resolves services; see {@link serviceAddress}. */
export type ServiceResolver = (reference: ServiceReference) => Promise<ServiceAddress>

/** Resolves a service now. Rejects with an Error that states the reason. */
export async function serviceAddress(
  routing: ServiceRouting,
  reference: ServiceReference,
): Promise<ServiceAddress> {
  const { namespace = '', name = '' } = reference
  const port = portOf(reference)
  const service = await routing.objects.get<Service>(SERVICES, namespace, name)
  if (!service) throw new Error(`service ${JSON.stringify(name)} not found`)
  const { type = 'ClusterIP', externalName = '', clusterIP = '', ports = [] } = service.spec
  if (type === 'ExternalName') {
    if (routing.toEndpoints) throw new Error(`unsupported service type ${JSON.stringify(type)}`)
    return { host: externalName, port }
  }
  const found = ports.find((one) => one.port === port)
  if (!found) throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`)
  if (routing.toEndpoints || clusterIP === 'None')
    return endpointOf(routing, { namespace, name }, found)
  if (clusterIP === '') throw new Error(`service ${JSON.stringify(name)} has no cluster IP`)
  return { host: clusterIP, port }
}

/** Any ready endpoint. */
async function endpointOf(
  { objects, fraction }: ServiceRouting,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  port: ServicePort,
): Promise<ServiceAddress> {
  const endpoints = await objects.get<Endpoints>(ENDPOINTS, namespace, name)
  if (!endpoints) throw new Error(`endpoints ${JSON.stringify(name)} not found`)
  const places = (endpoints.subsets ?? []).flatMap(({ addresses = [], ports = [] }) =>
    ports
      .filter((one) => (one.name ?? '') === (port.name ?? ''))
      .flatMap((one) => addresses.map(({ ip }) => ({ host: ip, port: one.port }))),
  )
  const chosen = places[Math.floor(fraction() * places.length)]
  if (!chosen) throw new Error(`no endpoints available for service ${JSON.stringify(name)}`)
  return chosen
}
