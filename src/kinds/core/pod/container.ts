import { home, t } from '../../../notation/shape.ts'
import { ResourceRequirements } from '../resource-requirements.ts'
import { ContainerPort, VolumeDevice, VolumeMount } from './container-parts.ts'
import { EnvFromSource, EnvVar } from './env.ts'
import { Lifecycle, Probe } from './probe.ts'
import { SecurityContext } from './security-context.ts'

const { shape } = home('core/v1')

/** A program that a pod runs. */
export class Container extends shape({
  /** Name, a DNS label, unique in the pod; it cannot change. */
  name: t.string(1).required(),
  /** Image to run. */
  image: t.string(2),
  /** The program and its first arguments, without a shell; that of the image unless set. */
  command: t.list(3, 'string'),
  /** Arguments of the program; those of the image unless set. */
  args: t.list(4, 'string'),
  /** Directory it starts in; that of the image unless set. */
  workingDir: t.string(5),
  /** Ports it listens on; a port that is not listed is not closed. */
  ports: t.list(6, ContainerPort).keyed('containerPort', 'protocol').patchBy('containerPort'),
  /** Sources of many environment variables; `env` and later sources win. */
  envFrom: t.list(19, EnvFromSource),
  /** Environment variables. */
  env: t.list(7, EnvVar).patchBy('name'),
  /** Computing resources it needs and may use. */
  resources: t.object(8, ResourceRequirements),
  /** Volumes in its file system. */
  volumeMounts: t.list(9, VolumeMount).patchBy('mountPath'),
  /** Volumes as block devices. */
  volumeDevices: t.list(21, VolumeDevice).patchBy('devicePath'),
  /** Finds out whether it lives; it is restarted when this fails. */
  livenessProbe: t.object(10, Probe).explicit(),
  /** Finds out whether it serves; services leave it out while this fails. */
  readinessProbe: t.object(11, Probe).explicit(),
  /** Finds out whether it has started; the other probes wait for that. */
  startupProbe: t.object(22, Probe).explicit(),
  /** What is done after its start and before its end. */
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
