import type { FieldErrors } from '../../../meta/field-errors.ts'
import { isDns1123Label } from '../../../meta/names.ts'
import { home, t } from '../../../notation/shape.ts'
import { LocalObjectReference } from '../local-object-reference.ts'
import { ObjectReference } from '../object-reference.ts'
import { SecretReference } from '../secret-reference.ts'
import { needText } from './paths.ts'

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
  secretRef: t.object(3, SecretReference).explicit().mandatory(),
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

/** Rules of a Flocker data set, at `errors`. */
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

/** Rules of a Portworx volume, at `errors`. */
export function validatePortworx(source: PortworxVolumeSource, errors: FieldErrors): void {
  needText(source.volumeID, errors.at('volumeID'))
}

/** Rules of a ScaleIO volume, at `errors`. */
export function validateScaleIo(
  source: Pick<ScaleIOVolumeSource, 'gateway' | 'system' | 'volumeName'>,
  errors: FieldErrors,
): void {
  needText(source.gateway, errors.at('gateway'))
  needText(source.system, errors.at('system'))
  needText(source.volumeName, errors.at('volumeName'))
}

/** Rules of a ScaleIO volume that pods claim, at `errors`: it names its secret. */
export function validatePersistentScaleIo(
  source: ScaleIOPersistentVolumeSource,
  errors: FieldErrors,
): void {
  validateScaleIo(source, errors)
  if (!source.secretRef) errors.at('secretRef').required()
}

/** Rules of a StorageOS volume of a pod, at `errors`. */
export function validateStorageOs(source: StorageOSVolumeSource, errors: FieldErrors): void {
  const { volumeName = '', volumeNamespace = '' } = source
  if (volumeName === '') errors.at('volumeName').required()
  else errors.at('volumeName').invalidAll(volumeName, isDns1123Label(volumeName))
  if (volumeNamespace !== '') {
    errors.at('volumeNamespace').invalidAll(volumeNamespace, isDns1123Label(volumeNamespace))
  }
  if (source.secretRef) needText(source.secretRef.name, errors.at('secretRef', 'name'))
}

/** Rules of a StorageOS volume, at `errors`: its secret is named in full. */
export function validatePersistentStorageOs(
  source: StorageOSPersistentVolumeSource,
  errors: FieldErrors,
): void {
  validateStorageOs(source, errors)
  if (source.secretRef) needText(source.secretRef.namespace, errors.at('secretRef', 'namespace'))
}
