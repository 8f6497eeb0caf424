/** The service by which programs in the cluster find this server, and its addresses (controllers page). */
import { networkInterfaces } from 'node:os'
import { addressFamily } from '../../base/address-family.ts'
import type { Log } from '../../base/log.ts'
import type { Api } from '../../registry/context.ts'
import { ensureObject, type DesiredObject } from './ensure-object.ts'
import { isLocalAddress } from '../local-address.ts'
import type { JsonObject } from '../../codec/codec.ts'
import { StatusError } from '../../meta/errors.ts'
import type { Typed } from '../../meta/object-meta.ts'

/** Where the server is. */
export interface ServerPlace {
  /** First address of the default pool. */
  readonly clusterIp: string
  readonly bindAddress: string
  /** Empty: found out. */
  readonly advertiseAddress: string
  readonly port: number
  /** 0: the service has none. */
  readonly nodePort?: number
  readonly log: Pick<Log, 'warn'>
  /** Whether refusals are thrown, because the caller retries; otherwise they are only logged. */
  readonly throwsRefusals?: boolean
  /** Whether endpoints and slice are this server's to write; they are by default. */
  readonly reconciled?: boolean
  /** Addresses of all servers that live, where there may be others; without, this one's alone. */
  readonly living?: {
    /** Empty: the previous addresses stay, since at least this server is running. */
    readonly addresses: () => readonly string[]
    /** Whether existing ports stay: otherwise servers would overwrite them alternately. */
    readonly keepPorts: boolean
  }
}

const NAMESPACE = 'default'

/**
 * Creates service, endpoints and slice, or updates the addresses. Refusals are only logged, unless the options say
 * otherwise: users need the server to repair their cause.
 */
export async function ensureServerService(api: Api, place: ServerPlace): Promise<void> {
  await Promise.all([ensureService(api, place), ensureAddresses(api, place)])
}

/** Creates the service alone, as above. */
export async function ensureService(api: Api, place: ServerPlace): Promise<void> {
  const services = api.catalogue.find('', 'v1', 'services')
  if (!services) return
  const object = serviceObject(api, api.v.resolve('{brand}'), place)
  await attempt(place, 'service', ensureObject(api, services, { namespace: NAMESPACE, object }))
}

async function ensureAddresses(api: Api, place: ServerPlace): Promise<void> {
  if (place.reconciled === false) return
  const address = reachableAddress(place)
  if (address === null) {
    place.log.warn('no address that others can reach was found, endpoints are not written')
    return
  }
  const family = addressFamily(address)
  const { living = { addresses: () => [address], keepPorts: false } } = place
  const ours = [{ name: 'https', port: place.port, protocol: 'TCP' }]
  const reachable: Reachable = {
    family,
    addresses: () => living.addresses().filter((one) => addressFamily(one) === family),
    ports: (known = ours) => (living.keepPorts ? known : ours),
  }
  if (reachable.addresses().length === 0) return
  await Promise.all([
    ensureEndpoints(api, place, reachable),
    ensureEndpointSlice(api, place, reachable),
  ])
}

/** Addresses and ports that endpoints and slice name. */
interface Reachable {
  readonly family: number
  /** May change while a write is tried again. */
  readonly addresses: () => readonly string[]
  /** Ports to write where they are known. */
  readonly ports: (known?: unknown) => unknown
}

async function ensureEndpoints(
  api: Api,
  place: ServerPlace,
  { addresses, ports }: Reachable,
): Promise<void> {
  const endpoints = api.catalogue.find('', 'v1', 'endpoints')
  if (!endpoints) return
  const subsets = (known?: unknown) => [
    { addresses: addresses().map((ip) => ({ ip })), ports: ports(known) },
  ]
  const wanted: DesiredObject = {
    namespace: NAMESPACE,
    object: {
      metadata: {
        name: api.v.resolve('{brand}'),
        labels: { [api.v.resolve('endpointslice.{label}/skip-mirror')]: 'true' },
      },
      subsets: subsets(),
    },
    members: (present) => {
      const [first, ...others] = (present as WithSubsets).subsets ?? []
      const known = others.length === 0 ? first?.ports : undefined
      return addresses().length === 0 ? {} : { subsets: subsets(known) }
    },
  }
  await attempt(place, 'endpoints', ensureObject(api, endpoints, wanted))
}

async function ensureEndpointSlice(
  api: Api,
  place: ServerPlace,
  { family, addresses, ports }: Reachable,
): Promise<void> {
  const slices = api.catalogue.find(api.v.resolve('discovery{api}'), 'v1', 'endpointslices')
  if (!slices) return
  const slice = (known?: unknown): JsonObject => ({
    addressType: family === 6 ? 'IPv6' : 'IPv4',
    endpoints: addresses().map((ip) => ({ addresses: [ip], conditions: { ready: true } })),
    ports: ports(known),
  })
  const name = api.v.resolve('{brand}')
  const wanted: DesiredObject = {
    namespace: NAMESPACE,
    object: {
      metadata: { name, labels: { [api.v.resolve('{label}/service-name')]: name } },
      ...slice(),
    },
    members: (present) => (addresses().length === 0 ? {} : slice((present as WithPorts).ports)),
  }
  await attempt(place, 'endpoint slice', ensureObject(api, slices, wanted))
}

async function attempt(
  { log, throwsRefusals = false }: ServerPlace,
  what: string,
  work: Promise<void>,
): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof StatusError) || throwsRefusals) throw error
    log.warn(`the ${what} of this server cannot be written`, { error: error.message })
  }
}

type WithPorts = Typed & { readonly ports?: unknown }
type WithSubsets = Typed & { readonly subsets?: readonly { readonly ports?: unknown }[] }

const serviceObject = (
  api: Api,
  name: string,
  { clusterIp, port, nodePort = 0 }: ServerPlace,
): DesiredObject['object'] => ({
  metadata: { name, labels: { component: 'apiserver', provider: api.v.resolve('{brand}') } },
  spec: {
    type: nodePort === 0 ? 'ClusterIP' : 'NodePort',
    clusterIP: clusterIp,
    sessionAffinity: 'None',
    ipFamilyPolicy: 'SingleStack',
    ports: [
      {
        name: 'https',
        protocol: 'TCP',
        port: 443,
        targetPort: port,
        ...(nodePort === 0 ? {} : { nodePort }),
      },
    ],
  },
})

/** The address that others reach this server at, of the family of its service; null when there is none. */
export function reachableAddress({
  advertiseAddress,
  bindAddress,
  clusterIp,
}: Pick<ServerPlace, 'advertiseAddress' | 'bindAddress' | 'clusterIp'>): string | null {
  if (advertiseAddress !== '') return advertiseAddress
  if (!isLocalAddress(bindAddress)) return bindAddress
  const addresses = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .map(({ address }) => address)
  return (
    addresses.find(
      (address) => addressFamily(address) === addressFamily(clusterIp) && !isLocalAddress(address),
    ) ?? null
  )
}
