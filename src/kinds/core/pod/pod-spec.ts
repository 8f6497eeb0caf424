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

/** Maps an IP address to host names in the hosts file of a pod. */
export class HostAlias extends shape({
  /** IP address of the entry in the hosts file. */
  ip: t.string(1),
  /** Host names that resolve to the address. Each must be a DNS subdomain. */
  hostnames: t.list(2, 'string'),
}) {}

/** An option in the resolver configuration of a pod. */
export class PodDNSConfigOption extends shape({
  /** Name of the resolver option, for example `ndots`. Required. */
  name: t.string(1),
  /** Value of the resolver option. Omit it for options without a value. */
  value: t.string(2).explicit(),
}) {}

/** DNS settings of a pod. They are merged with the settings generated from `dnsPolicy`. */
export class PodDNSConfig extends shape({
  /**
   * IP addresses of DNS servers, appended to those of the DNS policy. At most 3; at least one is
   * required when `dnsPolicy` is `None`.
   */
  nameservers: t.list(1, 'string'),
  /**
   * Search domains for host name lookup, appended to those of the DNS policy. At most 6, and 256
   * characters in total.
   */
  searches: t.list(2, 'string'),
  /**
   * Resolver options, merged with those of the DNS policy. An option given here overrides one of
   * the same name.
   */
  options: t.list(3, PodDNSConfigOption),
}) {}

/**
 * A pod condition that must be `True`, in addition to ready containers, before the pod is ready.
 */
export class PodReadinessGate extends shape({
  /** Type of the condition in `status.conditions`, as a qualified name. Required. */
  conditionType: t.string(1).required(),
}) {}

/** Operating system of the containers of a pod. */
export class PodOS extends shape({
  /** Name of the operating system: `linux` or `windows`. Required. */
  name: t.string(1).required(),
}) {}

/**
 * Desired behavior of a pod. In an existing pod only the images of containers,
 * `activeDeadlineSeconds` and `tolerations` (additions only) can change; every other field is
 * immutable.
 */
