import type { Endpoints } from '../../kinds/core/endpoints.ts'
import type { Service } from '../../kinds/core/service/service.ts'
import { unavailable } from '../../meta/errors.ts'
import type { ConnectDependencies } from '../context.ts'
import { readCore } from './objects.ts'
import { checkProxyable, schemeNamePort, type ConnectCall, type Target } from './target.ts'

/** A ready endpoint of the service. Throws 400, 404 and 503. */
export async function serviceTarget(api: ConnectDependencies, call: ConnectCall): Promise<Target> {
  const { scheme, name, port } = schemeNamePort(call.name, 'service')
  const service = await readCore<Service>(api, 'services', call.namespace, name)
  const portName = namedPort(service, name, port)
  const { subsets = [] } = await readCore<Endpoints>(api, 'endpoints', call.namespace, name)
  const places = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports
      .filter((one) => (one.name ?? '') === portName)
      .flatMap((one) => addresses.map(({ ip }) => ({ ip, port: one.port }))),
  )
  const chosen = places[Math.floor(api.ids.fraction() * places.length)]
  if (!chosen) throw unavailable(`no endpoints available for service ${JSON.stringify(name)}`)
  checkProxyable(api, chosen.ip)
  return {
    scheme: scheme === '' ? 'http' : scheme,
    host: chosen.ip,
    port: String(chosen.port),
    path: call.rest,
    query: call.rawQuery,
    tls: null,
    prefix: call.base,
  }
}

/** Endpoints know ports by name only; a number is looked up in the service. Throws 503. */
function namedPort({ spec }: Service, name: string, port: string): string {
  if (!/^\d+$/.test(port)) return port
  const found = (spec.ports ?? []).find((one) => one.port === Number(port))
  if (!found)
    throw unavailable(`no service port ${Number(port)} found for service ${JSON.stringify(name)}`)
  return found.name ?? ''
}
