import { type FieldErrors, sameValue } from '../../meta/field-errors.ts'
import {
  isDns1123Label,
  isDns1123Subdomain,
  isFullyQualifiedDomainName,
  isIpv4,
  isIpv6,
  isLabelValue,
  isQualifiedName,
} from '../../meta/names.ts'
import { group, raised } from '../../meta/object-meta.ts'
import { column, resource, type HookContext } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { ObjectReference } from '../core/object-reference.ts'
import { isReachableIp } from '../core/reachable-ip.ts'

const { kind, shape } = group('discovery{api}/v1')

const MAX_ENDPOINTS = 1000
const MAX_ADDRESSES = 100
const MAX_PORTS = 20_000
const MAX_ZONES = 8
const SHOWN = 3

/** Current state of an endpoint. */
export class EndpointConditions extends shape({
  /** True if the endpoint can receive traffic; false for terminating endpoints. Unset is to be treated as true. */
  ready: t.bool(1).explicit(),
  /**
   * Like `ready`, but also true for terminating endpoints that still serve traffic. Unset is to be treated as the value
   * of `ready`.
   */
  serving: t.bool(2).explicit(),
  /** True if the endpoint is terminating. Unset is to be treated as false. */
  terminating: t.bool(3).explicit(),
}) {}

/** Zone that an endpoint should serve. */
export class ForZone extends shape({
  /** Name of the zone. */
  name: t.string(1).required(),
}) {}

/** Hints for components that route traffic to endpoints. */
export class EndpointHints extends shape({
  /** Zones whose traffic the endpoint should serve, for topology-aware routing. At most 8. */
  forZones: t.list(1, ForZone).atomic(),
}) {}

/** Single backend of a Service with its addresses. */
export class Endpoint extends shape({
  /**
   * Addresses of the endpoint, of the address type of the slice and all equivalent. 1 to 100; clients may use only the
   * first.
   */
  addresses: t.list(1, 'string').required().set(),
  /** Current conditions of the endpoint: ready, serving and terminating. */
  conditions: t.object(2, EndpointConditions),
  /** Hostname of the endpoint, a DNS label, used for DNS records. Several endpoints can share one. */
  hostname: t.string(3).explicit(),
  /** Reference to the object that backs the endpoint, usually a pod. */
  targetRef: t.object(4, ObjectReference).explicit(),
  /** Deprecated; use `nodeName` and `zone`. Cleared on writes. */
  deprecatedTopology: t.map(5, 'string'),
  /** Name of the node that hosts the endpoint. */
  nodeName: t.string(6).explicit(),
  /** Name of the zone that the endpoint is in. */
  zone: t.string(7).explicit(),
  /** Hints on how the endpoint should be consumed. */
  hints: t.object(8, EndpointHints).explicit(),
}) {}

/** Port of all endpoints in a slice. */
export class EndpointPort extends shape(
  {
    /** Name of the port: empty or a DNS label, unique in the slice. Defaults to empty. */
    name: t.string(1).explicit().default(''),
    /** Transport protocol: `TCP`, `UDP` or `SCTP`. Defaults to `TCP`. */
    protocol: t.string(2).explicit().oneOf('SCTP', 'TCP', 'UDP').default('TCP'),
    /** Port number of the endpoints. Unset means all ports. */
    port: t.int32(3).explicit(),
    /** Application protocol: an IANA service name, or a domain-prefixed name such as `example.com/protocol`. */
    appProtocol: t.string(4).explicit(),
  },
  { atomic: true },
) {}

/**
 * An EndpointSlice holds a part of the endpoints of a Service, which its label `{label}/service-name` names. All slices
 * of the Service together are its endpoints.
 */
export class EndpointSlice extends kind({
  /** Type of all addresses in the slice: `IPv4`, `IPv6` or `FQDN`. Immutable. */
  addressType: t.string(4).required().oneOf('FQDN', 'IPv4', 'IPv6'),
  /** Endpoints in the slice, at most 1000. */
  endpoints: t.list(2, Endpoint).required().atomic(),
  /** Ports of each endpoint in the slice. Empty means that no ports are defined, unset port numbers mean all ports. */
  ports: t.list(3, EndpointPort).atomic(),
}) {}

/** Drops fields of disabled features, unless the stored slice has them. */
function dropGated(next: EndpointSlice, old: EndpointSlice | null, c: HookContext): void {
  const before = old?.endpoints ?? []
  if (!c.gate('TopologyAwareHints') && !before.some(({ hints }) => hints)) {
    for (const endpoint of next.endpoints) delete endpoint.hints
  }
  const ends = ({ conditions }: Endpoint) =>
    conditions.serving !== undefined || conditions.terminating !== undefined
  if (!c.gate('EndpointSliceTerminatingCondition') && !before.some(ends)) {
    for (const { conditions } of next.endpoints) {
      delete conditions.serving
      delete conditions.terminating
    }
  }
}

