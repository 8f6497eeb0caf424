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

/** One address of a service. */
export class EndpointAddress extends shape(
  {
    /** IP address; none that is only valid on one machine or link. */
    ip: t.string(1).required(),
    /** Host name of the address. */
    hostname: t.string(3),
    /** Node that holds the address. */
    nodeName: t.string(4).explicit(),
    /** Object that provides it. */
    targetRef: t.object(2, ObjectReference).explicit(),
  },
  { atomic: true },
) {}

/** One port of a service. */
export class EndpointPort extends shape(
  {
    /** Name as in the service; may be left out when there is one port only. */
    name: t.string(1),
    /** Port number. */
    port: t.int32(2).required(),
    /** Transport protocol. */
    protocol: t.string(3).oneOf('SCTP', 'TCP', 'UDP').default('TCP'),
    /** Application protocol: a registered service name, or a prefixed name of one's own. */
    appProtocol: t.string(4).explicit(),
  },
  { atomic: true },
) {}

/** Addresses that share their ports: every address serves every port. */
export class EndpointSubset extends shape({
  /** Addresses that are ready. */
  addresses: t.list(1, EndpointAddress),
  /** Addresses that are starting or fail their checks. */
  notReadyAddresses: t.list(2, EndpointAddress),
  /** Ports of all these addresses. */
  ports: t.list(3, EndpointPort),
}) {}

/** The addresses behind a service. */
export class Endpoints extends kind({
  /** All of them, as the union of these. */
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
      description: 'The first ready addresses.',
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
