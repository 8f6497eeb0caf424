/** The service by which programs in the cluster find this server, and its addresses (controllers page). */
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Log } from './base/log.ts'
import { hookContext, keyOf, type Api, type Call } from './api/context.ts'
import { modifyObject } from './api/modify.ts'
import { createObject } from './api/write.ts'
import { isLocalAddress } from './local-address.ts'
import { Decoding, type JsonObject } from './schema/codec.ts'
import type { Served } from './schema/catalogue.ts'
import { StatusError } from './schema/errors.ts'
import type { Typed } from './schema/object-meta.ts'

/** Where the server is. */
export interface ServerPlace {
  /** First address of the default pool. */
  readonly clusterIp: string
  readonly bindAddress: string
  /** Empty: found out. */
  readonly advertiseAddress: string
  readonly port: number
  readonly log: Log
}

const NAMESPACE = 'default'
const SERVER = { name: 'system:apiserver', uid: '', groups: ['system:masters'], extra: {} }

/**
 * Makes service, endpoints and slice, or brings the addresses up to date. What is refused is only told of: it must not
 * keep people from the server that they need to put it right.
 */
export async function ensureServerService(api: Api, place: ServerPlace): Promise<void> {
  const name = api.v.spell('{brand}')
  const services = api.catalogue.find('', 'v1', 'services')
  if (!services) return
  const attempt = async (what: string, work: Promise<void>) => {
    try {
      await work
    } catch (error) {
      if (!(error instanceof StatusError)) throw error
      place.log.warn(`the ${what} of this server cannot be made`, { error: error.message })
    }
  }
  await attempt('service', ensure(api, services, name, serviceObject(api, name, place), {}))
  const address = reachableAddress(place)
  if (address === null) {
    place.log.warn('no address that others could reach this server at; its endpoints are not made')
    return
  }
  const ports = [{ name: 'https', port: place.port, protocol: 'TCP' }]
  const subsets = [{ addresses: [{ ip: address }], ports }]
  const endpoints = api.catalogue.find('', 'v1', 'endpoints')
  const slices = api.catalogue.find(api.v.spell('discovery{api}'), 'v1', 'endpointslices')
  const addressType = isIP(address) === 6 ? 'IPv6' : 'IPv4'
  const sliceEndpoints = [{ addresses: [address], conditions: { ready: true } }]
  await Promise.all([
    endpoints &&
      attempt(
        'endpoints',
        ensure(
          api,
          endpoints,
          name,
          {
            metadata: {
              name,
              labels: { [api.v.spell('endpointslice.{label}/skip-mirror')]: 'true' },
            },
            subsets,
          },
          { subsets },
        ),
      ),
    slices &&
      attempt(
        'endpoint slice',
        ensure(
          api,
          slices,
          name,
          {
            metadata: { name, labels: { [api.v.spell('{label}/service-name')]: name } },
            addressType,
            endpoints: sliceEndpoints,
            ports,
          },
          { addressType, endpoints: sliceEndpoints, ports },
        ),
      ),
  ])
}

const serviceObject = (api: Api, name: string, { clusterIp, port }: ServerPlace): JsonObject => ({
  metadata: { name, labels: { component: 'apiserver', provider: api.v.spell('{brand}') } },
  spec: {
    type: 'ClusterIP',
    clusterIP: clusterIp,
    sessionAffinity: 'None',
    ipFamilyPolicy: 'SingleStack',
    ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: port }],
  },
})

/** Makes the object, or gives the present one these members. */
async function ensure(
  api: Api,
  served: Served,
  name: string,
  object: JsonObject,
  members: JsonObject,
): Promise<void> {
  const table = await api.cache.table(served.hub.keyPrefix)
  const decode = (value: JsonObject) =>
    served.codec.decode(
      { kind: served.kind, apiVersion: served.groupVersion, ...value },
      new Decoding(),
    ) as unknown as Typed
  if (!table.get(keyOf(served, NAMESPACE, name))) {
    const fresh = decode(object)
    served.declaration.fill?.(fresh, hookContext(api))
    try {
      await createObject(api, callOf(served), fresh, NO_OPTIONS)
      return
    } catch (error) {
      // Another server may have been faster, which is as good.
      if (!(error instanceof StatusError) || error.reason !== 'AlreadyExists') throw error
    }
  }
  if (Object.keys(members).length === 0) return
  const wanted = decode(members) as unknown as JsonObject
  await modifyObject(api, { served, namespace: NAMESPACE, name }, (present) => {
    const old = structuredClone(present)
    for (const key of Object.keys(members))
      (present as unknown as JsonObject)[key] = structuredClone(wanted[key])
    served.declaration.onUpdate?.(present, old, hookContext(api))
  })
}

const NO_OPTIONS = { dryRun: false, fieldManager: '', fieldValidation: 'Ignore' } as const

const callOf = (served: Served): Call => ({
  served,
  subresource: '',
  namespace: NAMESPACE,
  name: '',
  query: new Map(),
  user: SERVER,
  userAgent: '',
  body: () => Promise.reject(new Error('the server sends no body to itself')),
  warn: () => {},
  signal: () => new AbortController().signal,
})

/** The address that others reach this server at, of the family of its service; null when there is none. */
function reachableAddress({
  advertiseAddress,
  bindAddress,
  clusterIp,
}: ServerPlace): string | null {
  if (advertiseAddress !== '') return advertiseAddress
  if (!isLocalAddress(bindAddress)) return bindAddress
  const addresses = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .map(({ address }) => address)
  return (
    addresses.find((address) => isIP(address) === isIP(clusterIp) && !isLocalAddress(address)) ??
    null
  )
}
