/** What the condition `Available` of an APIService has to be. */
import type { ObjectSource } from '../catalogue/object-source.ts'
import type { ServiceResolver } from '../client/service-address.ts'
import type { APIService, ServiceReference } from '../kinds/apiregistration/api-service.ts'
import type { Endpoints } from '../kinds/core/endpoints.ts'
import type { Service } from '../kinds/core/service/service.ts'
import { askServer, urlOf, type AskingParts } from './ask-server.ts'
import { ENDPOINTS, servicePort, SERVICES } from './service-port.ts'

/** The condition without its type and time. */
export interface Availability {
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
}

/** What the check of an APIService needs. */
export interface AvailabilityParts extends AskingParts {
  readonly objects: Pick<ObjectSource, 'get'>
  readonly resolve: ServiceResolver
  readonly signal: AbortSignal
}

const PROBES = 5
const PROBE_MS = 5_000

const yes = (reason: string, message: string): Availability => ({ status: 'True', reason, message })
const no = (reason: string, message: string): Availability => ({ status: 'False', reason, message })

/** Whether requests for an APIService can be served now. */
export async function availabilityOf(
  parts: AvailabilityParts,
  service: APIService,
): Promise<Availability> {
  const reference = service.spec.service
  if (!reference) return yes('Local', 'Local APIServices are always available')
  const problem = await problemOf(parts.objects, reference)
  if (problem) return problem
  const failure = await discoveryFailure(parts, service, reference)
  if (failure !== null) return no('FailedDiscoveryCheck', failure)
  return yes('Passed', 'all checks passed')
}

/** What the objects of the cluster say; null: nothing against it. */
async function problemOf(
  objects: Pick<ObjectSource, 'get'>,
  reference: ServiceReference,
): Promise<Availability | null> {
  const { namespace, name, port } = servicePort(reference)
  const what = `service/${name} in ${JSON.stringify(namespace)}`
  const cannotBeChecked = (reason: string, error: unknown): Availability => ({
    status: 'Unknown',
    reason,
    message: `${what} cannot be checked due to: ${textOf(error)}`,
  })
  let service: Service | null
  try {
    service = await objects.get<Service>(SERVICES, namespace, name)
  } catch (error) {
    return cannotBeChecked('ServiceAccessError', error)
  }
  if (!service) return no('ServiceNotFound', `${what} is not present`)
  if ((service.spec.type ?? 'ClusterIP') !== 'ClusterIP') return null
  const found = (service.spec.ports ?? []).find((one) => one.port === port)
  if (!found) return no('ServicePortError', `${what} is not listening on port ${port}`)
  let endpoints: Endpoints | null
  try {
    endpoints = await objects.get<Endpoints>(ENDPOINTS, namespace, name)
  } catch (error) {
    return cannotBeChecked('EndpointsAccessError', error)
  }
  if (!endpoints) return no('EndpointsNotFound', `cannot find endpoints for ${what}`)
  const portName = found.name ?? ''
  const hasAddress = (endpoints.subsets ?? []).some(
    ({ addresses = [], ports = [] }) =>
      addresses.length > 0 && ports.some((one) => (one.name ?? '') === portName),
  )
  if (hasAddress) return null
  return no(
    'MissingEndpoints',
    `endpoints for ${what} have no addresses with port name ${JSON.stringify(portName)}`,
  )
}

/** Why no probe succeeds; null as soon as one does. */
async function discoveryFailure(
  parts: AvailabilityParts,
  service: APIService,
  reference: ServiceReference,
): Promise<string | null> {
  const over = new AbortController()
  const stop = () => over.abort()
  if (parts.signal.aborted) stop()
  else parts.signal.addEventListener('abort', stop, { once: true })
  try {
    const one = () => probe(parts, service, reference, over.signal)
    return await Promise.any(Array.from({ length: PROBES }, one)).then(() => null)
  } catch (error) {
    return textOf(error instanceof AggregateError ? error.errors.at(-1) : error)
  } finally {
    // The others are no longer needed.
    stop()
    parts.signal.removeEventListener('abort', stop)
  }
}

/** Asks for the discovery document of the group version, which every extension server has. */
async function probe(
  parts: AvailabilityParts,
  { spec }: APIService,
  reference: ServiceReference,
  signal: AbortSignal,
): Promise<void> {
  const { group = '', version = '' } = spec
  const address = await parts.resolve(servicePort(reference))
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  const url = urlOf(address, path)
  const failing = (why: string) => new Error(`failing or missing response from ${url}: ${why}`)
  const serverName = `${reference.name ?? ''}.${reference.namespace ?? ''}.svc`
  let status: number
  try {
    ;({ status } = await askServer(parts, {
      address,
      path,
      // Requests of users verify the certificate, and say what is wrong with it.
      tls: { serverName, verified: false },
      timeoutMs: PROBE_MS,
      maxBytes: 0,
      signal,
    }))
  } catch (error) {
    throw failing(textOf(error))
  }
  if (status < 200 || status >= 300) throw failing(`bad status from ${url}: ${status}`)
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
