import type { FieldErrors } from '../../../meta/field-errors.ts'
import { isDns1123Label } from '../../../meta/names.ts'
import { home, t } from '../../../notation/shape.ts'
import { LocalObjectReference } from '../local-object-reference.ts'
import { ObjectReference } from '../object-reference.ts'
import { SecretReference } from '../secret-reference.ts'
import { needText } from './paths.ts'

const { shape } = home('core/v1')

/**
 * Deprecated: a dataset of the Flocker service. Exactly one of `datasetName` and `datasetUUID` must
 * be set.
 */
export class FlockerVolumeSource extends shape({
  /** Deprecated: name of the dataset in its metadata, without `/`. Use `datasetUUID`. */
  datasetName: t.string(1),
  /** UUID of the Flocker dataset. */
  datasetUUID: t.string(2),
}) {}

/** A volume of the Portworx storage system. */
export class PortworxVolumeSource extends shape({
  /** Identifier of the Portworx volume. Required. */
  volumeID: t.string(1).required(),
  /** File system type of the volume, for example `ext4` or `xfs`. Empty means `ext4`. */
  fsType: t.string(2),
  /** Mount the volume read-only. Defaults to false. */
  readOnly: t.bool(3),
}) {}

/** Deprecated: a ScaleIO volume that is mounted into a pod. */
export class ScaleIOVolumeSource extends shape({
  /** Address of the ScaleIO API gateway. Required. */
  gateway: t.string(1).required(),
  /** Name of the ScaleIO storage system. Required. */
  system: t.string(2).required(),
  /** Secret in the namespace of the pod with the ScaleIO credentials. Required. */
  secretRef: t.object(3, LocalObjectReference).required(),
  /** Use TLS for the connection to the gateway. Defaults to false. */
  sslEnabled: t.bool(4),
  /** Name of the ScaleIO protection domain. */
  protectionDomain: t.string(5),
  /** Name of the storage pool in the protection domain. */
  storagePool: t.string(6),
  /**
   * Provisioning of the storage: `ThickProvisioned` or `ThinProvisioned`. Defaults to
   * `ThinProvisioned`.
   */
  storageMode: t.string(7).default('ThinProvisioned'),
  /** Name of an existing volume in the ScaleIO system. Required. */
  volumeName: t.string(8),
  /** File system type of the volume. Defaults to `xfs`. */
  fsType: t.string(9).default('xfs'),
  /** Mount the volume read-only. Defaults to false. */
  readOnly: t.bool(10),
}) {}

/** Deprecated: a ScaleIO volume that backs a persistent volume. */
export class ScaleIOPersistentVolumeSource extends shape({
  /** Address of the ScaleIO API gateway. Required. */
  gateway: t.string(1).required(),
  /** Name of the ScaleIO storage system. Required. */
  system: t.string(2).required(),
  /** Secret with the ScaleIO credentials. Required. */
  secretRef: t.object(3, SecretReference).explicit().mandatory(),
  /** Use TLS for the connection to the gateway. Defaults to false. */
  sslEnabled: t.bool(4),
  /** Name of the ScaleIO protection domain. */
  protectionDomain: t.string(5),
  /** Name of the storage pool in the protection domain. */
  storagePool: t.string(6),
  /**
   * Provisioning of the storage: `ThickProvisioned` or `ThinProvisioned`. Defaults to
   * `ThinProvisioned`.
   */
  storageMode: t.string(7).default('ThinProvisioned'),
  /** Name of an existing volume in the ScaleIO system. Required. */
  volumeName: t.string(8),
  /** File system type of the volume. Defaults to `xfs`. */
  fsType: t.string(9).default('xfs'),
  /** Mount the volume read-only. Defaults to false. */
  readOnly: t.bool(10),
}) {}

