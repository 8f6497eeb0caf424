import { home, t } from '../../../notation/shape.ts'

const { shape } = home('core/v1')

/** A port of a service. */
export class ServicePort extends shape({
  /**
   * Name of the port, a DNS label that is unique in the service. Required when the service has more
   * than one port.
   */
  name: t.string(1),
  /** Transport protocol of the port: `TCP`, `UDP` or `SCTP`. Defaults to `TCP`. */
  protocol: t.string(2).oneOf('SCTP', 'TCP', 'UDP').default('TCP'),
  /**
   * Application protocol of the port: a service name registered with IANA, or a domain-prefixed
   * name such as `example.com/protocol`.
   */
  appProtocol: t.string(6).explicit(),
  /** Port that the service exposes, 1 to 65535. Required, unique together with `protocol`. */
  port: t.int32(3).required(),
  /**
   * Port of the pods, as a number from 1 to 65535 or the name of a container port. Defaults to
   * `port`.
   */
  targetPort: t.intOrString(4),
  /**
   * Port on every node for types `NodePort` and `LoadBalancer`. Must be free and in the node port
   * range, by default 30000 to 32767; allocated when empty.
   */
  nodePort: t.int32(5),
}) {}

/** Settings of session affinity by client IP address. */
export class ClientIPConfig extends shape({
  /** Seconds for which a client keeps its endpoint, 1 to 86400. Defaults to 10800 (three hours). */
  timeoutSeconds: t.int32(1).explicit(),
}) {}

/** Settings of session affinity. */
export class SessionAffinityConfig extends shape({
  /** Settings for `sessionAffinity` `ClientIP`. */
  clientIP: t.object(1, ClientIPConfig).explicit(),
}) {}

/** Desired behavior of a service. */
export class ServiceSpec extends shape({
  /**
   * Ports that the service exposes. Required unless the service is headless or of type
   * `ExternalName`.
   */
  ports: t.list(1, ServicePort).keyed('port', 'protocol').patchBy('port'),
  /**
   * Labels of the pods that receive the traffic. Without a selector, endpoints must be managed
   * separately. Ignored for type `ExternalName`.
   */
  selector: t.map(2, 'string').atomic(),
  /**
   * Primary virtual IP address, equal to the first of `clusterIPs`. `None` makes the service
   * headless; empty allocates an address. Immutable once set.
   */
  clusterIP: t.string(3),
  /**
   * Virtual IP addresses, at most one of each family; allocated when empty. Existing ones are
   * immutable. A single `None` makes the service headless: its DNS name resolves to the endpoints.
   */
  clusterIPs: t.list(18, 'string').atomic(),
  /**
   * How the service is exposed: `ClusterIP` inside the cluster, `NodePort` also on a port of every
   * node, `LoadBalancer` also through an external load balancer, `ExternalName` as a DNS alias.
   * Defaults to `ClusterIP`.
   */
  type: t.string(4).oneOf('ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'),
  /**
   * Additional IP addresses at which nodes accept traffic for the service. The cluster does not
   * manage routing to them.
   */
  externalIPs: t.list(5, 'string'),
  /**
   * Session affinity: `ClientIP` sends connections of a client to the same endpoint, `None` to any.
   * Defaults to `None`.
   */
  sessionAffinity: t.string(7).oneOf('ClientIP', 'None'),
  /** Requested IP address of the load balancer. Ignored by providers that do not support it. */
  loadBalancerIP: t.string(8),
  /**
   * CIDR ranges of clients that may use the load balancer, if the provider supports it. Only
   * allowed for type `LoadBalancer`.
   */
  loadBalancerSourceRanges: t.list(9, 'string'),
  /** DNS name to which a service of type `ExternalName` resolves. Required for that type. */
  externalName: t.string(10),
  /**
   * Routing of external traffic: `Local` uses only endpoints on the receiving node and preserves
   * the client IP address, `Cluster` uses all. Defaults to `Cluster`; only for types `NodePort` and
   * `LoadBalancer`.
   */
  externalTrafficPolicy: t.string(11).oneOf('Cluster', 'Local'),
  /**
   * Node port for health checks of a load balancer with `externalTrafficPolicy` `Local`. Allocated
   * when empty; immutable.
   */
  healthCheckNodePort: t.int32(12),
  /** Publish the addresses of pods that are not ready as ready endpoints. Defaults to false. */
  publishNotReadyAddresses: t.bool(13),
  /** Settings of session affinity. Not allowed when `sessionAffinity` is `None`. */
  sessionAffinityConfig: t.object(14, SessionAffinityConfig).explicit(),
  /**
   * IP families of the service, `IPv4` and `IPv6`, in the order of `clusterIPs`. Defaults according
   * to `ipFamilyPolicy`; the primary family is immutable.
   */
  ipFamilies: t.list(19, ['IPv4', 'IPv6']).atomic(),
  /**
   * Number of IP families: `SingleStack` for one, `PreferDualStack` for two if the cluster has
   * them, `RequireDualStack` for two or a failure. Defaults to `SingleStack`.
   */
  ipFamilyPolicy: t
    .string(17)
    .explicit()
    .oneOf('PreferDualStack', 'RequireDualStack', 'SingleStack'),
  /**
   * Whether node ports are allocated for type `LoadBalancer`. Ports that are requested explicitly
   * are always allocated. Defaults to true for that type and is not allowed for others.
   */
  allocateLoadBalancerNodePorts: t.bool(20).explicit(),
  /**
   * Implementation of the load balancer, a qualified name. Unset selects that of the cloud
   * provider. Only allowed for type `LoadBalancer`; immutable.
   */
  loadBalancerClass: t.string(21).explicit(),
  /**
   * Routing of traffic from inside the cluster: `Local` uses only endpoints on the same node,
   * `Cluster` uses all. Defaults to `Cluster`.
   */
  internalTrafficPolicy: t.string(22).explicit().oneOf('Cluster', 'Local'),
}) {}
