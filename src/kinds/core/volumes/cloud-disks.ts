import type { FieldErrors } from '../../../meta/field-errors.ts'
import { isInRange, rangeMessage } from '../../../meta/names.ts'
import { home, t } from '../../../notation/shape.ts'
import { LocalObjectReference } from '../local-object-reference.ts'
import { SecretReference } from '../secret-reference.ts'
import { needText } from './paths.ts'

const { shape } = home('core/v1')

/** A persistent disk of Google Compute Engine. */
export class GCEPersistentDiskVolumeSource extends shape({
  /** Name of the disk. */
  pdName: t.string(1).required(),
  /** File system of the disk; ext4 when empty. */
  fsType: t.string(2),
  /** Partition to mount; 0 is the whole disk. */
  partition: t.int32(3),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(4),
}) {}

/** A disk of the AWS elastic block store. */
export class AWSElasticBlockStoreVolumeSource extends shape({
  /** Identifier of the disk. */
  volumeID: t.string(1).required(),
  /** File system of the disk; ext4 when empty. */
  fsType: t.string(2),
  /** Partition to mount; 0 is the whole disk. */
  partition: t.int32(3),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(4),
}) {}

/** A data disk of Azure. */
export class AzureDiskVolumeSource extends shape({
  /** Name of the disk. */
  diskName: t.string(1).required(),
  /** URI of the disk: a resource path for managed disks, https for the others. */
  diskURI: t.string(2).required(),
  /** How the host caches. */
  cachingMode: t.string(3).explicit().oneOf('None', 'ReadOnly', 'ReadWrite').default('ReadWrite'),
  /** File system of the disk. */
  fsType: t.string(4).explicit().default('ext4'),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(5).explicit().default(false),
  /** Whether the disk shares a storage account, has its own, or is managed. */
  kind: t.string(6).explicit().oneOf('Dedicated', 'Managed', 'Shared').default('Shared'),
}) {}

/** A share of Azure Files, for a pod. */
export class AzureFileVolumeSource extends shape({
  /** Secret with the account's name and key. */
  secretName: t.string(1).required(),
  /** Name of the share. */
  shareName: t.string(2).required(),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(3),
}) {}

/** A share of Azure Files. */
export class AzureFilePersistentVolumeSource extends shape({
  /** Secret with the account's name and key. */
  secretName: t.string(1).required(),
  /** Name of the share. */
  shareName: t.string(2).required(),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(3),
  /** Namespace of the secret; that of the claim when absent. */
  secretNamespace: t.string(4).explicit(),
}) {}

/** A volume of OpenStack Cinder, for a pod. */
export class CinderVolumeSource extends shape({
  /** Identifier of the volume. */
  volumeID: t.string(1).required(),
  /** File system of the volume; ext4 when empty. */
  fsType: t.string(2),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(3),
  /** Secret with what is needed to reach OpenStack. */
  secretRef: t.object(4, LocalObjectReference).explicit(),
}) {}

/** A volume of OpenStack Cinder. */
export class CinderPersistentVolumeSource extends shape({
  /** Identifier of the volume. */
  volumeID: t.string(1).required(),
  /** File system of the volume; ext4 when empty. */
  fsType: t.string(2),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(3),
  /** Secret with what is needed to reach OpenStack. */
  secretRef: t.object(4, SecretReference).explicit(),
}) {}

/** A virtual disk of vSphere. */
export class VsphereVirtualDiskVolumeSource extends shape({
  /** Path of the disk. */
  volumePath: t.string(1).required(),
  /** File system of the disk; ext4 when empty. */
  fsType: t.string(2),
  /** Name of the storage policy. */
  storagePolicyName: t.string(3),
  /** Identifier of the storage policy. */
  storagePolicyID: t.string(4),
}) {}

/** A persistent disk of the Photon controller. */
export class PhotonPersistentDiskVolumeSource extends shape({
  /** Identifier of the disk. */
  pdID: t.string(1).required(),
  /** File system of the disk; ext4 when empty. */
  fsType: t.string(2),
}) {}

// 0 passes although the text starts at 1: it stands for the whole disk.
function validatePartition(partition: number | undefined, errors: FieldErrors): void {
  if (isInRange(partition ?? 0, 0, 255).length > 0) errors.invalid(partition, rangeMessage(1, 255))
}

/** Rules of a disk of Google Compute Engine, at `errors`. */
export function validateGcePersistentDisk(
  source: GCEPersistentDiskVolumeSource,
  errors: FieldErrors,
): void {
  needText(source.pdName, errors.at('pdName'))
  validatePartition(source.partition, errors.at('partition'))
}

/** Rules of a disk of the AWS elastic block store, at `errors`. */
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

/** Rules of a data disk of Azure, at `errors`. */
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

/** Rules of a share of Azure Files, at `errors`. */
export function validateAzureFile(
  source: AzureFileVolumeSource & { secretNamespace?: string },
  errors: FieldErrors,
): void {
  needText(source.secretName, errors.at('secretName'))
  needText(source.shareName, errors.at('shareName'))
  if (source.secretNamespace === '') errors.at('secretNamespace').required()
}

/** Rules of a Cinder volume of a pod, at `errors`. */
export function validateCinder(source: CinderVolumeSource, errors: FieldErrors): void {
  needText(source.volumeID, errors.at('volumeID'))
  if (source.secretRef) needText(source.secretRef.name, errors.at('secretRef', 'name'))
}

/** Rules of a Cinder volume, at `errors`: its secret is named in full. */
export function validatePersistentCinder(
  source: CinderPersistentVolumeSource,
  errors: FieldErrors,
): void {
  validateCinder(source, errors)
  if (source.secretRef) needText(source.secretRef.namespace, errors.at('secretRef', 'namespace'))
}

/** Rules of a virtual disk of vSphere, at `errors`. */
export function validateVsphereVolume(
  source: VsphereVirtualDiskVolumeSource,
  errors: FieldErrors,
): void {
  needText(source.volumePath, errors.at('volumePath'))
}

/** Rules of a disk of the Photon controller, at `errors`. */
export function validatePhotonPersistentDisk(
  source: PhotonPersistentDiskVolumeSource,
  errors: FieldErrors,
): void {
  needText(source.pdID, errors.at('pdID'))
}
