import type { FieldErrors } from '../../meta/field-errors.ts'
import { ipFamily, isDns1123Subdomain } from '../../meta/names.ts'
import { home, t } from '../../notation/shape.ts'

const { shape } = home('core/v1')

/** Status of one port of a load balancer. */
export class PortStatus extends shape({
  /** Port number of the service that this status describes. */
  port: t.int32(1).required(),
  /** Transport protocol of the port: `TCP`, `UDP` or `SCTP`. Required. */
  protocol: t.string(2).required().oneOf('SCTP', 'TCP', 'UDP'),
  /**
   * Machine-readable error of the port. Provider-specific errors need a domain prefix, for example
   * `example.com/NoQuota`. Unset without an error.
   */
  error: t.string(3).explicit(),
}) {}

/** One ingress point of a load balancer. */
export class LoadBalancerIngress extends shape({
  /** IP address of the ingress point, for load balancers based on addresses. */
  ip: t.string(1),
  /** DNS name of the ingress point, for load balancers based on DNS. Must not be an IP address. */
  hostname: t.string(2),
  /** Status of each port of the service at this ingress point. */
  ports: t.list(4, PortStatus).atomic(),
}) {}

/** Status of a load balancer. */
export class LoadBalancerStatus extends shape({
  /** Ingress points of the load balancer. Traffic for the service enters there. */
  ingress: t.list(1, LoadBalancerIngress),
}) {}

/** Validates a load balancer's status; reports to `errors`. */
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
