import type { FieldErrors } from '../../../meta/field-errors.ts'
import { checkPart } from '../../../meta/known-parts.ts'
import { isDns1123Label, isDns1123Subdomain } from '../../../meta/names.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import { home, t } from '../../../notation/shape.ts'
import {
  FCVolumeSource,
  ISCSIVolumeSource,
  RBDVolumeSource,
  validateFc,
  validateIscsi,
  validateRbd,
} from './block-devices.ts'
import { fillClaimSpec } from './claim-spec.ts'
import {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  AzureFileVolumeSource,
  CinderVolumeSource,
  GCEPersistentDiskVolumeSource,
  PhotonPersistentDiskVolumeSource,
  VsphereVirtualDiskVolumeSource,
  validateAwsElasticBlockStore,
  validateAzureDisk,
  validateAzureFile,
  validateCinder,
  validateGcePersistentDisk,
  validatePhotonPersistentDisk,
  validateVsphereVolume,
} from './cloud-disks.ts'
import { DownwardAPIVolumeSource, validateDownwardApi } from './downward-api.ts'
import {
  EphemeralVolumeSource,
  PersistentVolumeClaimVolumeSource,
  validateEphemeral,
} from './ephemeral.ts'
import {
  CephFSVolumeSource,
  GlusterfsVolumeSource,
  NFSVolumeSource,
  QuobyteVolumeSource,
  validateCephFs,
  validateGlusterfs,
  validateNfs,
  validateQuobyte,
} from './network-files.ts'
import {
  EmptyDirVolumeSource,
  GitRepoVolumeSource,
  HostPathVolumeSource,
  validateEmptyDir,
  validateGitRepo,
  validateHostPath,
} from './node-local.ts'
import {
  ConfigMapVolumeSource,
  SecretVolumeSource,
  validateConfigMapFiles,
  validateSecretFiles,
} from './object-files.ts'
import { needText } from './paths.ts'
import { CSIVolumeSource, FlexVolumeSource, validateCsi, validateFlexVolume } from './plug-ins.ts'
import { fillResourceFieldSelector } from './pod-fields.ts'
import { ProjectedVolumeSource, validateProjected } from './projected.ts'
import { type SourceRules, validateSources } from './source-rules.ts'
import {
  FlockerVolumeSource,
  PortworxVolumeSource,
  ScaleIOVolumeSource,
  StorageOSVolumeSource,
  validateFlocker,
  validatePortworx,
  validateScaleIo,
  validateStorageOs,
} from './storage-systems.ts'

const { shape } = home('core/v1')

