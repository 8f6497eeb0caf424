import { home, t } from '../../../notation/shape.ts'
import { LocalObjectReference } from '../local-object-reference.ts'
import { Toleration } from '../toleration.ts'
import { TopologySpreadConstraint } from '../topology-spread.ts'
import { Volume } from '../volumes/volume.ts'
import { Affinity } from './affinity.ts'
import { Container } from './container.ts'
import { EphemeralContainer } from './ephemeral-container.ts'
import { PodSecurityContext } from './security-context.ts'

const { shape } = home('core/v1')

/** Names that an address gets in the pod's hosts file. */
export class HostAlias extends shape({
  /** The address. */
  ip: t.string(1),
  /** Its names. */
  hostnames: t.list(2, 'string'),
}) {}

/** An option of the resolver. */
export class PodDNSConfigOption extends shape({
  /** Name of the option. */
  name: t.string(1),
  /** Its value, if it takes one. */
  value: t.string(2).explicit(),
}) {}

/** Settings of the resolver beside those of the DNS policy. */
export class PodDNSConfig extends shape({
  /** Addresses of servers, asked after those of the policy. */
  nameservers: t.list(1, 'string'),
  /** Domains in which short names are looked up, after those of the policy. */
  searches: t.list(2, 'string'),
  /** Options; they win over those of the policy. */
  options: t.list(3, PodDNSConfigOption),
}) {}

/** A condition that must hold, beside those of the containers, before the pod is ready. */
export class PodReadinessGate extends shape({
  /** Type of the condition in `status.conditions`. */
  conditionType: t.string(1).required(),
}) {}

/** The operating system that a pod is made for. */
export class PodOS extends shape({
  /** `linux` or `windows`. */
  name: t.string(1).required(),
}) {}

/** What a pod is to be. */
export class PodSpec extends shape({
  /** Volumes that its containers may mount. */
  volumes: t.list(1, Volume).patch('merge,retainKeys', 'name'),
  /** Containers run one after the other, each to success, before `containers` start. */
  initContainers: t.list(20, Container).patchBy('name'),
  /** The containers; at least one, and their number cannot change. */
  containers: t.list(2, Container).required().patchBy('name'),
  /** Containers added to look into a running pod; see the sub-resource `ephemeralcontainers`. */
  ephemeralContainers: t.list(34, EphemeralContainer).patchBy('name'),
  /** When containers that ended are started again. */
  restartPolicy: t.string(3).oneOf('Always', 'Never', 'OnFailure').default('Always'),
  /** Seconds that the containers get to end on deletion; zero kills them at once. */
  terminationGracePeriodSeconds: t.int64(4).explicit().default(30),
  /** Seconds that the pod may run before it fails; above zero. */
  activeDeadlineSeconds: t.int64(5).explicit(),
  /** Where the resolver's settings come from. */
  dnsPolicy: t
    .string(6)
    .oneOf('ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None')
    .default('ClusterFirst'),
  /** Labels that the node must have. */
  nodeSelector: t.map(7, 'string').atomic(),
  /** Service account that its processes act as. */
  serviceAccountName: t.string(8),
  /** The same as `serviceAccountName`. Deprecated. */
  serviceAccount: t.string(9),
  /** Whether a token of the service account is mounted; the account decides unless set. */
  automountServiceAccountToken: t.bool(21).explicit(),
  /** Node that it runs on; the scheduler sets it. */
  nodeName: t.string(10),
  /** Whether it uses the network of the host. */
  hostNetwork: t.bool(11),
  /** Whether it sees the processes of the host. */
  hostPID: t.bool(12),
  /** Whether it uses the inter-process communication of the host. */
  hostIPC: t.bool(13),
  /** Whether its containers see each other's processes; not together with `hostPID`. */
  shareProcessNamespace: t.bool(27).explicit(),
  /** Security settings of the pod and of all its containers. */
  securityContext: t.object(14, PodSecurityContext).explicit().default({}),
  /** Secrets with which images are fetched. */
  imagePullSecrets: t.list(15, LocalObjectReference).patchBy('name'),
  /** Host name; the name of the pod unless set. */
  hostname: t.string(16),
  /** Domain of the host name inside the namespace. */
  subdomain: t.string(17),
  /** Where it is to be placed. */
  affinity: t.object(18, Affinity).explicit(),
  /** Which scheduler places it. */
  schedulerName: t.string(19).default('default-scheduler'),
  /** Taints of nodes that it tolerates. */
  tolerations: t.list(22, Toleration),
  /** Further lines of its hosts file; not for pods on the host's network. */
  hostAliases: t.list(23, HostAlias).patchBy('ip'),
  /** Priority class; the default one of the cluster unless set. */
  priorityClassName: t.string(24),
  /** Priority, taken from the class; higher goes first. */
  priority: t.int32(25).explicit(),
  /** Settings of the resolver. */
  dnsConfig: t.object(26, PodDNSConfig).explicit(),
  /** Further conditions of being ready. */
  readinessGates: t.list(28, PodReadinessGate),
  /** Runtime class, which says how containers are run; the node's own way unless set. */
  runtimeClassName: t.string(29).explicit(),
  /** Whether services of the namespace appear as environment variables. */
  enableServiceLinks: t.bool(30).explicit(),
  /** Whether it may push out pods of lower priority. */
  preemptionPolicy: t.string(31).explicit().oneOf('Never', 'PreemptLowerPriority').emptyIsOwn(),
  /** Resources that running a pod costs beside its containers; taken from the runtime class. */
  overhead: t.map(32, 'quantity'),
  /** How the pods of a group are spread over places. */
  topologySpreadConstraints: t
    .list(33, TopologySpreadConstraint)
    .keyed('topologyKey', 'whenUnsatisfiable')
    .patchBy('topologyKey'),
  /** Whether the host name is the fully qualified one. */
  setHostnameAsFQDN: t.bool(35).explicit(),
  /** Operating system it is made for; settings of the other one are then refused. */
  os: t.object(36, PodOS).explicit(),
  /** Whether it shares the host's user ids; true unless set. */
  hostUsers: t.bool(37).explicit(),
}) {}
