import { home, t } from '../../../notation/shape.ts'

const { shape } = home('core/v1')

/** A network port that a container exposes. */
export class ContainerPort extends shape({
  /** Name of the port, unique in the container, by which services can refer to it. */
  name: t.string(1),
  /**
   * Port of the node that is forwarded to the container, 1 to 65535; 0 for none. On the host
   * network it must equal `containerPort`.
   */
  hostPort: t.int32(2),
  /** Port number inside the pod, 1 to 65535. Required. */
  containerPort: t.int32(3).required(),
  /** Transport protocol of the port: `TCP`, `UDP` or `SCTP`. Defaults to `TCP`. */
  protocol: t.string(4).oneOf('SCTP', 'TCP', 'UDP').default('TCP'),
  /** IP address of the node that `hostPort` binds to. Empty binds all addresses. */
  hostIP: t.string(5),
}) {}

/** Mounts a volume of the pod into a container. */
export class VolumeMount extends shape({
  /** Name of the volume in `spec.volumes`. Required. */
  name: t.string(1).required(),
  /** Mount the volume read-only. Defaults to false. */
  readOnly: t.bool(2),
  /**
   * Path in the container at which the volume is mounted. Required, unique in the container,
   * without `:`.
   */
  mountPath: t.string(3).required(),
  /** Relative path inside the volume to mount, without `..`. Defaults to the root of the volume. */
  subPath: t.string(4),
  /**
   * How mounts made later propagate: `None`, `HostToContainer`, or `Bidirectional`, which requires
   * a privileged container. Unset means `None`.
   */
  mountPropagation: t.string(5).explicit().oneOf('Bidirectional', 'HostToContainer', 'None'),
  /**
   * Like `subPath`, with `$(NAME)` replaced by environment variables of the container. Cannot be
   * combined with `subPath`.
   */
  subPathExpr: t.string(6),
}) {}

/** Attaches a volume to a container as a raw block device. */
export class VolumeDevice extends shape({
  /**
   * Name of a volume of the pod that is backed by a persistent volume claim or an ephemeral volume.
   * Required.
   */
  name: t.string(1).required(),
  /** Path of the device in the container, unique in the container. Required. */
  devicePath: t.string(2).required(),
}) {}