/** Source of a pod volume. Exactly one member must be set; without any, `emptyDir` is used. */
export class VolumeSource extends shape({
  /** A file or directory of the node. Exposes the node to the pod; use it with caution. */
  hostPath: t.object(1, HostPathVolumeSource).explicit(),
  /** A directory that is initially empty and is deleted together with the pod. */
  emptyDir: t.object(2, EmptyDirVolumeSource).explicit(),
  /** A persistent disk of Google Compute Engine. */
  gcePersistentDisk: t.object(3, GCEPersistentDiskVolumeSource).explicit(),
  /** A disk of the AWS Elastic Block Store. */
  awsElasticBlockStore: t.object(4, AWSElasticBlockStoreVolumeSource).explicit(),
  /** Deprecated: a clone of a git repository. */
  gitRepo: t.object(5, GitRepoVolumeSource).explicit(),
  /** Entries of a secret in the namespace of the pod, as files. */
  secret: t.object(6, SecretVolumeSource).explicit(),
  /** A directory that an NFS server exports. */
  nfs: t.object(7, NFSVolumeSource).explicit(),
  /** An iSCSI disk that is attached to the node. */
  iscsi: t.object(8, ISCSIVolumeSource).explicit(),
  /** Deprecated: a volume of the GlusterFS storage system. */
  glusterfs: t.object(9, GlusterfsVolumeSource).explicit(),
  /** A persistent volume claim in the namespace of the pod. */
  persistentVolumeClaim: t.object(10, PersistentVolumeClaimVolumeSource).explicit(),
  /** A Ceph block device (RBD image). */
  rbd: t.object(11, RBDVolumeSource).explicit(),
  /** A volume of a FlexVolume driver on the nodes. Use a CSI driver instead. */
  flexVolume: t.object(12, FlexVolumeSource).explicit(),
  /** A volume of OpenStack Cinder. */
  cinder: t.object(13, CinderVolumeSource).explicit(),
  /** A directory of a Ceph file system. */
  cephfs: t.object(14, CephFSVolumeSource).explicit(),
  /** Deprecated: a dataset of the Flocker service. */
  flocker: t.object(15, FlockerVolumeSource).explicit(),
  /** Information about the pod, as files. */
  downwardAPI: t.object(16, DownwardAPIVolumeSource).explicit(),
  /** A Fibre Channel disk that is attached to the node. */
  fc: t.object(17, FCVolumeSource).explicit(),
  /** A share of Azure Files. */
  azureFile: t.object(18, AzureFileVolumeSource).explicit(),
  /** Entries of a config map in the namespace of the pod, as files. */
  configMap: t.object(19, ConfigMapVolumeSource).explicit(),
  /** A virtual disk of vSphere. */
  vsphereVolume: t.object(20, VsphereVirtualDiskVolumeSource).explicit(),
  /** Deprecated: a volume of the Quobyte storage system. */
  quobyte: t.object(21, QuobyteVolumeSource).explicit(),
  /** A data disk of Microsoft Azure. */
  azureDisk: t.object(22, AzureDiskVolumeSource).explicit(),
  /** Deprecated: a persistent disk of the Photon Controller. */
  photonPersistentDisk: t.object(23, PhotonPersistentDiskVolumeSource).explicit(),
  /** Several sources combined in one directory. */
  projected: t.object(26, ProjectedVolumeSource).explicit(),
  /** A volume of the Portworx storage system. */
  portworxVolume: t.object(24, PortworxVolumeSource).explicit(),
  /** Deprecated: a volume of the ScaleIO storage system. */
  scaleIO: t.object(25, ScaleIOVolumeSource).explicit(),
  /** Deprecated: a volume of the StorageOS storage system. */
  storageos: t.object(27, StorageOSVolumeSource).explicit(),
  /** An inline volume of a CSI driver, created and deleted together with the pod. */
  csi: t.object(28, CSIVolumeSource).explicit(),
  /** A volume with a claim that is created for the pod and deleted together with it. */
  ephemeral: t.object(29, EphemeralVolumeSource).explicit(),
}) {}

/** A named volume that containers of the pod can mount. */
export class Volume extends shape({
  /** Name of the volume, a DNS label that is unique in the pod. Required. */
  name: t.string(1).required(),
  /** Source of the volume. Exactly one member must be set. */
  volumeSource: t.inline(2, VolumeSource),
}) {}

/** The pod that owns the volumes; the name is absent in templates. */
export interface VolumeOwner {
  readonly name?: string | undefined
  readonly namespace?: string | undefined
}

interface Around {
  readonly c: HookContext
  readonly name: string
  readonly pod: VolumeOwner
  /** Scope of the volume. */
  readonly errors: FieldErrors
}