/** Deprecated: a StorageOS volume that is mounted into a pod. */
export class StorageOSVolumeSource extends shape({
  /**
   * Name of the StorageOS volume, a DNS label that is unique in its StorageOS namespace. Required.
   */
  volumeName: t.string(1),
  /**
   * Namespace of the volume inside StorageOS, a DNS label. Empty means the namespace of the pod.
   */
  volumeNamespace: t.string(2),
  /** File system type of the volume, for example `ext4` or `xfs`. Empty means `ext4`. */
  fsType: t.string(3),
  /** Mount the volume read-only. Defaults to false. */
  readOnly: t.bool(4),
  /** Secret in the namespace of the pod with the StorageOS credentials. */
  secretRef: t.object(5, LocalObjectReference).explicit(),
}) {}

/** Deprecated: a StorageOS volume that backs a persistent volume. */
export class StorageOSPersistentVolumeSource extends shape({
  /**
   * Name of the StorageOS volume, a DNS label that is unique in its StorageOS namespace. Required.
   */
  volumeName: t.string(1),
  /**
   * Namespace of the volume inside StorageOS, a DNS label. Empty means the namespace of the pod.
   */
  volumeNamespace: t.string(2),
  /** File system type of the volume, for example `ext4` or `xfs`. Empty means `ext4`. */
  fsType: t.string(3),
  /** Mount the volume read-only. Defaults to false. */
  readOnly: t.bool(4),
  /** Secret with the StorageOS credentials. Name and namespace are required. */
  secretRef: t.object(5, ObjectReference).explicit(),
}) {}

/** Validates a Flocker data set; reports to `errors`. */
export function validateFlocker(source: FlockerVolumeSource, errors: FieldErrors): void {
  const { datasetName = '', datasetUUID = '' } = source
  if (datasetName === '' && datasetUUID === '') {
    errors.required('one of datasetName and datasetUUID is required')
  }
  if (datasetName !== '' && datasetUUID !== '') {
    errors.invalid('resource', 'datasetName and datasetUUID can not be specified simultaneously')
  }
  if (datasetName.includes('/')) {
    errors.at('datasetName').invalid(datasetName, "must not contain '/'")
  }
}

/** Validates a Portworx volume; reports to `errors`. */
export function validatePortworx(source: PortworxVolumeSource, errors: FieldErrors): void {
  needText(source.volumeID, errors.at('volumeID'))
}

/** Validates a ScaleIO volume; reports to `errors`. */
export function validateScaleIo(
  source: Pick<ScaleIOVolumeSource, 'gateway' | 'system' | 'volumeName'>,
  errors: FieldErrors,
): void {
  needText(source.gateway, errors.at('gateway'))
  needText(source.system, errors.at('system'))
  needText(source.volumeName, errors.at('volumeName'))
}

/** Validates a ScaleIO volume that pods claim; reports to `errors`. It names its secret. */
export function validatePersistentScaleIo(
  source: ScaleIOPersistentVolumeSource,
  errors: FieldErrors,
): void {
  validateScaleIo(source, errors)
  if (!source.secretRef) errors.at('secretRef').required()
}

/** Validates a StorageOS volume of a pod; reports to `errors`. */
export function validateStorageOs(source: StorageOSVolumeSource, errors: FieldErrors): void {
  const { volumeName = '', volumeNamespace = '' } = source
  if (volumeName === '') errors.at('volumeName').required()
  else errors.at('volumeName').invalidAll(volumeName, isDns1123Label(volumeName))
  if (volumeNamespace !== '') {
    errors.at('volumeNamespace').invalidAll(volumeNamespace, isDns1123Label(volumeNamespace))
  }
  if (source.secretRef) needText(source.secretRef.name, errors.at('secretRef', 'name'))
}

/** Validates a StorageOS volume; reports to `errors`. Its secret is named in full. */
export function validatePersistentStorageOs(
  source: StorageOSPersistentVolumeSource,
  errors: FieldErrors,
): void {
  validateStorageOs(source, errors)
  if (source.secretRef) needText(source.secretRef.namespace, errors.at('secretRef', 'namespace'))
}
