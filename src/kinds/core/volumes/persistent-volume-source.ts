import { FieldErrors } from '../../../meta/field-errors.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import { home, t } from '../../../notation/shape.ts'
import {
  FCVolumeSource,
  ISCSIPersistentVolumeSource,
  RBDPersistentVolumeSource,
  validateFc,
  validateIscsi,
  validateRbd,
} from './block-devices.ts'
import {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  AzureFilePersistentVolumeSource,
  CinderPersistentVolumeSource,
  GCEPersistentDiskVolumeSource,
  PhotonPersistentDiskVolumeSource,
  VsphereVirtualDiskVolumeSource,
  validateAwsElasticBlockStore,
  validateAzureDisk,
  validateAzureFile,
  validateGcePersistentDisk,
  validatePersistentCinder,
  validatePhotonPersistentDisk,
  validateVsphereVolume,
} from './cloud-disks.ts'
import {
  CephFSPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  NFSVolumeSource,
  QuobyteVolumeSource,
  validateCephFs,
  validateNfs,
  validatePersistentGlusterfs,
  validateQuobyte,
} from './network-files.ts'
import {
  HostPathVolumeSource,
  LocalVolumeSource,
  validateHostPath,
  validateLocal,
} from './node-local.ts'
import { needText } from './paths.ts'
import {
  CSIPersistentVolumeSource,
  FlexPersistentVolumeSource,
  validateFlexVolume,
  validatePersistentCsi,
} from './plug-ins.ts'
import { type SourceRules, validateSources } from './source-rules.ts'
import {
  FlockerVolumeSource,
  PortworxVolumeSource,
  ScaleIOPersistentVolumeSource,
  StorageOSPersistentVolumeSource,
  validateFlocker,
  validatePersistentStorageOs,
  validatePortworx,
  validatePersistentScaleIo,
} from './storage-systems.ts'

const { shape } = home('core/v1')

/** Storage asset of a persistent volume. Exactly one member must be set. Immutable. */
export class PersistentVolumeSource extends shape({
  /** A persistent disk of Google Compute Engine. */
  gcePersistentDisk: t.object(1, GCEPersistentDiskVolumeSource).explicit(),
  /** A disk of the AWS Elastic Block Store. */
  awsElasticBlockStore: t.object(2, AWSElasticBlockStoreVolumeSource).explicit(),
  /** A file or directory of the node. Suitable for single-node clusters only. */
  hostPath: t.object(3, HostPathVolumeSource).explicit(),
  /** Deprecated: a volume of the GlusterFS storage system. */
  glusterfs: t.object(4, GlusterfsPersistentVolumeSource).explicit(),
  /** A directory that an NFS server exports. */
  nfs: t.object(5, NFSVolumeSource).explicit(),
  /** A Ceph block device (RBD image). */
  rbd: t.object(6, RBDPersistentVolumeSource).explicit(),
  /** An iSCSI disk that is attached to the node. */
  iscsi: t.object(7, ISCSIPersistentVolumeSource).explicit(),
  /** A volume of OpenStack Cinder. */
  cinder: t.object(8, CinderPersistentVolumeSource).explicit(),
  /** A directory of a Ceph file system. */
  cephfs: t.object(9, CephFSPersistentVolumeSource).explicit(),
  /** A Fibre Channel disk that is attached to the node. */
  fc: t.object(10, FCVolumeSource).explicit(),
  /** Deprecated: a dataset of the Flocker service. */
  flocker: t.object(11, FlockerVolumeSource).explicit(),
  /** A volume of a FlexVolume driver on the nodes. Use a CSI driver instead. */
  flexVolume: t.object(12, FlexPersistentVolumeSource).explicit(),
  /** A share of Azure Files. */
  azureFile: t.object(13, AzureFilePersistentVolumeSource).explicit(),
  /** A virtual disk of vSphere. */
  vsphereVolume: t.object(14, VsphereVirtualDiskVolumeSource).explicit(),
  /** Deprecated: a volume of the Quobyte storage system. */
  quobyte: t.object(15, QuobyteVolumeSource).explicit(),
  /** A data disk of Microsoft Azure. */
  azureDisk: t.object(16, AzureDiskVolumeSource).explicit(),
  /** Deprecated: a persistent disk of the Photon Controller. */
  photonPersistentDisk: t.object(17, PhotonPersistentDiskVolumeSource).explicit(),
  /** A volume of the Portworx storage system. */
  portworxVolume: t.object(18, PortworxVolumeSource).explicit(),
  /** Deprecated: a volume of the ScaleIO storage system. */
  scaleIO: t.object(19, ScaleIOPersistentVolumeSource).explicit(),
  /** A disk, partition or directory of one node. Requires node affinity. */
  local: t.object(20, LocalVolumeSource).explicit(),
  /** Deprecated: a volume of the StorageOS storage system. */
  storageos: t.object(21, StorageOSPersistentVolumeSource).explicit(),
  /** A volume of a CSI driver. */
  csi: t.object(22, CSIPersistentVolumeSource).explicit(),
}) {}

/** Context for the validation of a volume source. */
export interface AroundSource {
  readonly c: HookContext
  /** Name of the persistent volume; empty inside an attachment. */
  readonly name: string
  readonly hasNodeAffinity: boolean
  /** Scope of the spec. */
  readonly errors: FieldErrors
  /** The stored source, if any. */
  readonly old: PersistentVolumeSource | undefined
}

/** In the order in which the first source is determined. */
const rules: SourceRules<PersistentVolumeSource, AroundSource> = {
  // As the reference writes it: the path is not the field name gcePersistentDisk.
  gcePersistentDisk: (source, _, { errors }) =>
    validateGcePersistentDisk(source, errors.at('persistentDisk')),
  awsElasticBlockStore: validateAwsElasticBlockStore,
  hostPath: validateHostPath,
  glusterfs: validatePersistentGlusterfs,
  flocker: validateFlocker,
  nfs: validateNfs,
  rbd: validateRbd,
  quobyte: validateQuobyte,
  cephfs: validateCephFs,
  iscsi: (source, at, { name }) => {
    validateIscsi(source, at, name, at.root.at('metadata', 'name'))
    if (source.secretRef) needText(source.secretRef.name, at.at('secretRef', 'name'))
  },
  cinder: validatePersistentCinder,
  fc: validateFc,
  flexVolume: (source, at, { c }) => validateFlexVolume(source, at, c),
  azureFile: validateAzureFile,
  vsphereVolume: validateVsphereVolume,
  photonPersistentDisk: validatePhotonPersistentDisk,
  portworxVolume: validatePortworx,
  azureDisk: validateAzureDisk,
  scaleIO: validatePersistentScaleIo,
  local: (source, at, { hasNodeAffinity, errors }) => {
    validateLocal(source, at)
    if (!hasNodeAffinity) {
      errors.at('nodeAffinity').required('Local volume requires node affinity')
    }
  },
  storageos: validatePersistentStorageOs,
  csi: (source, at, { old }) => validatePersistentCsi(source, at, old?.csi),
}

/** Validates the sources of a persistent volume; reports to `errors`. */
export const validatePersistentVolumeSource = (
  source: PersistentVolumeSource,
  errors: FieldErrors,
  around: AroundSource,
): void => validateSources(rules, source, errors, around)

/** Names of the fields that are sources. */
export const PERSISTENT_SOURCES = Object.keys(rules) as readonly (keyof PersistentVolumeSource)[]
