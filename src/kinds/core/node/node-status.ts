import { home, t } from '../../../notation/shape.ts'
import { NodeConfigSource } from './node-spec.ts'

const { shape } = home('core/v1')

/** One aspect of how a node fares. */
export class NodeCondition extends shape({
  /** Which aspect: `Ready`, `MemoryPressure`, `DiskPressure`, `PIDPressure`, `NetworkUnavailable`. */
  type: t.string(1).required(),
  /** `True`, `False` or `Unknown`. */
  status: t.string(2).required(),
  /** When it was last heard of. */
  lastHeartbeatTime: t.time(3),
  /** When the status last changed. */
  lastTransitionTime: t.time(4),
  /** Why, as one word. */
  reason: t.string(5),
  /** Why, for people. */
  message: t.string(6),
}) {}

/** One address of a node. */
export class NodeAddress extends shape({
  /** What it is: `Hostname`, `InternalIP`, `ExternalIP`, `InternalDNS`, `ExternalDNS`. */
  type: t.string(1).required(),
  /** The address. */
  address: t.string(2).required(),
}) {}

/** Where a program on a node listens. */
export class DaemonEndpoint extends shape({
  /** Port number. */
  Port: t.int32(1).required(),
}) {}

/** Where the programs on a node listen. */
export class NodeDaemonEndpoints extends shape({
  /** The node agent. */
  '{agent}Endpoint': t.object(1, DaemonEndpoint),
}) {}

/** What runs on a node. */
export class NodeSystemInfo extends shape({
  /** Identifies the installation of the operating system. */
  machineID: t.string(1).required(),
  /** Identifies the hardware. */
  systemUUID: t.string(2).required(),
  /** Identifies the time since the last start. */
  bootID: t.string(3).required(),
  /** Version of the operating system's kernel. */
  kernelVersion: t.string(4).required(),
  /** Name and version of the operating system, for people. */
  osImage: t.string(5).required(),
  /** What runs the containers, and its version. */
  containerRuntimeVersion: t.string(6).required(),
  /** Version of the node agent. */
  '{agent}Version': t.string(7).required(),
  /** Version of the service proxy. */
  '{system}ProxyVersion': t.string(8).required(),
  /** The operating system, as one word. */
  operatingSystem: t.string(9).required(),
  /** The kind of processor. */
  architecture: t.string(10).required(),
}) {}

/** A container image that a node has. */
export class ContainerImage extends shape({
  /** Names by which it is known. */
  names: t.list(1, 'string'),
  /** Its size. */
  sizeBytes: t.int64(2),
}) {}

/** A volume that is attached to a node. */
export class AttachedVolume extends shape({
  /** Name of the volume. */
  name: t.string(1).required(),
  /** The device it shows up as. */
  devicePath: t.string(2).required(),
}) {}

/** How a node got its configuration; no longer in use. */
export class NodeConfigStatus extends shape({
  /** What it tries to use. */
  assigned: t.object(1, NodeConfigSource).explicit(),
  /** What it uses. */
  active: t.object(2, NodeConfigSource).explicit(),
  /** What it goes back to when the assigned one fails. */
  lastKnownGood: t.object(3, NodeConfigSource).explicit(),
  /** What went wrong. */
  error: t.string(4),
}) {}

/** How a node fares. */
export class NodeStatus extends shape({
  /** What it has, by resource name. */
  capacity: t.map(1, 'quantity'),
  /** What of it pods can use; `capacity` when it is not given. */
  allocatable: t.map(2, 'quantity'),
  /** How far it has come; no longer filled. */
  phase: t.string(3).oneOf('Pending', 'Running', 'Terminated'),
  /** How it fares, aspect by aspect. */
  conditions: t.list(4, NodeCondition).patchBy('type'),
  /** Where it can be reached. */
  addresses: t.list(5, NodeAddress).patchBy('type'),
  /** Where its programs listen. */
  daemonEndpoints: t.object(6, NodeDaemonEndpoints),
  /** What runs on it. */
  nodeInfo: t.object(7, NodeSystemInfo),
  /** Container images that it has. */
  images: t.list(8, ContainerImage),
  /** Attachable volumes that it has mounted. */
  volumesInUse: t.list(9, 'string'),
  /** Volumes that are attached to it. */
  volumesAttached: t.list(10, AttachedVolume),
  /** How it got its configuration; no longer in use. */
  config: t.object(11, NodeConfigStatus).explicit(),
}) {}
