import type { FieldErrors } from '../../meta/field-errors.ts'
import { ipFamily, isDns1123Subdomain } from '../../meta/names.ts'
import { home, t } from '../../notation/shape.ts'

const { shape } = home('core/v1')

/** How one port of a load balancer fares. */
export class PortStatus extends shape({
  /** Port of the service. */
  port: t.int32(1).required(),
  /** Transport protocol of that port. */
  protocol: t.string(2).required().oneOf('SCTP', 'TCP', 'UDP'),
  /** Why the port does not work, as one word; words of one's own carry a domain. */
  error: t.string(3).explicit(),
}) {}

/** One point where traffic comes in. */
export class LoadBalancerIngress extends shape({
  /** Address, for load balancers that have one. */
  ip: t.string(1),
  /** Host name, for load balancers that are found by name. */
  hostname: t.string(2),
  /** How the ports fare. */
  ports: t.list(4, PortStatus).atomic(),
}) {}

/** Where a load balancer takes traffic. */
export class LoadBalancerStatus extends shape({
  /** The points where traffic comes in. */
  ingress: t.list(1, LoadBalancerIngress),
}) {}

/** Rules of a load balancer's status, at `errors`. */
export function validateLoadBalancerStatus(status: LoadBalancerStatus, errors: FieldErrors): void {
  status.ingress?.forEach(({ ip = '', hostname = '' }, i) => {
    const at = errors.at('ingress', i)
    if (ip !== '' && ipFamily(ip) === null) {
      at.at('ip').invalid(ip, 'must be a valid IP address')
    }
    if (hostname === '') return
    at.at('hostname').invalidAll(hostname, isDns1123Subdomain(hostname))
    if (ipFamily(hostname) !== null) {
      at.at('hostname').invalid(hostname, 'must be a DNS name, not an IP address')
    }
  })
}

/** Addresses, or else host names, as tables show them; empty when there are none. */
export function loadBalancerText(status: LoadBalancerStatus | undefined): string {
  const all = (status?.ingress ?? []).map(({ ip = '', hostname = '' }) =>
    ip === '' ? hostname : ip,
  )
  return [...new Set(all.filter((text) => text !== ''))].sort().join(',')
}
