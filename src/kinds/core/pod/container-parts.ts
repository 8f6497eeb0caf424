import { home, t } from '../../../notation/shape.ts'

const { shape } = home('core/v1')

/** A port that a container listens on. */
export class ContainerPort extends shape({
  /** Name by which services may refer to the port, unique in the container. */
  name: t.string(1),
  /** Port of the host that leads to it; on the host's network it is the same as `containerPort`. */
  hostPort: t.int32(2),
  /** Port in the pod, 1 to 65535. */
  containerPort: t.int32(3).required(),
  /** Protocol of the port. */
  protocol: t.string(4).oneOf('SCTP', 'TCP', 'UDP').default('TCP'),
  /** Address of the host that `hostPort` is bound to. */
  hostIP: t.string(5),
}) {}

/** Puts a volume into the file system of a container. */
export class VolumeMount extends shape({
  /** Name of the volume. */
  name: t.string(1).required(),
  /** Whether it cannot be written to. */
  readOnly: t.bool(2),
  /** Where it appears in the container, without `:`; unique in the container. */
  mountPath: t.string(3).required(),
  /** Path inside the volume that is mounted; its root when empty. */
  subPath: t.string(4),
  /** In which directions later mounts spread between host and container. */
  mountPropagation: t.string(5).explicit().oneOf('Bidirectional', 'HostToContainer', 'None'),
  /** Like `subPath`, with `$(NAME)` standing for environment variables; not together with it. */
  subPathExpr: t.string(6),
}) {}

/** Gives a container a volume as a raw block device. */
export class VolumeDevice extends shape({
  /** Name of the volume, which must be a claim. */
  name: t.string(1).required(),
  /** Path of the device in the container. */
  devicePath: t.string(2).required(),
}) {}
