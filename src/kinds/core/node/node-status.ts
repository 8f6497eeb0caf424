import { home, t } from '../../../notation/shape.ts'
import { NodeConfigSource } from './node-spec.ts'

const { shape } = home('core/v1')

/** One observed condition of a node. */
export class NodeCondition extends shape({
  /**
   * Type of the condition, for example `Ready`, `MemoryPressure`, `DiskPressure`, `PIDPressure` or
   * `NetworkUnavailable`.
   */
  type: t.string(1).required(),
  /** Status of the condition: `True`, `False` or `Unknown`. */
  status: t.string(2).required(),
  /** Time at which the node agent last reported the condition. */
  lastHeartbeatTime: t.time(3),
  /** Time at which `status` last changed. */
  lastTransitionTime: t.time(4),
  /** Machine-readable reason for the last change of `status`, one word in CamelCase. */
  reason: t.string(5),
  /** Human-readable details about the last change of `status`. */
  message: t.string(6),
}) {}

/** An address of a node. */
export class NodeAddress extends shape({
  /**
   * Type of the address: `Hostname`, `InternalIP`, `ExternalIP`, `InternalDNS` or `ExternalDNS`.
   */
  type: t.string(1).required(),
  /** IP address or name of the node, depending on `type`. */
  address: t.string(2).required(),
}) {}

/** Port on which a daemon of a node listens. */
export class DaemonEndpoint extends shape({
  /** Port number of the daemon. Note the capital letter in the name of this field. */
  Port: t.int32(1).required(),
}) {}

/** Ports on which the daemons of a node listen. */
export class NodeDaemonEndpoints extends shape({
  /** Port on which the node agent listens. */
  '{agent}Endpoint': t.object(1, DaemonEndpoint),
}) {}

/** Hardware and software information about a node, reported by the node agent. */
export class NodeSystemInfo extends shape({
  /**
   * Machine ID of the node, which identifies the installation of the operating system. Unique in
   * the cluster.
   */
  machineID: t.string(1).required(),
  /** System UUID of the node, taken from its hardware or virtual machine. */
  systemUUID: t.string(2).required(),
  /** Boot ID of the node, which changes with every restart. */
  bootID: t.string(3).required(),
  /** Version of the kernel of the node, as `uname -r` prints it. */
  kernelVersion: t.string(4).required(),
  /** Name and version of the operating system, in a human-readable form. */
  osImage: t.string(5).required(),
  /** Container runtime and its version, in the format `<type>://<version>`. */
  containerRuntimeVersion: t.string(6).required(),
  /** Version of the node agent that runs on the node. */
  '{agent}Version': t.string(7).required(),
  /** Version of the service proxy that runs on the node. */
  '{system}ProxyVersion': t.string(8).required(),
  /** Operating system of the node, `linux` or `windows`. */
  operatingSystem: t.string(9).required(),
  /** Processor architecture of the node, for example `amd64` or `arm64`. */
  architecture: t.string(10).required(),
}) {}

/** A container image that is present on a node. */
export class ContainerImage extends shape({
  /** Names of the image, both with tags and with digests. */
  names: t.list(1, 'string'),
  /** Size of the image in bytes. */
  sizeBytes: t.int64(2),
}) {}

/** A volume that is attached to a node. */
export class AttachedVolume extends shape({
  /** Unique name of the attached volume. */
  name: t.string(1).required(),
  /** Path of the device on the node. */
  devicePath: t.string(2).required(),
}) {}

/** Deprecated: status of the dynamic configuration of a node, which is no longer supported. */
export class NodeConfigStatus extends shape({
  /** Configuration that the node attempts to use. */
  assigned: t.object(1, NodeConfigSource).explicit(),
  /** Configuration that the node currently uses. */
  active: t.object(2, NodeConfigSource).explicit(),
  /** Configuration that the node reverts to when the assigned one fails. */
  lastKnownGood: t.object(3, NodeConfigSource).explicit(),
  /** Human-readable error of the assigned configuration, if any. */
  error: t.string(4),
}) {}

/** Most recently observed status of a node. */
export class NodeStatus extends shape({
  /** Total amount of each resource of the node. */
  capacity: t.map(1, 'quantity'),
  /**
   * Amount of each resource that pods can request, after reservations for system daemons. Defaults
   * to `capacity`.
   */
  allocatable: t.map(2, 'quantity'),
  /** Deprecated: former life cycle phase of the node. No longer set. */
  phase: t.string(3).oneOf('Pending', 'Running', 'Terminated'),
  /** Observed conditions of the node, such as `Ready`, one for each type. */
  conditions: t.list(4, NodeCondition).patchBy('type'),
  /** Addresses at which the node is reachable, unique by type and address. */
  addresses: t.list(5, NodeAddress).patchBy('type'),
  /** Ports on which the daemons of the node listen. */
  daemonEndpoints: t.object(6, NodeDaemonEndpoints),
  /** Hardware and software information about the node. */
  nodeInfo: t.object(7, NodeSystemInfo),
  /** Container images that are present on the node. The list can be limited to the largest ones. */
  images: t.list(8, ContainerImage),
  /** Names of attachable volumes that the node has mounted. They must not be detached. */
  volumesInUse: t.list(9, 'string'),
  /** Volumes that are attached to the node. */
  volumesAttached: t.list(10, AttachedVolume),
  /** Deprecated: status of the dynamic node configuration, which is no longer supported. */
  config: t.object(11, NodeConfigStatus).explicit(),
}) {}
