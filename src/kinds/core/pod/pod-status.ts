import { home, t } from '../../../notation/shape.ts'

const { shape } = home('core/v1')

/** One observed condition of a pod. */
export class PodCondition extends shape({
  /**
   * Type of the condition, for example `PodScheduled`, `Initialized`, `ContainersReady` or `Ready`.
   * Custom types must be qualified names.
   */
  type: t.string(1).required(),
  /** Status of the condition: `True`, `False` or `Unknown`. */
  status: t.string(2).required(),
  /** Time at which the condition was last checked. */
  lastProbeTime: t.time(3),
  /** Time at which `status` last changed. */
  lastTransitionTime: t.time(4),
  /** Machine-readable reason for the last change of `status`, one word in CamelCase. */
  reason: t.string(5),
  /** Human-readable details about the last change of `status`. */
  message: t.string(6),
}) {}

/** An IP address assigned to a pod. */
export class PodIP extends shape({
  /** The assigned address, IPv4 or IPv6. */
  ip: t.string(1),
}) {}

/** State of a container that has not started yet. */
export class ContainerStateWaiting extends shape({
  /** Machine-readable reason for waiting, for example `ContainerCreating`. */
  reason: t.string(1),
  /** Human-readable details of why the container is waiting. */
  message: t.string(2),
}) {}

/** State of a running container. */
export class ContainerStateRunning extends shape({
  /** Time at which the container was last started. */
  startedAt: t.time(1),
}) {}

/** State of a container that has ended. */
export class ContainerStateTerminated extends shape({
  /** Exit code of the last run of the container. */
  exitCode: t.int32(1).required(),
  /** Signal that ended the last run, if any. */
  signal: t.int32(2),
  /** Machine-readable reason for the termination, for example `Completed` or `OOMKilled`. */
  reason: t.string(3),
  /** Termination message that the container wrote, or the end of its log. */
  message: t.string(4),
  /** Start time of the last run. */
  startedAt: t.time(5),
  /** End time of the last run. */
  finishedAt: t.time(6),
  /** Identifier of the container in the runtime, in the format `<type>://<id>`. */
  containerID: t.string(7),
}) {}

/** State of a container. At most one member is set; without any, the container is waiting. */
export class ContainerState extends shape({
  /** Details of a container that waits to be started. */
  waiting: t.object(1, ContainerStateWaiting).explicit(),
  /** Details of a container that is running. */
  running: t.object(2, ContainerStateRunning).explicit(),
  /** Details of a container that has ended. */
  terminated: t.object(3, ContainerStateTerminated).explicit(),
}) {}

/** Most recently observed status of one container. */
export class ContainerStatus extends shape({
  /** Name of the container in the pod spec. Unique among the containers of the pod. */
  name: t.string(1).required(),
  /** Current state of the container. */
  state: t.object(2, ContainerState),
  /** State in which the previous run of the container ended. */
  lastState: t.object(3, ContainerState),
  /**
   * Whether the container passes its readiness probe. A container without such a probe is ready
   * while it runs.
   */
  ready: t.bool(4).required(),
  /** Number of restarts of the container so far. */
  restartCount: t.int32(5).required(),
  /**
   * Name of the image that the container runs. It can differ from that of the spec when the runtime
   * resolves it.
   */
  image: t.string(6).required(),
  /** Identifier of the image that the container runs, usually with its digest. */
  imageID: t.string(7).required(),
  /** Identifier of the container in the runtime, in the format `<type>://<id>`. */
  containerID: t.string(8),
  /**
   * Whether the startup probe has succeeded. True for a running container without a startup probe.
   */
  started: t.bool(9).explicit(),
}) {}

/**
 * Most recently observed status of a pod. The node agent reports most of it, so it can lag behind
 * the node.
 */
export class PodStatus extends shape({
  /**
   * Summary of the life cycle of the pod: `Pending`, `Running`, `Succeeded`, `Failed` or, when the
   * node cannot be reached, `Unknown`.
   */
  phase: t.string(1).oneOf('Failed', 'Pending', 'Running', 'Succeeded', 'Unknown'),
  /** Observed conditions of the pod, such as `PodScheduled` and `Ready`, one for each type. */
  conditions: t.list(2, PodCondition).patchBy('type'),
  /** Human-readable details of why the pod is in this state. */
  message: t.string(3),
  /** Machine-readable reason for the current state, for example `Evicted`. */
  reason: t.string(4),
  /**
   * Node on which pods of lower priority are being preempted for this pod. The scheduler may still
   * choose another node.
   */
  nominatedNodeName: t.string(11),
  /** IP address of the node that runs the pod. Empty until the pod is scheduled. */
  hostIP: t.string(5),
  /** Primary IP address of the pod, equal to the first of `podIPs`. Empty until it is allocated. */
  podIP: t.string(6),
  /** IP addresses of the pod, at most one of each family. The first one equals `podIP`. */
  podIPs: t.list(12, PodIP).patchBy('ip'),
  /** Time at which the node agent accepted the pod, before it pulls any image. */
  startTime: t.time(7).explicit(),
  /** Status of each init container, in the order of the spec. */
  initContainerStatuses: t.list(10, ContainerStatus),
  /** Status of each container of the pod. */
  containerStatuses: t.list(8, ContainerStatus),
  /**
   * Quality of service class, computed from resource requests and limits on creation: `Guaranteed`,
   * `Burstable` or `BestEffort`. It decides which pods are evicted first under resource pressure.
   * Immutable.
   */
  qosClass: t.string(9).oneOf('BestEffort', 'Burstable', 'Guaranteed'),
  /** Status of each ephemeral container of the pod. */
  ephemeralContainerStatuses: t.list(13, ContainerStatus),
}) {}
