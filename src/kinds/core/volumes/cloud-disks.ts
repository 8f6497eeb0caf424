import type { FieldErrors } from '../../../meta/field-errors.ts'
import { isInRange, rangeMessage } from '../../../meta/names.ts'
import { home, t } from '../../../notation/shape.ts'
import { LocalObjectReference } from '../local-object-reference.ts'
import { SecretReference } from '../secret-reference.ts'
import { needText } from './paths.ts'

const { shape } = home('core/v1')

/** A persistent disk of Google Compute Engine. */
export class GCEPersistentDiskVolumeSource extends shape({
  /** Name of the persistent disk. Required. */
  pdName: t.string(1).required(),
  /** File system type of the volume, for example `ext4` or `xfs`. Empty means `ext4`. */
  fsType: t.string(2),
  /** Number of the partition to mount, up to 255. 0 mounts the whole disk. Defaults to 0. */
  partition: t.int32(3),
  /** Mount the volume read-only, which allows use by several nodes. Defaults to false. */
  readOnly: t.bool(4),
}) {}

/** A disk of the AWS Elastic Block Store. */
export class AWSElasticBlockStoreVolumeSource extends shape({
  /** Identifier of the EBS volume. Required. */
  volumeID: t.string(1).required(),
  /** File system type of the volume, for example `ext4` or `xfs`. Empty means `ext4`. */
  fsType: t.string(2),
  /** Number of the partition to mount, up to 255. 0 mounts the whole disk. Defaults to 0. */
  partition: t.int32(3),
  /** Mount the volume read-only. Defaults to false. */
  readOnly: t.bool(4),
}) {}

/** A data disk of Microsoft Azure. */
export class AzureDiskVolumeSource extends shape({
  /** Name of the disk. Required. */
  diskName: t.string(1).required(),
  /**
   * URI of the disk: starts with `/subscriptions/` for kind `Managed` and with `https://` for the
   * others. Required.
   */
  diskURI: t.string(2).required(),
  /**
   * Caching of the disk on the host: `None`, `ReadOnly` or `ReadWrite`. Defaults to `ReadWrite`.
   */
  cachingMode: t.string(3).explicit().oneOf('None', 'ReadOnly', 'ReadWrite').default('ReadWrite'),
  /** File system type of the volume. Defaults to `ext4`. */
  fsType: t.string(4).explicit().default('ext4'),
  /** Mount the volume read-only. Defaults to false. */
  readOnly: t.bool(5).explicit().default(false),
  /**
   * Kind of the disk: `Shared` for several blob disks in a storage account, `Dedicated` for a
   * single one, `Managed` for a managed disk. Defaults to `Shared`.
   */
  kind: t.string(6).explicit().oneOf('Dedicated', 'Managed', 'Shared').default('Shared'),
}) {}

/** A share of Azure Files that is mounted into a pod. */
export class AzureFileVolumeSource extends shape({
  /** Name of the secret with the name and key of the storage account. Required. */
  secretName: t.string(1).required(),
  /** Name of the share. Required. */
  shareName: t.string(2).required(),
  /** Mount the volume read-only. Defaults to false. */
  readOnly: t.bool(3),
}) {}

/** A share of Azure Files that backs a persistent volume. */
export class AzureFilePersistentVolumeSource extends shape({
  /** Name of the secret with the name and key of the storage account. Required. */
  secretName: t.string(1).required(),
  /** Name of the share. Required. */
  shareName: t.string(2).required(),
  /** Mount the volume read-only. Defaults to false. */
  readOnly: t.bool(3),
  /**
   * Namespace of the secret. Unset means the namespace of the claim; must not be empty when set.
   */
  secretNamespace: t.string(4).explicit(),
}) {}

/** An OpenStack Cinder volume that is mounted into a pod. */
export class CinderVolumeSource extends shape({
  /** Identifier of the Cinder volume. Required. */
  volumeID: t.string(1).required(),
  /** File system type of the volume, for example `ext4` or `xfs`. Empty means `ext4`. */
  fsType: t.string(2),
  /** Mount the volume read-only. Defaults to false. */
  readOnly: t.bool(3),
  /** Secret in the namespace of the pod with the parameters of the connection to OpenStack. */
  secretRef: t.object(4, LocalObjectReference).explicit(),
}) {}

