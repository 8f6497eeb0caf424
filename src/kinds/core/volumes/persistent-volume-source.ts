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

/** Where the data of a persistent volume is; exactly one member is set. */
export class PersistentVolumeSource extends shape({
  /** A disk of Google Compute Engine. */
  gcePersistentDisk: t.object(1, GCEPersistentDiskVolumeSource).explicit(),
  /** A disk of the AWS elastic block store. */
  awsElasticBlockStore: t.object(2, AWSElasticBlockStoreVolumeSource).explicit(),
  /** A directory of the node; for clusters of one node. */
  hostPath: t.object(3, HostPathVolumeSource).explicit(),
  /** A Glusterfs volume. */
  glusterfs: t.object(4, GlusterfsPersistentVolumeSource).explicit(),
  /** A directory exported over NFS. */
  nfs: t.object(5, NFSVolumeSource).explicit(),
  /** A block device of Ceph. */
  rbd: t.object(6, RBDPersistentVolumeSource).explicit(),
  /** An iSCSI disk. */
  iscsi: t.object(7, ISCSIPersistentVolumeSource).explicit(),
  /** A volume of OpenStack Cinder. */
  cinder: t.object(8, CinderPersistentVolumeSource).explicit(),
  /** A Ceph file system. */
  cephfs: t.object(9, CephFSPersistentVolumeSource).explicit(),
  /** A fibre channel disk. */
  fc: t.object(10, FCVolumeSource).explicit(),
  /** A Flocker data set. */
  flocker: t.object(11, FlockerVolumeSource).explicit(),
  /** A volume of a program on the nodes. */
  flexVolume: t.object(12, FlexPersistentVolumeSource).explicit(),
  /** A share of Azure Files. */
  azureFile: t.object(13, AzureFilePersistentVolumeSource).explicit(),
  /** A virtual disk of vSphere. */
  vsphereVolume: t.object(14, VsphereVirtualDiskVolumeSource).explicit(),
  /** A Quobyte volume. */
  quobyte: t.object(15, QuobyteVolumeSource).explicit(),
  /** A data disk of Azure. */
  azureDisk: t.object(16, AzureDiskVolumeSource).explicit(),
  /** A disk of the Photon controller. */
  photonPersistentDisk: t.object(17, PhotonPersistentDiskVolumeSource).explicit(),
  /** A Portworx volume. */
  portworxVolume: t.object(18, PortworxVolumeSource).explicit(),
  /** A ScaleIO volume. */
  scaleIO: t.object(19, ScaleIOPersistentVolumeSource).explicit(),
  /** A disk or directory of one node. */
  local: t.object(20, LocalVolumeSource).explicit(),
  /** A StorageOS volume. */
  storageos: t.object(21, StorageOSPersistentVolumeSource).explicit(),
  /** A volume of a storage driver. */
  csi: t.object(22, CSIPersistentVolumeSource).explicit(),
}) {}

/** What the rules of a source need to know around it. */
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

/** In the order in which the first source is told from further ones. */
const rules: SourceRules<PersistentVolumeSource, AroundSource> = {
  // As the reference writes it: the field is gcePersistentDisk.
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

/** Rules of the sources of a persistent volume, at `errors`. */
export const validatePersistentVolumeSource = (
  source: PersistentVolumeSource,
  errors: FieldErrors,
  around: AroundSource,
): void => validateSources(rules, source, errors, around)

/** Names of the fields that are sources. */
export const PERSISTENT_SOURCES = Object.keys(rules) as readonly (keyof PersistentVolumeSource)[]
