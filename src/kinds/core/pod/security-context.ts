import { home, t } from '../../../notation/shape.ts'

const { shape } = home('core/v1')

/** Labels of SELinux that a process runs with. */
export class SELinuxOptions extends shape({
  /** User part. */
  user: t.string(1),
  /** Role part. */
  role: t.string(2),
  /** Type part. */
  type: t.string(3),
  /** Level part. */
  level: t.string(4),
}) {}

/** Settings that exist on Windows only. */
export class WindowsSecurityContextOptions extends shape({
  /** Name of the group-managed service account specification. */
  gmsaCredentialSpecName: t.string(1).explicit(),
  /** The specification itself, filled in from its name. */
  gmsaCredentialSpec: t.string(2).explicit(),
  /** User of the first process, as `user` or `domain\user`. */
  runAsUserName: t.string(3).explicit(),
  /** Whether the container runs as a process of the host; all containers of a pod agree in it. */
  hostProcess: t.bool(4).explicit(),
}) {}

/** Limits the system calls of a process. */
export class SeccompProfile extends shape({
  /** Which kind of profile. */
  type: t.string(1).required().oneOf('Localhost', 'RuntimeDefault', 'Unconfined'),
  /** File on the node, below the node agent's profile directory; for `Localhost` only. */
  localhostProfile: t.string(2).explicit(),
}) {}

/** Rights of a process that are added to and taken from those of the runtime. */
export class Capabilities extends shape({
  /** Rights added. */
  add: t.list(1, 'string'),
  /** Rights taken away. */
  drop: t.list(2, 'string'),
}) {}

/** Security settings of one container; they win over those of the pod. */
export class SecurityContext extends shape({
  /** Rights added and taken away. */
  capabilities: t.object(1, Capabilities).explicit(),
  /** Whether it has all rights on the host. */
  privileged: t.bool(2).explicit(),
  /** SELinux labels. */
  seLinuxOptions: t.object(3, SELinuxOptions).explicit(),
  /** Windows settings. */
  windowsOptions: t.object(10, WindowsSecurityContextOptions).explicit(),
  /** User id of the first process; that of the image unless set. */
  runAsUser: t.int64(4).explicit(),
  /** Group id of the first process. */
  runAsGroup: t.int64(8).explicit(),
  /** Whether a container that would run as user 0 is refused by the node. */
  runAsNonRoot: t.bool(5).explicit(),
  /** Whether the root file system cannot be written to. */
  readOnlyRootFilesystem: t.bool(6).explicit(),
  /** Whether a process may gain more rights than its parent. */
  allowPrivilegeEscalation: t.bool(7).explicit(),
  /** How the proc file system is mounted. */
  procMount: t.string(9).explicit().oneOf('Default', 'Unmasked'),
  /** System call filter. */
  seccompProfile: t.object(11, SeccompProfile).explicit(),
}) {}

/** A kernel setting of the pod. */
export class Sysctl extends shape({
  /** Name of the setting. */
  name: t.string(1).required(),
  /** Value to set. */
  value: t.string(2).required(),
}) {}

/** Security settings of a pod and, unless they have their own, of its containers. */
export class PodSecurityContext extends shape({
  /** SELinux labels of all containers. */
  seLinuxOptions: t.object(1, SELinuxOptions).explicit(),
  /** Windows settings of all containers. */
  windowsOptions: t.object(8, WindowsSecurityContextOptions).explicit(),
  /** User id of the first processes. */
  runAsUser: t.int64(2).explicit(),
  /** Group id of the first processes. */
  runAsGroup: t.int64(6).explicit(),
  /** Whether containers that would run as user 0 are refused by the node. */
  runAsNonRoot: t.bool(3).explicit(),
  /** Further groups of the first processes. */
  supplementalGroups: t.list(4, 'int64'),
  /** Group that owns the volumes that support it. */
  fsGroup: t.int64(5).explicit(),
  /** Kernel settings. */
  sysctls: t.list(7, Sysctl),
  /** When the ownership of volumes is changed to `fsGroup`; always unless set. */
  fsGroupChangePolicy: t.string(9).explicit().oneOf('Always', 'OnRootMismatch'),
  /** System call filter of all containers. */
  seccompProfile: t.object(10, SeccompProfile).explicit(),
}) {}
