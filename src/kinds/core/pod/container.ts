import { home, t } from '../../../notation/shape.ts'
import { ResourceRequirements } from '../resource-requirements.ts'
import { ContainerPort, VolumeDevice, VolumeMount } from './container-parts.ts'
import { EnvFromSource, EnvVar } from './env.ts'
import { Lifecycle, Probe } from './probe.ts'
import { SecurityContext } from './security-context.ts'

const { shape } = home('core/v1')

/** A container of a pod: an image with its command, environment, resources and mounts. */
export class Container extends shape({
  /**
   * Name of the container, a DNS label that is unique in the pod. Required. Immutable in an
   * existing pod.
   */
  name: t.string(1).required(),
  /**
   * Name of the container image. Required in pods; it can change in an existing pod, which restarts
   * the container.
   */
  image: t.string(2),
  /**
   * Executable and its leading arguments, run without a shell. Replaces the entrypoint of the
   * image. `$(NAME)` expands environment variables, `$$(NAME)` escapes. Immutable in an existing
   * pod.
   */
  command: t.list(3, 'string'),
  /**
   * Arguments of the command. Replaces those of the image. `$(NAME)` expands environment variables,
   * `$$(NAME)` escapes. Immutable in an existing pod.
   */
  args: t.list(4, 'string'),
  /**
   * Working directory of the container. Defaults to that of the image. Immutable in an existing
   * pod.
   */
  workingDir: t.string(5),
  /**
   * Ports that the container exposes. The list is informative: a port that is not listed remains
   * reachable. Immutable in an existing pod.
   */
  ports: t.list(6, ContainerPort).keyed('containerPort', 'protocol').patchBy('containerPort'),
  /**
   * Sources whose entries all become environment variables. Later sources override earlier ones,
   * and `env` overrides all of them. Immutable in an existing pod.
   */
  envFrom: t.list(19, EnvFromSource),
  /** Environment variables of the container, unique by name. Immutable in an existing pod. */
  env: t.list(7, EnvVar).patchBy('name'),
  /**
   * Compute resources that the container requests and may use at most. Immutable in an existing
   * pod.
   */
  resources: t.object(8, ResourceRequirements),
  /**
   * Pod volumes to mount into the file system of the container, unique by mount path. Immutable in
   * an existing pod.
   */
  volumeMounts: t.list(9, VolumeMount).patchBy('mountPath'),
  /** Pod volumes to attach to the container as raw block devices. Immutable in an existing pod. */
  volumeDevices: t.list(21, VolumeDevice).patchBy('devicePath'),
  /**
   * Periodic check that the container is alive. The node agent restarts the container when it
   * fails.
   */
  livenessProbe: t.object(10, Probe).explicit(),
  /**
   * Periodic check that the container can serve requests. While it fails, services send no traffic
   * to the pod.
   */
  readinessProbe: t.object(11, Probe).explicit(),
  /**
   * Check that the container has started. The other probes do not run before it succeeds, and the
   * container is restarted when it fails.
   */
  startupProbe: t.object(22, Probe).explicit(),
  /** Hooks that run after the container starts and before it is stopped. */
  lifecycle: t.object(12, Lifecycle).explicit(),
  /**
   * File in the container from which the termination message is read, at most 4096 bytes. Defaults
   * to `/dev/termination-log`. Immutable in an existing pod.
   */
  terminationMessagePath: t.string(13).default('/dev/termination-log'),
  /**
   * Source of the termination message: `File`, or `FallbackToLogsOnError` to use the end of the log
   * when the file is empty and the container failed. Defaults to `File`.
   */
  terminationMessagePolicy: t.string(20).oneOf('FallbackToLogsOnError', 'File').default('File'),
  /**
   * When to pull the image: `Always`, `IfNotPresent` or `Never`. Defaults to `Always` for the tag
   * `latest` or a missing tag, else to `IfNotPresent`. Immutable in an existing pod.
   */
  imagePullPolicy: t.string(14).oneOf('Always', 'IfNotPresent', 'Never'),
  /** Security settings of the container. They override those of the pod. */
  securityContext: t.object(15, SecurityContext).explicit(),
  /**
   * Keep a buffer open for standard input. Without it, reads from standard input reach the end of
   * file immediately. Defaults to false.
   */
  stdin: t.bool(16),
  /**
   * Close standard input after the first attached client disconnects. Requires `stdin`. Defaults to
   * false.
   */
  stdinOnce: t.bool(17),
  /** Allocate a terminal for the container. Requires `stdin`. Defaults to false. */
  tty: t.bool(18),
}) {}
