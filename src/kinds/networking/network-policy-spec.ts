import { home, t } from '../../notation/shape.ts'
import { LabelSelector } from '../meta/label-selector.ts'

const { shape } = home('networking{api}/v1')

/** Port or range of ports on which traffic is allowed. */
export class NetworkPolicyPort extends shape({
  /** Transport protocol: `TCP`, `UDP` or `SCTP`. Defaults to `TCP`. */
  protocol: t.string(1).explicit().oneOf('TCP', 'UDP', 'SCTP'),
  /** Number or name of a port on the pod. If unset, all ports are allowed. */
  port: t.intOrString(2).explicit(),
  /** Last port of a range that starts at `port`. Requires a numeric `port` and must not be less than it. */
  endPort: t.int32(3).explicit(),
}) {}

/** CIDR with exceptions that traffic is allowed from or to. */
export class IPBlock extends shape({
  /** IPv4 or IPv6 CIDR, such as `192.168.1.0/24` or `2001:db8::/64`. */
  cidr: t.string(1).required(),
  /** CIDRs that are excluded. Each must be a strict subset of `cidr`. */
  except: t.list(2, 'string'),
}) {}

/** Source or destination of allowed traffic: either pods by their labels, or an IP block. */
export class NetworkPolicyPeer extends shape({
  /**
   * Label selector of pods. Without `namespaceSelector` it applies to the namespace of the policy. An empty selector
   * matches all pods.
   */
  podSelector: t.object(1, LabelSelector).explicit(),
  /**
   * Label selector of namespaces. All pods in them are selected unless `podSelector` is set. An empty selector matches
   * all namespaces.
   */
  namespaceSelector: t.object(2, LabelSelector).explicit(),
  /** IP block of the peer. Must not be combined with the selectors. */
  ipBlock: t.object(3, IPBlock).explicit(),
}) {}

/** Allows incoming traffic that matches both `from` and `ports`. */
export class NetworkPolicyIngressRule extends shape({
  /** Ports of the selected pods on which traffic is allowed. If empty, all ports are allowed. */
  ports: t.list(1, NetworkPolicyPort),
  /** Sources that traffic is allowed from. If empty, all sources are allowed. */
  from: t.list(2, NetworkPolicyPeer),
}) {}

/** Allows outgoing traffic that matches both `to` and `ports`. */
export class NetworkPolicyEgressRule extends shape({
  /** Destination ports on which traffic is allowed. If empty, all ports are allowed. */
  ports: t.list(1, NetworkPolicyPort),
  /** Destinations that traffic is allowed to. If empty, all destinations are allowed. */
  to: t.list(2, NetworkPolicyPeer),
}) {}

/** Pods that a policy applies to and the traffic it allows for them. */
export class NetworkPolicySpec extends shape({
  /**
   * Label selector of the pods in the same namespace that the policy applies to. An empty selector matches all pods.
   */
  podSelector: t.object(1, LabelSelector).required(),
  /**
   * Rules that allow incoming traffic. Traffic is allowed if any policy of the pod allows it; if empty, this policy
   * allows none.
   */
  ingress: t.list(2, NetworkPolicyIngressRule),
  /**
   * Rules that allow outgoing traffic. Only effective if `policyTypes` includes `Egress`; if empty, this policy then
   * allows none.
   */
  egress: t.list(3, NetworkPolicyEgressRule),
  /**
   * Directions that the policy restricts: `Ingress`, `Egress` or both. Defaults to `Ingress`, plus `Egress` if there
   * are egress rules.
   */
  policyTypes: t.list(4, ['Ingress', 'Egress']),
}) {}
