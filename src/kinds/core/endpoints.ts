import type { FieldErrors } from '../../meta/field-errors.ts'
import {
  isDns1123Label,
  isDns1123Subdomain,
  isIp,
  isPortNumber,
  isQualifiedName,
} from '../../meta/names.ts'
import { group } from '../../meta/object-meta.ts'
import { column, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { isReachableIp } from './reachable-ip.ts'
import { ObjectReference } from './object-reference.ts'

const { kind, shape } = group('core/v1')

/** An IP address behind a service. */
export class EndpointAddress extends shape(
  {
    /**
     * IP address of the endpoint. Unspecified, loopback, link-local and link-local multicast
     * addresses are rejected. Required.
     */
    ip: t.string(1).required(),
    /** Host name of the endpoint in the DNS of the service, a DNS label. */
    hostname: t.string(3),
    /** Name of the node that hosts the endpoint. */
    nodeName: t.string(4).explicit(),
    /** Object that provides the endpoint, usually a pod. */
    targetRef: t.object(2, ObjectReference).explicit(),
  },
  { atomic: true },
) {}

/** A port that all addresses of a subset serve. */
export class EndpointPort extends shape(
  {
    /**
     * Name of the port, as in the service; a DNS label. Required when the subset has more than one
     * port.
     */
    name: t.string(1),
    /** Port number of the endpoints, 1 to 65535. Required. */
    port: t.int32(2).required(),
    /** Transport protocol of the port: `TCP`, `UDP` or `SCTP`. Defaults to `TCP`. */
    protocol: t.string(3).oneOf('SCTP', 'TCP', 'UDP').default('TCP'),
    /**
     * Application protocol of the port: a service name registered with IANA, or a domain-prefixed
     * name such as `example.com/protocol`.
     */
    appProtocol: t.string(4).explicit(),
  },
  { atomic: true },
) {}

/** A set of addresses with a common set of ports. Each address serves each of the ports. */
export class EndpointSubset extends shape({
  /**
   * Addresses that are ready to receive traffic. Each subset needs at least one ready or unready
   * address.
   */
  addresses: t.list(1, EndpointAddress),
  /**
   * Addresses that currently receive no traffic, because their pods start up or fail their
   * readiness checks.
   */
  notReadyAddresses: t.list(2, EndpointAddress),
  /** Ports available on every address of the subset. */
  ports: t.list(3, EndpointPort),
}) {}

/** Addresses and ports that implement the service of the same name. */
export class Endpoints extends kind({
  /** Subsets of addresses and ports. Their union is the set of all endpoints of the service. */
  subsets: t.list(2, EndpointSubset),
}) {}

export const endpoints = resource(Endpoints, {
  plural: 'endpoints',
  short: ['ep'],
  scope: 'namespace',
  deleteAnswers: 'status',
  heldDeleteAnswers: 'status',
  createOnUpdate: true,
  columns: [
    nameColumn,
    column('Endpoints', 'string', (object) => summary(object.subsets), {
      description: 'First addresses that are ready to receive traffic.',
    }),
    ageColumn,
  ],

  validate(object, errors) {
    for (const [i, subset] of (object.subsets ?? []).entries())
      validateSubset(subset, errors.at('subsets', i))
  },
})

function validateSubset(subset: EndpointSubset, errors: FieldErrors): void {
  const { addresses = [], notReadyAddresses = [], ports = [] } = subset
  if (addresses.length === 0 && notReadyAddresses.length === 0) {
    errors.required('must specify `addresses` or `notReadyAddresses`')
  }
  for (const [i, address] of addresses.entries())
    validateAddress(address, errors.at('addresses', i))
  for (const [i, address] of notReadyAddresses.entries()) {
    validateAddress(address, errors.at('notReadyAddresses', i))
  }
  for (const [i, port] of ports.entries())
    validatePort(port, ports.length > 1, errors.at('ports', i))
}

function validateAddress(address: EndpointAddress, errors: FieldErrors): void {
  const problems = isIp(address.ip)
  errors.at('ip').invalidAll(address.ip, problems.length > 0 ? problems : isReachableIp(address.ip))
  if (address.hostname !== undefined) {
    errors.at('hostname').invalidAll(address.hostname, isDns1123Label(address.hostname))
  }
  if (address.nodeName !== undefined) {
    errors.at('nodeName').invalidAll(address.nodeName, isDns1123Subdomain(address.nodeName))
  }
}

function validatePort(port: EndpointPort, needsName: boolean, errors: FieldErrors): void {
  if (port.name === undefined) {
    if (needsName) errors.at('name').required()
  } else {
    errors.at('name').invalidAll(port.name, isDns1123Label(port.name))
  }
  errors.at('port').invalidAll(port.port, isPortNumber(port.port))
  if (port.appProtocol !== undefined) {
    errors.at('appProtocol').invalidAll(port.appProtocol, isQualifiedName(port.appProtocol))
  }
}

const SHOWN = 3

function summary(subsets: readonly EndpointSubset[] = []): string {
  if (subsets.length === 0) return '<none>'
  const shown: string[] = []
  for (const text of places(subsets)) if (shown.push(text) === SHOWN) break
  // Every address serves every port: there may be more of them than any memory holds.
  const count = subsets.reduce(
    (sum, { addresses = [], ports = [] }) => sum + addresses.length * Math.max(ports.length, 1),
    0,
  )
  return shown.join(',') + (count > SHOWN ? ` + ${count - SHOWN} more...` : '')
}

function* places(subsets: readonly EndpointSubset[]): Generator<string> {
  for (const { addresses = [], ports = [] } of subsets) {
    if (ports.length === 0) for (const { ip } of addresses) yield ip
    for (const { port } of ports)
      for (const { ip } of addresses) yield `${ip.includes(':') ? `[${ip}]` : ip}:${port}`
  }
}
