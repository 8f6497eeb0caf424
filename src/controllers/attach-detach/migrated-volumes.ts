/** Volumes of kinds that are older than CSI, as volumes of the CSI drivers that have replaced their plugins. */
import type { PersistentVolumeSpec } from '../../kinds/core/volumes/persistent-volume-spec.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'

type PodVolume = NonNullable<Pod['spec']['volumes']>[number]
/** Where a volume is; the members of volumes of pods and of persistent volumes are alike. */
type Source = Pick<
  PodVolume,
  'awsElasticBlockStore' | 'azureDisk' | 'cinder' | 'gcePersistentDisk' | 'vsphereVolume'
>

/** The plugin that a volume was for, which nodes name that have the driver in its place. */
export interface MigratedFrom {
  readonly plugin: string
  /** Feature gate of the migration. */
  readonly gate: string
}

/** A volume of a driver. */
export interface MigratedVolume {
  readonly driver: string
  readonly handle: string
  readonly from: MigratedFrom
}

interface Migration extends MigratedFrom {
  readonly driver: string
  /** The handle; null: the volume cannot be named to the driver, undefined: it is of another kind. */
  readonly handleOf: (source: Source, zone: string) => string | null | undefined
}

const UNKNOWN = 'UNSPECIFIED'
/** Separates the zones of a volume that several have. */
const ZONES = '__'

const MIGRATIONS: readonly Migration[] = [
  {
    plugin: '{label}/aws-ebs',
    gate: 'CSIMigrationAWS',
    driver: 'ebs.csi.aws.com',
    handleOf: ({ awsElasticBlockStore: of }) => of && elasticHandle(of.volumeID),
  },
  {
    plugin: '{label}/gce-pd',
    gate: 'CSIMigrationGCE',
    driver: 'pd.csi.storage.gke.io',
    handleOf: ({ gcePersistentDisk: of }, zone) => of && `${projectPlace(zone)}/disks/${of.pdName}`,
  },
  {
    plugin: '{label}/azure-disk',
    gate: 'CSIMigrationAzureDisk',
    driver: 'disk.csi.azure.com',
    handleOf: ({ azureDisk: of }) => of?.diskURI,
  },
  {
    plugin: '{label}/cinder',
    gate: 'CSIMigrationOpenStack',
    driver: 'cinder.csi.openstack.org',
    handleOf: ({ cinder: of }) => of?.volumeID,
  },
  {
    plugin: '{label}/vsphere-volume',
    gate: 'CSIMigrationvSphere',
    driver: 'csi.vsphere.vmware.com',
    handleOf: ({ vsphereVolume: of }) => of?.volumePath,
  },
]

/** The members of volumes that may be migrated, as they are in JSON. */
export const MIGRATED_MEMBERS = [
  ...['awsElasticBlockStore', 'azureDisk', 'cinder', 'gcePersistentDisk'],
  'vsphereVolume',
]

/** The volume of a driver that a source means; null: it is of another kind. `zone`: where a persistent volume is. */
export function migratedVolume(source: Source, zone: string, v: Vocabulary): MigratedVolume | null {
  for (const { plugin, gate, driver, handleOf } of MIGRATIONS) {
    const handle = handleOf(source, zone)
    if (handle === null) return null
    if (handle !== undefined) return { driver, handle, from: { plugin: v.resolve(plugin), gate } }
  }
  return null
}

/** Provisioners whose drivers attach nothing. */
const OTHER_PROVISIONERS = [
  { plugin: '{label}/azure-file', gate: 'CSIMigrationAzureFile', driver: 'file.csi.azure.com' },
]

/** The driver that provisions in the place of a plugin; null: the provisioner has not been replaced. */
export function migratedProvisioner(
  provisioner: string,
  { v, gate }: { readonly v: Vocabulary; readonly gate: (name: string) => boolean },
): string | null {
  const found = [...MIGRATIONS, ...OTHER_PROVISIONERS].find(
    ({ plugin }) => v.resolve(plugin) === provisioner,
  )
  return found && gate(found.gate) ? found.driver : null
}

/** The zone in the labels of a persistent volume; empty without. */
export const zoneOf = (labels: Readonly<Record<string, string>> = {}, v: Vocabulary): string =>
  labels[v.resolve('failure-domain.beta.{label}/zone')] ??
  labels[v.resolve('topology.{label}/zone')] ??
  ''

/** A volume that a pod defines inline: its display name, and the spec that the driver gets; null: of another kind. */
export function inlineVolume(
  volume: Source,
  v: Vocabulary,
): {
  readonly name: string
  readonly spec: PersistentVolumeSpec
  readonly of: MigratedVolume
} | null {
  const of = migratedVolume(volume, '', v)
  if (!of) return null
  const { driver, handle: volumeHandle } = of
  const { gcePersistentDisk, azureDisk, awsElasticBlockStore, cinder, vsphereVolume } = volume
  const source = gcePersistentDisk ?? azureDisk ?? awsElasticBlockStore ?? cinder ?? vsphereVolume
  const { fsType, readOnly, partition } = source as {
    readonly fsType?: string
    readonly readOnly?: boolean
    readonly partition?: number
  }
  const isShared = gcePersistentDisk?.readOnly === true
  const volumeAttributes = partition ? { partition: String(partition) } : undefined
  const csi = {
    ...{ driver, volumeHandle },
    ...(fsType === undefined || fsType === '' ? {} : { fsType }),
    ...(readOnly === true ? { readOnly } : {}),
    ...(volumeAttributes ? { volumeAttributes } : {}),
  }
  const accessModes = [isShared ? 'ReadOnlyMany' : 'ReadWriteOnce']
  const own = gcePersistentDisk?.pdName ?? azureDisk?.diskName ?? volumeHandle
  return { name: `${driver}-${own}`, spec: { accessModes, csi } as PersistentVolumeSpec, of }
}

/** `vol-1`, also of `aws://zone/vol-1`; null: neither. */
function elasticHandle(id: string): string | null {
  const name = /^aws:\/\/[^/]*\/(.*)$/.exec(id)?.[1] ?? id
  return /^vol-[^/]+$/.test(name) ? name : null
}

function projectPlace(zone: string): string {
  const project = `projects/${UNKNOWN}`
  if (zone === '') return `${project}/zones/${UNKNOWN}`
  const [first = ''] = zone.split(ZONES)
  return zone.includes(ZONES)
    ? `${project}/regions/${first.slice(0, first.lastIndexOf('-'))}`
    : `${project}/zones/${zone}`
}
