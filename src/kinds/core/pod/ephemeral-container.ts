import { home, t } from '../../../notation/shape.ts'
import { ResourceRequirements } from '../resource-requirements.ts'
import { ContainerPort, VolumeDevice, VolumeMount } from './container-parts.ts'
import { EnvFromSource, EnvVar } from './env.ts'
import { Lifecycle, Probe } from './probe.ts'
import { SecurityContext } from './security-context.ts'

const { shape } = home('core/v1')

/** What an ephemeral container has in common with the others. */
export class EphemeralContainerCommon extends shape({
  /** Name, a DNS label, unique among all containers of the pod. */
  name: t.string(1).required(),
  /** Image to run. */
  image: t.string(2),
  /** The program and its first arguments, without a shell; that of the image unless set. */
  command: t.list(3, 'string'),
  /** Arguments of the program; those of the image unless set. */
  args: t.list(4, 'string'),
  /** Directory it starts in; that of the image unless set. */
  workingDir: t.string(5),
  /** Not allowed here. */
  ports: t.list(6, ContainerPort).keyed('containerPort', 'protocol').patchBy('containerPort'),
  /** Sources of many environment variables; `env` and later sources win. */
  envFrom: t.list(19, EnvFromSource),
  /** Environment variables. */
  env: t.list(7, EnvVar).patchBy('name'),
  /** Not allowed here: it uses what the pod has. */
  resources: t.object(8, ResourceRequirements),
  /** Volumes in its file system, as a whole only. */
  volumeMounts: t.list(9, VolumeMount).patchBy('mountPath'),
  /** Volumes as block devices. */
  volumeDevices: t.list(21, VolumeDevice).patchBy('devicePath'),
  /** Not allowed here. */
  livenessProbe: t.object(10, Probe).explicit(),
  /** Not allowed here. */
  readinessProbe: t.object(11, Probe).explicit(),
  /** Not allowed here. */
  startupProbe: t.object(22, Probe).explicit(),
  /** Not allowed here. */
  lifecycle: t.object(12, Lifecycle).explicit(),
  /** File into which it may write why it ended, at most 4096 bytes of which are kept. */
  terminationMessagePath: t.string(13).default('/dev/termination-log'),
  /** Whether the end of its log stands in for an empty file after a failure. */
  terminationMessagePolicy: t.string(20).oneOf('FallbackToLogsOnError', 'File').default('File'),
  /** When the image is fetched: `Always` unless set for an image without tag or tagged `latest`. */
  imagePullPolicy: t.string(14).oneOf('Always', 'IfNotPresent', 'Never'),
  /** Security settings; they win over those of the pod. */
  securityContext: t.object(15, SecurityContext).explicit(),
  /** Whether its standard input is kept for somebody to attach. */
  stdin: t.bool(16),
  /** Whether standard input ends with the first session attached to it. */
  stdinOnce: t.bool(17),
  /** Whether it gets a terminal; needs `stdin`. */
  tty: t.bool(18),
}) {}

/**
 * A program added to a running pod to look into it. It is never restarted, and can neither be
 * changed nor removed.
 */
export class EphemeralContainer extends shape({
  ephemeralContainerCommon: t.inline(1, EphemeralContainerCommon),
  /** Container whose processes it sees; that depends on the runtime when empty. */
  targetContainerName: t.string(2),
}) {}