export class PodSpec extends shape({
  /** Volumes that containers of the pod can mount. Names must be unique in the pod. */
  volumes: t.list(1, Volume).patch('merge,retainKeys', 'name'),
  /**
   * Containers that run in order, each to successful completion, before `containers` start. They
   * cannot have probes or lifecycle hooks, and none can be added to or removed from an existing
   * pod.
   */
  initContainers: t.list(20, Container).patchBy('name'),
  /**
   * Containers of the pod. At least one is required; containers cannot be added to or removed from
   * an existing pod.
   */
  containers: t.list(2, Container).required().patchBy('name'),
  /**
   * Containers added to a running pod for debugging. They can only be set through the
   * `ephemeralcontainers` subresource and are not allowed in pod templates.
   */
  ephemeralContainers: t.list(34, EphemeralContainer).patchBy('name'),
  /**
   * Whether the node agent restarts containers after they exit: `Always`, `OnFailure` (only after a
   * non-zero exit code) or `Never`. Defaults to `Always`.
   */
  restartPolicy: t.string(3).oneOf('Always', 'Never', 'OnFailure').default('Always'),
  /**
   * Seconds between the termination signal and the forced kill of the containers when the pod is
   * deleted. Defaults to 30; 0 kills them immediately.
   */
  terminationGracePeriodSeconds: t.int64(4).explicit().default(30),
  /**
   * Seconds, counted from the start time, after which the pod is stopped and marked as failed. Must
   * be positive; it can be set or lowered later, but not raised or removed. Unset means no
   * deadline.
   */
  activeDeadlineSeconds: t.int64(5).explicit(),
  /**
   * DNS configuration of the pod. `ClusterFirst` and, on the host network,
   * `ClusterFirstWithHostNet` use the cluster DNS, `Default` the settings of the node, `None` only
   * `dnsConfig`. Defaults to `ClusterFirst`.
   */
  dnsPolicy: t
    .string(6)
    .oneOf('ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None')
    .default('ClusterFirst'),
  /**
   * Labels that a node must have for the pod to be scheduled on it. Immutable in an existing pod.
   */
  nodeSelector: t.map(7, 'string').atomic(),
  /**
   * Name of the service account that the pod runs as. The admission plugin `ServiceAccount` sets an
   * empty name to `default`.
   */
  serviceAccountName: t.string(8),
  /**
   * Deprecated alias of `serviceAccountName`, which the server keeps in sync with it. Use
   * `serviceAccountName`.
   */
  serviceAccount: t.string(9),
  /**
   * Whether a token of the service account is mounted into the containers. Unset uses the setting
   * of the service account, which defaults to true.
   */
  automountServiceAccountToken: t.bool(21).explicit(),
  /**
   * Name of the node that the pod is assigned to. The scheduler sets it; a pod created with a node
   * name bypasses the scheduler.
   */
  nodeName: t.string(10),
  /**
   * Use the network namespace of the node. Host ports then equal the container ports. Defaults to
   * false.
   */
  hostNetwork: t.bool(11),
  /**
   * Use the process ID namespace of the node. Cannot be combined with `shareProcessNamespace`.
   * Defaults to false.
   */
  hostPID: t.bool(12),
  /** Use the inter-process communication namespace of the node. Defaults to false. */
  hostIPC: t.bool(13),
  /**
   * Share one process ID namespace among all containers of the pod. Cannot be combined with
   * `hostPID`. Defaults to false.
   */
  shareProcessNamespace: t.bool(27).explicit(),
  /**
   * Security settings of the pod, which also apply to containers that do not override them.
   * Defaults to an empty object.
   */
  securityContext: t.object(14, PodSecurityContext).explicit().default({}),
  /** Secrets in the namespace of the pod with the credentials for pulling its images. */
  imagePullSecrets: t.list(15, LocalObjectReference).patchBy('name'),
  /** Host name of the pod, a DNS label. Defaults to the name of the pod. */
  hostname: t.string(16),
  /**
   * Subdomain of the pod, a DNS label. The fully qualified name becomes
   * `<hostname>.<subdomain>.<namespace>.svc.<cluster domain>`; without it the pod has none.
   */
  subdomain: t.string(17),
  /** Scheduling constraints and preferences relative to nodes and to other pods. */
  affinity: t.object(18, Affinity).explicit(),
  /** Name of the scheduler that assigns the pod to a node. Defaults to `default-scheduler`. */
  schedulerName: t.string(19).default('default-scheduler'),
  /**
   * Taints of nodes that the pod tolerates. Tolerations can be added to an existing pod, but only
   * `tolerationSeconds` of those present can change.
   */
  tolerations: t.list(22, Toleration),
  /** Additional entries for the hosts file of the pod. Not applied to pods on the host network. */
  hostAliases: t.list(23, HostAlias).patchBy('ip'),
  /**
   * Name of the priority class of the pod. When empty, the global default class applies, or
   * priority 0 without one.
   */
  priorityClassName: t.string(24),
  /**
   * Priority of the pod; higher values are scheduled first. The admission plugin `Priority`
   * computes it from `priorityClassName`.
   */
  priority: t.int32(25).explicit(),
  /**
   * DNS settings merged with those generated from `dnsPolicy`. Required when `dnsPolicy` is `None`.
   */
  dnsConfig: t.object(26, PodDNSConfig).explicit(),
  /**
   * Conditions that must be `True`, in addition to all containers being ready, for the pod to be
   * ready.
   */
  readinessGates: t.list(28, PodReadinessGate),
  /**
   * Name of the runtime class that runs the pod. When unset, the default container runtime of the
   * node is used.
   */
  runtimeClassName: t.string(29).explicit(),
  /**
   * Inject the services of the namespace into the containers as environment variables. Defaults to
   * true.
   */
  enableServiceLinks: t.bool(30).explicit(),
  /**
   * Whether the pod may evict pods of lower priority in order to be scheduled:
   * `PreemptLowerPriority` or `Never`. Taken from the priority class; `PreemptLowerPriority` when
   * that sets none.
   */
  preemptionPolicy: t.string(31).explicit().oneOf('Never', 'PreemptLowerPriority').emptyIsOwn(),
  /**
   * Resources consumed by running the pod in addition to its containers, by resource name. The
   * admission plugin `RuntimeClass` sets it from the runtime class.
   */
  overhead: t.map(32, 'quantity'),
  /**
   * Rules for spreading matching pods across topology domains. All of them must hold; each pair of
   * `topologyKey` and `whenUnsatisfiable` must be unique.
   */
  topologySpreadConstraints: t
    .list(33, TopologySpreadConstraint)
    .keyed('topologyKey', 'whenUnsatisfiable')
    .patchBy('topologyKey'),
  /** Use the fully qualified domain name of the pod as its host name. Defaults to false. */
  setHostnameAsFQDN: t.bool(35).explicit(),
  /**
   * Operating system of the containers. When set, security settings that belong to another
   * operating system are rejected.
   */
  os: t.object(36, PodOS).explicit(),
  /**
   * Use the user namespace of the node. Defaults to true. Requires the feature gate
   * `UserNamespacesStatelessPodsSupport`; dropped otherwise.
   */
  hostUsers: t.bool(37).explicit(),
}) {}
