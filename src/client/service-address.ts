/** Where connections to a service go. */
import type { Ids } from '../base/ids.ts'
import type { ObjectSource } from '../catalogue/object-source.ts'
import type { Endpoints } from '../kinds/core/endpoints.ts'
import type { ClientConfig } from './client-config.ts'
import type { Service } from '../kinds/core/service/service.ts'

/** A port of a service. */
export interface ServicePort {
  readonly namespace: string
  readonly name: string
  readonly port: number
}

/** An address to connect to. */
export interface DialAddress {
  readonly host: string
  readonly port: number
}

/** The address of a service. */
export interface ServiceAddress extends DialAddress {
  /** The caller's identity there, an additional authority, and the name of the certificate; absent: as for others. */
  readonly as?: Required<Pick<ClientConfig, 'token' | 'ca'>> & Pick<ClientConfig, 'tlsServerName'>
}

/** Finds the address of a service at this moment. Rejects with an Error that states why there is none. */
export type ServiceResolver = (service: ServicePort) => Promise<ServiceAddress>

const SERVICES = { group: '', resource: 'services' }
const ENDPOINTS = { group: '', resource: 'endpoints' }

/** Resolves a service to its cluster IP, and one with an external name to that name. */
export function clusterIpResolver(objects: Pick<ObjectSource, 'get'>): ServiceResolver {
  return async (target) => {
    const service = await serviceOf(objects, target)
    const { type = 'ClusterIP', clusterIP = '', externalName = '' } = service.spec
    if (type === 'ExternalName') return { host: externalName, port: target.port }
    portOf(service, target)
    if (clusterIP === 'None') throw new Error('cannot route to service with ClusterIP "None"')
    if (clusterIP === '')
      throw new Error(`service ${JSON.stringify(target.name)} has no cluster IP`)
    return { host: clusterIP, port: target.port }
  }
}

/** Resolves a service to one of its ready endpoints, at random. */
export function endpointResolver(
  objects: Pick<ObjectSource, 'get'>,
  ids: Pick<Ids, 'fraction'>,
): ServiceResolver {
  return async (target) => {
    const service = await serviceOf(objects, target)
    const { type = 'ClusterIP' } = service.spec
    if (type === 'ExternalName') throw new Error(`unsupported service type ${JSON.stringify(type)}`)
    const { name: portName = '' } = portOf(service, target)
    const { namespace, name } = target
    const endpoints = await objects.get<Endpoints>(ENDPOINTS, namespace, name)
    if (!endpoints) throw new Error(`endpoints ${JSON.stringify(name)} not found`)
    const addresses = (endpoints.subsets ?? []).flatMap(({ addresses: ready = [], ports = [] }) =>
      ports
        .filter((one) => (one.name ?? '') === portName)
        .flatMap((one) => ready.map(({ ip }) => ({ host: ip, port: one.port }))),
    )
    const chosen = addresses[Math.floor(ids.fraction() * addresses.length)]
    if (chosen) return chosen
    throw new Error(`no endpoints available for service ${JSON.stringify(name)}`)
  }
}

async function serviceOf(
  objects: Pick<ObjectSource, 'get'>,
  { namespace, name }: ServicePort,
): Promise<Service> {
  const service = await objects.get<Service>(SERVICES, namespace, name)
  if (!service) throw new Error(`service ${JSON.stringify(name)} not found`)
  return service
}

function portOf({ spec: { ports = [] } }: Service, { name, port }: ServicePort) {
  const found = ports.find((one) => one.port === port)
  if (found) return found
  throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`)
}
