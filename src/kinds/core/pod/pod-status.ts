import { home, t } from '../../../notation/shape.ts'

const { shape } = home('core/v1')

/** One aspect of a pod's state. */
export class PodCondition extends shape({
  /** What it is about. */
  type: t.string(1).required(),
  /** `True`, `False` or `Unknown`. */
  status: t.string(2).required(),
  /** When it was last looked at. */
  lastProbeTime: t.time(3),
  /** When `status` last changed. */
  lastTransitionTime: t.time(4),
  /** Why, as one word for programs. */
  reason: t.string(5),
  /** Why, for people. */
  message: t.string(6),
}) {}

/** An address of a pod. */
export class PodIP extends shape({
  /** The address. */
  ip: t.string(1),
}) {}

/** A container that does not run yet. */
export class ContainerStateWaiting extends shape({
  /** Why, as one word. */
  reason: t.string(1),
  /** Why, for people. */
  message: t.string(2),
}) {}

/** A container that runs. */
export class ContainerStateRunning extends shape({
  /** Since when. */
  startedAt: t.time(1),
}) {}

/** A container that ended. */
export class ContainerStateTerminated extends shape({
  /** Exit status. */
  exitCode: t.int32(1).required(),
  /** Signal that ended it. */
  signal: t.int32(2),
  /** Why, as one word. */
  reason: t.string(3),
  /** What it left to say. */
  message: t.string(4),
  /** When it started. */
  startedAt: t.time(5),
  /** When it ended. */
  finishedAt: t.time(6),
  /** Its id in the runtime, as `type://id`. */
  containerID: t.string(7),
}) {}

/** The state of a container: at most one member is set, none means waiting. */
export class ContainerState extends shape({
  /** It does not run yet. */
  waiting: t.object(1, ContainerStateWaiting).explicit(),
  /** It runs. */
  running: t.object(2, ContainerStateRunning).explicit(),
  /** It ended. */
  terminated: t.object(3, ContainerStateTerminated).explicit(),
}) {}

/** What is known about a container. */
export class ContainerStatus extends shape({
  /** Name of the container. */
  name: t.string(1).required(),
  /** How it is now. */
  state: t.object(2, ContainerState),
  /** How its last run ended. */
  lastState: t.object(3, ContainerState),
  /** Whether its readiness probe succeeds. */
  ready: t.bool(4).required(),
  /** How often it was started again. */
  restartCount: t.int32(5).required(),
  /** Image it runs. */
  image: t.string(6).required(),
  /** Id of that image. */
  imageID: t.string(7).required(),
  /** Its id in the runtime, as `type://id`. */
  containerID: t.string(8),
  /** Whether its startup probe has succeeded. */
  started: t.bool(9).explicit(),
}) {}

/** What is known about a pod; the node agent reports most of it, some time later. */
export class PodStatus extends shape({
  /** Where the pod is in its life. */
  phase: t.string(1).oneOf('Failed', 'Pending', 'Running', 'Succeeded', 'Unknown'),
  /** Aspects of its state. */
  conditions: t.list(2, PodCondition).patchBy('type'),
  /** Why it is so, for people. */
  message: t.string(3),
  /** Why it is so, as one word. */
  reason: t.string(4),
  /** Node on which pods of lower priority make room for it. */
  nominatedNodeName: t.string(11),
  /** Address of its node. */
  hostIP: t.string(5),
  /** Its address: the first of `podIPs`. */
  podIP: t.string(6),
  /** Its addresses, at most one of each family. */
  podIPs: t.list(12, PodIP).patchBy('ip'),
  /** When the node agent took it on. */
  startTime: t.time(7).explicit(),
  /** The init containers, in their order. */
  initContainerStatuses: t.list(10, ContainerStatus),
  /** The containers. */
  containerStatuses: t.list(8, ContainerStatus),
  /** How it stands in a shortage of resources; computed from its resources. */
  qosClass: t.string(9).oneOf('BestEffort', 'Burstable', 'Guaranteed'),
  /** The ephemeral containers. */
  ephemeralContainerStatuses: t.list(13, ContainerStatus),
}) {}
