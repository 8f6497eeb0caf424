import { home, t } from '../../../notation/shape.ts'

const { shape } = home('core/v1')

/** One port that a service offers. */
export class ServicePort extends shape({
  /** Name of the port, a DNS label; may be left out when there is one port only. */
  name: t.string(1),
  /** Transport protocol. */
  protocol: t.string(2).oneOf('SCTP', 'TCP', 'UDP').default('TCP'),
  /** Application protocol: a registered service name, or a prefixed name of one's own. */
  appProtocol: t.string(6).explicit(),
  /** Port of the service. */
  port: t.int32(3).required(),
  /** Port of the pods, by number or by the name of a container port; `port` when left out. */
  targetPort: t.intOrString(4),
  /** Port on every node, for NodePort and LoadBalancer; picked when left out. */
  nodePort: t.int32(5),
}) {}

/** How affinity to a client works. */
export class ClientIPConfig extends shape({
  /** Seconds that a client keeps its pod: more than 0, at most a day; three hours when left out. */
  timeoutSeconds: t.int32(1).explicit(),
}) {}

/** Settings of session affinity. */
export class SessionAffinityConfig extends shape({
  /** For affinity by the address of the client. */
  clientIP: t.object(1, ClientIPConfig).explicit(),
}) {}

/** What a service offers, and how. */
export class ServiceSpec extends shape({
  /** Ports that are offered. */
  ports: t.list(1, ServicePort).keyed('port', 'protocol').patchBy('port'),
  /** Labels of the pods behind the service; without any, somebody else keeps its endpoints. */
  selector: t.map(2, 'string').atomic(),
  /** First of `clusterIPs`, for clients that know of one only. */
  clusterIP: t.string(3),
  /**
   * Virtual addresses, at most one of each family; picked when left out, and fixed from then on. `None` alone makes
   * the service headless: names lead to the pods themselves.
   */
  clusterIPs: t.list(18, 'string').atomic(),
  /** How far the service can be reached; ExternalName is only another name for something outside. */
  type: t.string(4).oneOf('ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'),
  /** Further addresses that nodes take traffic for; it is up to somebody else to lead it there. */
  externalIPs: t.list(5, 'string'),
  /** `ClientIP` leads the same client to the same pod. */
  sessionAffinity: t.string(7).oneOf('ClientIP', 'None'),
  /** Address to ask the load balancer for, where it lets one choose. */
  loadBalancerIP: t.string(8),
  /** Blocks of client addresses that the load balancer lets in, where it can tell. */
  loadBalancerSourceRanges: t.list(9, 'string'),
  /** Name that ExternalName services stand for. */
  externalName: t.string(10),
  /** `Local`: traffic from outside goes only to pods on the node where it came in, and keeps its source. */
  externalTrafficPolicy: t.string(11).oneOf('Cluster', 'Local'),
  /** Port on which nodes tell the load balancer whether they have pods; only with the policy `Local`. */
  healthCheckNodePort: t.int32(12),
  /** Whether pods count before they are ready. */
  publishNotReadyAddresses: t.bool(13),
  /** Settings of session affinity. */
  sessionAffinityConfig: t.object(14, SessionAffinityConfig).explicit(),
  /** Families of the addresses, in the order of `clusterIPs`; chosen by the policy when left out. */
  ipFamilies: t.list(19, ['IPv4', 'IPv6']).atomic(),
  /** Whether the service has one family, two if there are two, or always two; one when left out. */
  ipFamilyPolicy: t
    .string(17)
    .explicit()
    .oneOf('PreferDualStack', 'RequireDualStack', 'SingleStack'),
  /** Whether a load balancer needs node ports; those that are asked for are given out all the same. */
  allocateLoadBalancerNodePorts: t.bool(20).explicit(),
  /** Implementation of the load balancer; the default one when left out. Cannot be changed. */
  loadBalancerClass: t.string(21).explicit(),
  /** `Local`: traffic from inside goes only to pods on the same node. */
  internalTrafficPolicy: t.string(22).explicit().oneOf('Cluster', 'Local'),
}) {}
