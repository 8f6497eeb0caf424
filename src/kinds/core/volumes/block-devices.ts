import { home, t } from '../../../schema/shape.ts'
import { LocalObjectReference } from '../local-object-reference.ts'
import { SecretReference } from '../secret-reference.ts'

const { shape } = home('core/v1')

/** An iSCSI disk, for a pod. */
export class ISCSIVolumeSource extends shape({
  /** Address of the target, with a port unless it is 860 or 3260. */
  targetPortal: t.string(1).required(),
  /** Qualified name of the target. */
  iqn: t.string(2).required(),
  /** Logical unit number. */
  lun: t.int32(3).required(),
  /** Interface of the initiator. */
  iscsiInterface: t.string(4).default('default'),
  /** File system of the disk; ext4 when empty. */
  fsType: t.string(5),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(6),
  /** Further addresses of the target. */
  portals: t.list(7, 'string'),
  /** Whether discovery is authenticated by CHAP. */
  chapAuthDiscovery: t.bool(8),
  /** Whether the session is authenticated by CHAP. */
  chapAuthSession: t.bool(11),
  /** Secret with the CHAP credentials. */
  secretRef: t.object(10, LocalObjectReference).explicit(),
  /** Own name of the initiator. */
  initiatorName: t.string(12).explicit(),
}) {}

/** An iSCSI disk. */
export class ISCSIPersistentVolumeSource extends shape({
  /** Address of the target, with a port unless it is 860 or 3260. */
  targetPortal: t.string(1).required(),
  /** Qualified name of the target. */
  iqn: t.string(2).required(),
  /** Logical unit number. */
  lun: t.int32(3).required(),
  /** Interface of the initiator. */
  iscsiInterface: t.string(4).default('default'),
  /** File system of the disk; ext4 when empty. */
  fsType: t.string(5),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(6),
  /** Further addresses of the target. */
  portals: t.list(7, 'string'),
  /** Whether discovery is authenticated by CHAP. */
  chapAuthDiscovery: t.bool(8),
  /** Whether the session is authenticated by CHAP. */
  chapAuthSession: t.bool(11),
  /** Secret with the CHAP credentials. */
  secretRef: t.object(10, SecretReference).explicit(),
  /** Own name of the initiator. */
  initiatorName: t.string(12).explicit(),
}) {}

/** A fibre channel disk: world wide identifiers, or world wide names with a logical unit number. */
export class FCVolumeSource extends shape({
  /** World wide names of the target. */
  targetWWNs: t.list(1, 'string'),
  /** Logical unit number. */
  lun: t.int32(2).explicit(),
  /** File system of the disk; ext4 when empty. */
  fsType: t.string(3),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(4),
  /** World wide identifiers of the disk. */
  wwids: t.list(5, 'string'),
}) {}

/** A block device of Ceph, for a pod. */
export class RBDVolumeSource extends shape({
  /** Addresses of the monitors. */
  monitors: t.list(1, 'string').required(),
  /** Name of the image. */
  image: t.string(2).required(),
  /** File system of the image; ext4 when empty. */
  fsType: t.string(3),
  /** Pool of the image. */
  pool: t.string(4).default('rbd'),
  /** User to act as. */
  user: t.string(5).default('admin'),
  /** Key ring file on the node. */
  keyring: t.string(6).default('/etc/ceph/keyring'),
  /** Secret with the key, instead of the key ring. */
  secretRef: t.object(7, LocalObjectReference).explicit(),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(8),
}) {}

/** A block device of Ceph. */
export class RBDPersistentVolumeSource extends shape({
  /** Addresses of the monitors. */
  monitors: t.list(1, 'string').required(),
  /** Name of the image. */
  image: t.string(2).required(),
  /** File system of the image; ext4 when empty. */
  fsType: t.string(3),
  /** Pool of the image. */
  pool: t.string(4).default('rbd'),
  /** User to act as. */
  user: t.string(5).default('admin'),
  /** Key ring file on the node. */
  keyring: t.string(6).default('/etc/ceph/keyring'),
  /** Secret with the key, instead of the key ring. */
  secretRef: t.object(7, SecretReference).explicit(),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(8),
}) {}
