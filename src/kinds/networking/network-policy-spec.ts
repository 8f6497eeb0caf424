import { home, t } from '../../notation/shape.ts'
import { LabelSelector } from '../meta/label-selector.ts'

const { shape } = home('networking{api}/v1')

/** Ports that traffic may use. */
export class NetworkPolicyPort extends shape({
  /** Transport protocol; TCP when left out. */
  protocol: t.string(1).explicit().oneOf('TCP', 'UDP', 'SCTP'),
  /** Port, by number or by the name of a container port; all ports when left out. */
  port: t.intOrString(2).explicit(),
  /** Last port of a range that starts with the number `port`. */
  endPort: t.int32(3).explicit(),
}) {}

/** A block of addresses. */
export class IPBlock extends shape({
  /** The block, such as `192.168.1.0/24`. */
  cidr: t.string(1).required(),
  /** Smaller blocks inside that are left out. */
  except: t.list(2, 'string'),
}) {}

/** Who is at the other end: pods, or a block of addresses. */
export class NetworkPolicyPeer extends shape({
  /** Pods, in the namespaces selected, or else in the policy's own. */
  podSelector: t.object(1, LabelSelector).explicit(),
  /** Namespaces of the pods; without a selector of pods, all pods in them. */
  namespaceSelector: t.object(2, LabelSelector).explicit(),
  /** Addresses; alone only. */
  ipBlock: t.object(3, IPBlock).explicit(),
}) {}

/** Traffic that may come in: from any of these peers to any of these ports. */
export class NetworkPolicyIngressRule extends shape({
  /** Ports of the selected pods; all when left out. */
  ports: t.list(1, NetworkPolicyPort),
  /** Where it comes from; anywhere when left out. */
  from: t.list(2, NetworkPolicyPeer),
}) {}

/** Traffic that may go out: to any of these ports of any of these peers. */
export class NetworkPolicyEgressRule extends shape({
  /** Ports of the peers; all when left out. */
  ports: t.list(1, NetworkPolicyPort),
  /** Where it goes; anywhere when left out. */
  to: t.list(2, NetworkPolicyPeer),
}) {}

/** Which traffic selected pods may have. */
export class NetworkPolicySpec extends shape({
  /** Pods that the policy is for; an empty selector is all of the namespace. */
  podSelector: t.object(1, LabelSelector).required(),
  /** What may come in; without a rule, nothing. */
  ingress: t.list(2, NetworkPolicyIngressRule),
  /** What may go out; without a rule, nothing if the policy is about that at all. */
  egress: t.list(3, NetworkPolicyEgressRule),
  /** Directions that the policy is about; incoming, and outgoing where it has such rules, when left out. */
  policyTypes: t.list(4, ['Ingress', 'Egress']),
}) {}