/** In the order in which the first source is determined. */
const rules: SourceRules<VolumeSource, Around> = {
  emptyDir: validateEmptyDir,
  hostPath: validateHostPath,
  gitRepo: validateGitRepo,
  // As the reference writes it: the path is not the field name gcePersistentDisk.
  gcePersistentDisk: (source, _, { errors }) =>
    validateGcePersistentDisk(source, errors.at('persistentDisk')),
  awsElasticBlockStore: validateAwsElasticBlockStore,
  secret: validateSecretFiles,
  nfs: validateNfs,
  iscsi: (source, at, { name, errors }) => validateIscsi(source, at, name, errors.at('name')),
  glusterfs: validateGlusterfs,
  flocker: validateFlocker,
  persistentVolumeClaim: (source, at) => needText(source.claimName, at.at('claimName')),
  rbd: validateRbd,
  cinder: validateCinder,
  cephfs: validateCephFs,
  quobyte: validateQuobyte,
  downwardAPI: (source, at, { c }) => validateDownwardApi(source, at, c),
  fc: validateFc,
  flexVolume: (source, at, { c }) => validateFlexVolume(source, at, c),
  configMap: validateConfigMapFiles,
  azureFile: validateAzureFile,
  vsphereVolume: validateVsphereVolume,
  photonPersistentDisk: validatePhotonPersistentDisk,
  portworxVolume: validatePortworx,
  azureDisk: validateAzureDisk,
  storageos: validateStorageOs,
  scaleIO: validateScaleIo,
  projected: (source, at, { c }) => checkPart(source, at, c, validateProjected),
  csi: validateCsi,
  ephemeral: (source, at, around) => {
    validateEphemeral(source, at, around.c)
    validateClaimName(around)
  },
}

const claimName = (pod: string, volume: string) => `${pod}-${volume}`

/** The generated name of the claim must be valid; it is unknown for templates. */
function validateClaimName({ name, pod, errors }: Around): void {
  if (!pod.name || name === '') return
  const claim = claimName(pod.name, name)
  for (const message of isDns1123Subdomain(claim)) {
    errors.at('name').invalid(name, `PVC name ${JSON.stringify(claim)}: ${message}`)
  }
}

/**
 * Validates volumes; reports to `errors`. Returns the valid ones by name, which mounts can refer
 * to.
 */
export function validateVolumes(
  volumes: readonly Volume[] | undefined,
  errors: FieldErrors,
  c: HookContext,
  pod: VolumeOwner = {},
): Map<string, Volume> {
  const valid = new Map<string, Volume>()
  const made = new Set<string>()
  for (const { ephemeral, name } of volumes ?? []) {
    if (ephemeral && pod.name) made.add(claimName(pod.name, name))
  }
  // Those of a template depend on nothing else.
  const parts = pod.name === undefined && volumes ? c.parts : undefined
  if (parts?.pass(validateVolumes, volumes!))
    return new Map(volumes!.map((volume) => [volume.name, volume]))
  const errorsBefore = errors.list.length
  volumes?.forEach((volume, i) => {
    const at = errors.at(i)
    const { name } = volume
    const before = errors.list.length
    validateSources(rules, volume, at, { c, name, pod, errors: at })
    if (name === '') at.at('name').required()
    else at.at('name').invalidAll(name, isDns1123Label(name))
    if (valid.has(name)) at.at('name').duplicate(name)
    if (errors.list.length === before) valid.set(name, volume)
    const claim = volume.persistentVolumeClaim?.claimName
    if (claim !== undefined && made.has(claim)) {
      at.at('persistentVolumeClaim', 'claimName').invalid(
        claim,
        'must not reference a PVC that gets created for an ephemeral volume',
      )
    }
  })
  if (errors.list.length === errorsBefore) parts?.add(validateVolumes, volumes!)
  return valid
}

/** Sets the defaults of a volume: without a source it is an `emptyDir`. Changes the volume. */
export function fillVolume(volume: Volume): void {
  if (!hasSource(volume)) volume.emptyDir = {}
  const { downwardAPI, projected } = volume
  if (downwardAPI) fillFiles(downwardAPI.items)
  for (const { downwardAPI: files } of projected?.sources ?? []) fillFiles(files?.items)
  const template = volume.ephemeral?.volumeClaimTemplate
  if (template) fillClaimSpec(template.spec)
}

function hasSource(volume: Volume): boolean {
  for (const member in volume)
    if (Object.hasOwn(rules, member) && volume[member as keyof VolumeSource] !== undefined)
      return true
  return false
}

function fillFiles(items: DownwardAPIVolumeSource['items']): void {
  for (const { resourceFieldRef } of items ?? [])
    if (resourceFieldRef) fillResourceFieldSelector(resourceFieldRef)
}
