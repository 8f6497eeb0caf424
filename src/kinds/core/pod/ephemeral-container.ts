import { home, t } from '../../../notation/shape.ts'
import { ResourceRequirements } from '../resource-requirements.ts'
import { ContainerPort, VolumeDevice, VolumeMount } from './container-parts.ts'
import { EnvFromSource, EnvVar } from './env.ts'
import { Lifecycle, Probe } from './probe.ts'
import { SecurityContext } from './security-context.ts'

const { shape } = home('core/v1')

/** Fields that ephemeral containers share with regular containers. */
export class EphemeralContainerCommon extends shape({
  /**
   * Name of the ephemeral container, a DNS label that is unique among all containers of the pod.
   * Required.
   */
  name: t.string(1).required(),
  /** Name of the container image. Required. */
  image: t.string(2),
  /**
   * Executable and its leading arguments, run without a shell. Replaces the entrypoint of the
   * image. `$(NAME)` expands environment variables.
   */
  command: t.list(3, 'string'),
  /**
   * Arguments of the command. Replaces those of the image. `$(NAME)` expands environment variables.
   */
  args: t.list(4, 'string'),
  /** Working directory of the container. Defaults to that of the image. */
  workingDir: t.string(5),
  /** Not allowed for ephemeral containers; rejected when set. */
  ports: t.list(6, ContainerPort).keyed('containerPort', 'protocol').patchBy('containerPort'),
  /**
   * Sources whose entries all become environment variables. Later sources override earlier ones,
   * and `env` overrides all of them.
   */
  envFrom: t.list(19, EnvFromSource),
  /** Environment variables of the container, unique by name. */
  env: t.list(7, EnvVar).patchBy('name'),
  /**
   * Not allowed for ephemeral containers, which use spare resources of the pod; rejected when set.
   */
  resources: t.object(8, ResourceRequirements),
  /**
   * Pod volumes to mount into the file system of the container. `subPath` and `subPathExpr` are not
   * allowed.
   */
  volumeMounts: t.list(9, VolumeMount).patchBy('mountPath'),
  /** Pod volumes to attach to the container as raw block devices. */
  volumeDevices: t.list(21, VolumeDevice).patchBy('devicePath'),
  /** Not allowed for ephemeral containers; rejected when set. */
  livenessProbe: t.object(10, Probe).explicit(),
  /** Not allowed for ephemeral containers; rejected when set. */
  readinessProbe: t.object(11, Probe).explicit(),
  /** Not allowed for ephemeral containers; rejected when set. */
  startupProbe: t.object(22, Probe).explicit(),
  /** Not allowed for ephemeral containers; rejected when set. */
  lifecycle: t.object(12, Lifecycle).explicit(),
  /**
   * File in the container from which the termination message is read, at most 4096 bytes. Defaults
   * to `/dev/termination-log`.
   */
  terminationMessagePath: t.string(13).default('/dev/termination-log'),
  /**
   * Source of the termination message: `File`, or `FallbackToLogsOnError` to use the end of the log
   * when the file is empty and the container failed. Defaults to `File`.
   */
  terminationMessagePolicy: t.string(20).oneOf('FallbackToLogsOnError', 'File').default('File'),
  /**
   * When to pull the image: `Always`, `IfNotPresent` or `Never`. Defaults to `Always` for the tag
   * `latest` or a missing tag, else to `IfNotPresent`.
   */
  imagePullPolicy: t.string(14).oneOf('Always', 'IfNotPresent', 'Never'),
  /** Security settings of the container. They override those of the pod. */
  securityContext: t.object(15, SecurityContext).explicit(),
  /** Keep a buffer open for standard input, so that clients can attach to it. Defaults to false. */
  stdin: t.bool(16),
  /**
   * Close standard input after the first attached client disconnects. Requires `stdin`. Defaults to
   * false.
   */
  stdinOnce: t.bool(17),
  /** Allocate a terminal for the container. Requires `stdin`. Defaults to false. */
  tty: t.bool(18),
}) {}

/**
 * A container added to a running pod for debugging. It is never restarted and cannot be changed or
 * removed once added.
 */
export class EphemeralContainer extends shape({
  /** Fields shared with regular containers. */
  ephemeralContainerCommon: t.inline(1, EphemeralContainerCommon),
  /**
   * Name of the container whose process namespace it joins. When empty, it uses the namespaces of
   * the pod. The runtime must support this.
   */
  targetContainerName: t.string(2),
}) {}