export const endpointSlices = resource(EndpointSlice, {
  plural: 'endpointslices',
  scope: 'namespace',
  deleteAnswers: 'status',
  columns: [
    nameColumn,
    column('AddressType', 'string', ({ addressType }) => addressType, {
      description: 'Type of the addresses.',
    }),
    column('Ports', 'string', ({ ports = [] }) => some(ports.map(portText), '<unset>'), {
      description: 'First ports of the slice.',
    }),
    column(
      'Endpoints',
      'string',
      ({ endpoints = [] }) =>
        some(
          endpoints.flatMap(({ addresses }) => addresses),
          '<unset>',
        ),
      { description: 'First addresses of the slice.' },
    ),
    ageColumn,
  ],

  prepareForCreate(slice, c) {
    slice.metadata.generation = 1
    dropTopology(slice)
    dropGated(slice, null, c)
  },

  prepareForUpdate(next, old, c) {
    dropGated(next, old, c)
    if (!sameValue(next.endpoints, old.endpoints)) dropTopology(next)
    const content = ({ metadata, ...rest }: EndpointSlice) => ({ ...rest, labels: metadata.labels })
    if (!sameValue(content(next), content(old))) next.metadata.generation = raised(old.metadata)
  },

  validate(slice, errors) {
    const { addressType, endpoints, ports = [] } = slice
    // Read as text: the declared words do not include the empty one.
    if ((addressType as string) === '') errors.at('addressType').required()
    if (endpoints.length > MAX_ENDPOINTS)
      errors.at('endpoints').tooMany(endpoints.length, MAX_ENDPOINTS)
    else
      endpoints.forEach((one, i) => validateEndpoint(one, addressType, errors.at('endpoints', i)))
    validatePorts(ports, errors.at('ports'))
  },

  validateUpdate: (next, old, errors) =>
    errors.at('addressType').immutable(next.addressType, old.addressType),
})

/** Clears the fields of earlier versions. */
function dropTopology({ endpoints }: EndpointSlice): void {
  for (const endpoint of endpoints) delete endpoint.deprecatedTopology
}

function validateEndpoint(
  { addresses, nodeName, hostname, hints }: Endpoint,
  addressType: EndpointSlice['addressType'],
  errors: FieldErrors,
): void {
  const at = errors.at('addresses')
  if (addresses.length === 0) at.required('must contain at least 1 address')
  else if (addresses.length > MAX_ADDRESSES) at.tooMany(addresses.length, MAX_ADDRESSES)
  addresses.forEach((address, i) =>
    at.at(i).invalidAll(address, addressProblems(address, addressType)),
  )
  if (nodeName !== undefined)
    errors.at('nodeName').invalidAll(nodeName, isDns1123Subdomain(nodeName))
  if (hostname !== undefined) errors.at('hostname').invalidAll(hostname, isDns1123Label(hostname))
  const zones = hints?.forZones ?? []
  const forZones = errors.at('hints', 'forZones')
  if (zones.length > MAX_ZONES) {
    forZones.tooMany(zones.length, MAX_ZONES)
    return
  }
  const seen = new Set<string>()
  zones.forEach(({ name }, i) => {
    const at = forZones.at(i, 'name')
    if (seen.has(name)) at.duplicate(name)
    seen.add(name)
    at.invalidAll(name, isLabelValue(name))
  })
}

function addressProblems(address: string, type: EndpointSlice['addressType']): readonly string[] {
  if (type === 'FQDN') return isFullyQualifiedDomainName(address)
  if (type !== 'IPv4' && type !== 'IPv6') return []
  const problems = type === 'IPv4' ? isIpv4(address) : isIpv6(address)
  return problems.length > 0 ? problems : isReachableIp(address)
}

function validatePorts(ports: readonly EndpointPort[], errors: FieldErrors): void {
  if (ports.length > MAX_PORTS) {
    errors.tooMany(ports.length, MAX_PORTS)
    return
  }
  const seen = new Set<string>()
  ports.forEach(({ name = '', appProtocol }, i) => {
    const at = errors.at(i)
    if (name !== '') at.at('name').invalidAll(name, isDns1123Label(name))
    if (seen.has(name)) at.at('name').duplicate(name)
    seen.add(name)
    if (appProtocol !== undefined)
      at.at('appProtocol').invalidAll(appProtocol, isQualifiedName(appProtocol))
  })
}

const portText = ({ port, name }: EndpointPort): string =>
  port !== undefined ? String(port) : name !== undefined && name !== '' ? name : '*'

/** The first entries of a list, and the number of further ones. */
function some(list: readonly string[], none: string): string {
  if (list.length === 0) return none
  const more = list.length - SHOWN
  return list.slice(0, SHOWN).join(',') + (more > 0 ? ` + ${more} more...` : '')
}
