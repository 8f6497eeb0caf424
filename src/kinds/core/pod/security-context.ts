import { home, t } from '../../../notation/shape.ts'

const { shape } = home('core/v1')

/**
 * SELinux label that is applied to a container. Unset parts are chosen by the container runtime.
 */
export class SELinuxOptions extends shape({
  /** User part of the SELinux label. */
  user: t.string(1),
  /** Role part of the SELinux label. */
  role: t.string(2),
  /** Type part of the SELinux label. */
  type: t.string(3),
  /** Level part of the SELinux label. */
  level: t.string(4),
}) {}

/** Security settings that apply to Windows containers only. */
export class WindowsSecurityContextOptions extends shape({
  /** Name of the group-managed service account (GMSA) credential spec to use, a DNS subdomain. */
  gmsaCredentialSpecName: t.string(1).explicit(),
  /**
   * Content of the GMSA credential spec, at most 64 KiB. An admission webhook fills it in from
   * `gmsaCredentialSpecName`.
   */
  gmsaCredentialSpec: t.string(2).explicit(),
  /**
   * Windows user that runs the entrypoint, as `user` or `domain\user`. Defaults to that of the
   * image.
   */
  runAsUserName: t.string(3).explicit(),
  /**
   * Run the container directly in the context of the node. All containers of a pod must have the
   * same value, and the pod must use the host network. Defaults to false.
   */
  hostProcess: t.bool(4).explicit(),
}) {}

/** System call filter (seccomp profile) of a pod or container. */
export class SeccompProfile extends shape({
  /**
   * Kind of profile: `RuntimeDefault`, `Unconfined` or `Localhost`, a file on the node. Required.
   */
  type: t.string(1).required().oneOf('Localhost', 'RuntimeDefault', 'Unconfined'),
  /**
   * Profile file on the node, relative to the seccomp directory of the node agent, without `..`.
   * Required for type `Localhost` and forbidden otherwise.
   */
  localhostProfile: t.string(2).explicit(),
}) {}

/** POSIX capabilities to add to and drop from the default set of the container runtime. */
export class Capabilities extends shape({
  /** Capabilities to add, for example `NET_ADMIN`. */
  add: t.list(1, 'string'),
  /** Capabilities to drop; `ALL` drops every one. */
  drop: t.list(2, 'string'),
}) {}

/** Security settings of one container. They override those of the pod. */
export class SecurityContext extends shape({
  /**
   * POSIX capabilities to add or drop. Defaults to those of the container runtime. Not allowed for
   * Windows pods.
   */
  capabilities: t.object(1, Capabilities).explicit(),
  /**
   * Run the container with full access to the node. Must be allowed by the server option
   * `--allow-privileged`. Not allowed for Windows pods. Defaults to false.
   */
  privileged: t.bool(2).explicit(),
  /**
   * SELinux label of the container. Defaults to that of the pod, else the runtime chooses one. Not
   * allowed for Windows pods.
   */
  seLinuxOptions: t.object(3, SELinuxOptions).explicit(),
  /**
   * Windows-specific settings of the container. They override those of the pod; not allowed when
   * `spec.os.name` is `linux`.
   */
  windowsOptions: t.object(10, WindowsSecurityContextOptions).explicit(),
  /**
   * User ID that runs the entrypoint. Defaults to that of the pod, else to that of the image. Not
   * allowed for Windows pods.
   */
  runAsUser: t.int64(4).explicit(),
  /**
   * Primary group ID of the entrypoint. Defaults to that of the pod, else to the default of the
   * runtime. Not allowed for Windows pods.
   */
  runAsGroup: t.int64(8).explicit(),
  /**
   * Require a non-root user: the node agent refuses to start a container that would run as user ID
   * 0. Defaults to that of the pod.
   */
  runAsNonRoot: t.bool(5).explicit(),
  /**
   * Mount the root file system of the container read-only. Defaults to false. Not allowed for
   * Windows pods.
   */
  readOnlyRootFilesystem: t.bool(6).explicit(),
  /**
   * Whether a process can gain more privileges than its parent. `false` conflicts with `privileged`
   * and the capability `CAP_SYS_ADMIN`. Not allowed for Windows pods.
   */
  allowPrivilegeEscalation: t.bool(7).explicit(),
  /**
   * How the proc file system is mounted: `Default` masks sensitive paths, `Unmasked` does not.
   * Requires the feature gate `ProcMountType`; dropped otherwise.
   */
  procMount: t.string(9).explicit().oneOf('Default', 'Unmasked'),
  /**
   * System call filter of the container. Defaults to that of the pod. Not allowed for Windows pods.
   */
  seccompProfile: t.object(11, SeccompProfile).explicit(),
}) {}

/** A kernel parameter to set in the namespaces of a pod. */
export class Sysctl extends shape({
  /**
   * Name of the kernel parameter, for example `net.core.somaxconn`. Required, unique in the pod, at
   * most 253 characters.
   */
  name: t.string(1).required(),
  /** Value to assign to the kernel parameter. Required. */
  value: t.string(2).required(),
}) {}

/** Security settings of a pod. Fields that also exist for containers are their defaults. */
export class PodSecurityContext extends shape({
  /**
   * SELinux label of all containers. The runtime chooses one when unset. Not allowed for Windows
   * pods.
   */
  seLinuxOptions: t.object(1, SELinuxOptions).explicit(),
  /** Windows-specific settings of all containers. Not allowed when `spec.os.name` is `linux`. */
  windowsOptions: t.object(8, WindowsSecurityContextOptions).explicit(),
  /**
   * User ID that runs the entrypoint of all containers. Defaults to that of the image. Not allowed
   * for Windows pods.
   */
  runAsUser: t.int64(2).explicit(),
  /**
   * Primary group ID of the entrypoint of all containers. Defaults to that of the runtime. Not
   * allowed for Windows pods.
   */
  runAsGroup: t.int64(6).explicit(),
  /**
   * Require a non-root user: the node agent refuses to start containers that would run as user ID
   * 0. Defaults to false.
   */
  runAsNonRoot: t.bool(3).explicit(),
  /** Additional group IDs of the first process in each container. Not allowed for Windows pods. */
  supplementalGroups: t.list(4, 'int64'),
  /**
   * Group ID that owns the volumes which support ownership management; it is also added to the
   * groups of each container. Unset leaves ownership unchanged. Not allowed for Windows pods.
   */
  fsGroup: t.int64(5).explicit(),
  /**
   * Kernel parameters to set in the namespaces of the pod, unique by name. Not allowed for Windows
   * pods.
   */
  sysctls: t.list(7, Sysctl),
  /**
   * When to change the ownership of volumes to `fsGroup`: `Always` on every mount, or
   * `OnRootMismatch` only if the root directory does not match. Unset means `Always`.
   */
  fsGroupChangePolicy: t.string(9).explicit().oneOf('Always', 'OnRootMismatch'),
  /** System call filter of all containers. Not allowed for Windows pods. */
  seccompProfile: t.object(10, SeccompProfile).explicit(),
}) {}