/** An OpenStack Cinder volume that backs a persistent volume. */
export class CinderPersistentVolumeSource extends shape({
  /** Identifier of the Cinder volume. Required. */
  volumeID: t.string(1).required(),
  /** File system type of the volume, for example `ext4` or `xfs`. Empty means `ext4`. */
  fsType: t.string(2),
  /** Mount the volume read-only. Defaults to false. */
  readOnly: t.bool(3),
  /** Secret with the parameters of the connection to OpenStack. Name and namespace are required. */
  secretRef: t.object(4, SecretReference).explicit(),
}) {}

/** A virtual disk of vSphere. */
export class VsphereVirtualDiskVolumeSource extends shape({
  /** Path of the virtual disk. Required. */
  volumePath: t.string(1).required(),
  /** File system type of the volume, for example `ext4` or `xfs`. Empty means `ext4`. */
  fsType: t.string(2),
  /** Name of the storage policy profile of the disk. */
  storagePolicyName: t.string(3),
  /** Identifier of the storage policy profile that belongs to `storagePolicyName`. */
  storagePolicyID: t.string(4),
}) {}

/** Deprecated: a persistent disk of the Photon Controller. */
export class PhotonPersistentDiskVolumeSource extends shape({
  /** Identifier of the persistent disk. Required. */
  pdID: t.string(1).required(),
  /** File system type of the volume, for example `ext4` or `xfs`. Empty means `ext4`. */
  fsType: t.string(2),
}) {}

// 0 is valid although the message starts at 1: it is the whole disk.
function validatePartition(partition: number | undefined, errors: FieldErrors): void {
  if (isInRange(partition ?? 0, 0, 255).length > 0) errors.invalid(partition, rangeMessage(1, 255))
}

/** Validates a disk of Google Compute Engine; reports to `errors`. */
export function validateGcePersistentDisk(
  source: GCEPersistentDiskVolumeSource,
  errors: FieldErrors,
): void {
  needText(source.pdName, errors.at('pdName'))
  validatePartition(source.partition, errors.at('partition'))
}

/** Validates a disk of the AWS elastic block store; reports to `errors`. */
export function validateAwsElasticBlockStore(
  source: AWSElasticBlockStoreVolumeSource,
  errors: FieldErrors,
): void {
  needText(source.volumeID, errors.at('volumeID'))
  validatePartition(source.partition, errors.at('partition'))
}

const MANAGED_DISK =
  '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}'
const BLOB_DISK = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd'

/** Validates a data disk of Azure; reports to `errors`. */
export function validateAzureDisk(source: AzureDiskVolumeSource, errors: FieldErrors): void {
  const uri = errors.at('diskURI')
  needText(source.diskName, errors.at('diskName'))
  needText(source.diskURI, uri)
  const { kind } = source
  if (kind === undefined) return
  if (kind === 'Managed') {
    if (!source.diskURI.startsWith('/subscriptions/'))
      uri.notSupported(source.diskURI, [MANAGED_DISK])
  } else if (!source.diskURI.startsWith('https://')) uri.notSupported(source.diskURI, [BLOB_DISK])
}

/** Validates a share of Azure Files; reports to `errors`. */
export function validateAzureFile(
  source: AzureFileVolumeSource & { secretNamespace?: string },
  errors: FieldErrors,
): void {
  needText(source.secretName, errors.at('secretName'))
  needText(source.shareName, errors.at('shareName'))
  if (source.secretNamespace === '') errors.at('secretNamespace').required()
}

/** Validates a Cinder volume of a pod; reports to `errors`. */
export function validateCinder(source: CinderVolumeSource, errors: FieldErrors): void {
  needText(source.volumeID, errors.at('volumeID'))
  if (source.secretRef) needText(source.secretRef.name, errors.at('secretRef', 'name'))
}

/** Validates a Cinder volume; reports to `errors`. Its secret is named in full. */
export function validatePersistentCinder(
  source: CinderPersistentVolumeSource,
  errors: FieldErrors,
): void {
  validateCinder(source, errors)
  if (source.secretRef) needText(source.secretRef.namespace, errors.at('secretRef', 'namespace'))
}

/** Validates a virtual disk of vSphere; reports to `errors`. */
export function validateVsphereVolume(
  source: VsphereVirtualDiskVolumeSource,
  errors: FieldErrors,
): void {
  needText(source.volumePath, errors.at('volumePath'))
}

/** Validates a disk of the Photon controller; reports to `errors`. */
export function validatePhotonPersistentDisk(
  source: PhotonPersistentDiskVolumeSource,
  errors: FieldErrors,
): void {
  needText(source.pdID, errors.at('pdID'))
}
