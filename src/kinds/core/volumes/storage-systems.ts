import { home, t } from '../../../schema/shape.ts'
import { LocalObjectReference } from '../local-object-reference.ts'
import { ObjectReference } from '../object-reference.ts'
import { SecretReference } from '../secret-reference.ts'

const { shape } = home('core/v1')

/** A Flocker data set; exactly one of name and UUID is set. */
export class FlockerVolumeSource extends shape({
  /** Name of the data set, as in its metadata. Deprecated. */
  datasetName: t.string(1),
  /** UUID of the data set. */
  datasetUUID: t.string(2),
}) {}

/** A Portworx volume. */
export class PortworxVolumeSource extends shape({
  /** Identifier of the volume. */
  volumeID: t.string(1).required(),
  /** File system of the volume; ext4 when empty. */
  fsType: t.string(2),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(3),
}) {}

/** A ScaleIO volume, for a pod. */
export class ScaleIOVolumeSource extends shape({
  /** Address of the gateway. */
  gateway: t.string(1).required(),
  /** Name of the storage system. */
  system: t.string(2).required(),
  /** Secret with the credentials. */
  secretRef: t.object(3, LocalObjectReference).required(),
  /** Whether the gateway is reached over TLS. */
  sslEnabled: t.bool(4),
  /** Protection domain. */
  protectionDomain: t.string(5),
  /** Storage pool of the domain. */
  storagePool: t.string(6),
  /** `ThickProvisioned` or `ThinProvisioned`. */
  storageMode: t.string(7).default('ThinProvisioned'),
  /** Name of the volume. */
  volumeName: t.string(8),
  /** File system of the volume. */
  fsType: t.string(9).default('xfs'),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(10),
}) {}

/** A ScaleIO volume. */
export class ScaleIOPersistentVolumeSource extends shape({
  /** Address of the gateway. */
  gateway: t.string(1).required(),
  /** Name of the storage system. */
  system: t.string(2).required(),
  /** Secret with the credentials. */
  secretRef: t.object(3, SecretReference).required(),
  /** Whether the gateway is reached over TLS. */
  sslEnabled: t.bool(4),
  /** Protection domain. */
  protectionDomain: t.string(5),
  /** Storage pool of the domain. */
  storagePool: t.string(6),
  /** `ThickProvisioned` or `ThinProvisioned`. */
  storageMode: t.string(7).default('ThinProvisioned'),
  /** Name of the volume. */
  volumeName: t.string(8),
  /** File system of the volume. */
  fsType: t.string(9).default('xfs'),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(10),
}) {}

/** A StorageOS volume, for a pod. */
export class StorageOSVolumeSource extends shape({
  /** Name of the volume. */
  volumeName: t.string(1),
  /** Namespace of the volume inside StorageOS; that of the pod when empty. */
  volumeNamespace: t.string(2),
  /** File system of the volume; ext4 when empty. */
  fsType: t.string(3),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(4),
  /** Secret with the credentials. */
  secretRef: t.object(5, LocalObjectReference).explicit(),
}) {}

/** A StorageOS volume. */
export class StorageOSPersistentVolumeSource extends shape({
  /** Name of the volume. */
  volumeName: t.string(1),
  /** Namespace of the volume inside StorageOS; that of the pod when empty. */
  volumeNamespace: t.string(2),
  /** File system of the volume; ext4 when empty. */
  fsType: t.string(3),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(4),
  /** Secret with the credentials. */
  secretRef: t.object(5, ObjectReference).explicit(),
}) {}
