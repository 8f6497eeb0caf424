import { home, t } from '../../../schema/shape.ts'
import { LocalObjectReference } from '../local-object-reference.ts'
import { SecretReference } from '../secret-reference.ts'

const { shape } = home('core/v1')

/** A directory exported over NFS. */
export class NFSVolumeSource extends shape({
  /** Host name or address of the server. */
  server: t.string(1).required(),
  /** Exported path, absolute. */
  path: t.string(2).required(),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(3),
}) {}

/** A Glusterfs volume, for a pod. */
export class GlusterfsVolumeSource extends shape({
  /** Endpoints object that lists the servers. */
  endpoints: t.string(1).required(),
  /** Name of the volume. */
  path: t.string(2).required(),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(3),
}) {}

/** A Glusterfs volume. */
export class GlusterfsPersistentVolumeSource extends shape({
  /** Endpoints object that lists the servers. */
  endpoints: t.string(1).required(),
  /** Name of the volume. */
  path: t.string(2).required(),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(3),
  /** Namespace of the endpoints; that of the claim when absent. */
  endpointsNamespace: t.string(4).explicit(),
}) {}

/** A Ceph file system, for a pod. */
export class CephFSVolumeSource extends shape({
  /** Addresses of the monitors. */
  monitors: t.list(1, 'string').required(),
  /** Directory to mount; the root when empty. */
  path: t.string(2),
  /** User to act as; admin when empty. */
  user: t.string(3),
  /** Key ring file on the node; /etc/ceph/user.secret when empty. */
  secretFile: t.string(4),
  /** Secret with the key, instead of the file. */
  secretRef: t.object(5, LocalObjectReference).explicit(),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(6),
}) {}

/** A Ceph file system. */
export class CephFSPersistentVolumeSource extends shape({
  /** Addresses of the monitors. */
  monitors: t.list(1, 'string').required(),
  /** Directory to mount; the root when empty. */
  path: t.string(2),
  /** User to act as; admin when empty. */
  user: t.string(3),
  /** Key ring file on the node; /etc/ceph/user.secret when empty. */
  secretFile: t.string(4),
  /** Secret with the key, instead of the file. */
  secretRef: t.object(5, SecretReference).explicit(),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(6),
}) {}

/** A Quobyte volume. */
export class QuobyteVolumeSource extends shape({
  /** Registries as host:port, separated by commas. */
  registry: t.string(1).required(),
  /** Name of the volume. */
  volume: t.string(2).required(),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(3),
  /** User to act as; the owner of the service when empty. */
  user: t.string(4),
  /** Group to act as; none when empty. */
  group: t.string(5),
  /** Tenant that owns the volume. */
  tenant: t.string(6),
}) {}
