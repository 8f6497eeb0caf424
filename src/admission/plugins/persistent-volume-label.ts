import type { NodeSelectorRequirement } from '../../kinds/core/node-selector.ts'
import type { PersistentVolume } from '../../kinds/core/persistent-volume.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import type { PluginFactory } from '../plugin.ts'
import { refusalOf } from '../refusal.ts'

/** Name of a volume that its cloud is yet to make. */
const PLACEHOLDER = 'placeholder-for-provisioning'

/** Disks of clouds: the member that holds them, their id, and what would be asked about them. */
const CLOUD_DISKS = [
  {
    source: 'awsElasticBlockStore',
    what: 'AWS EBS volume',
    id: ({ awsElasticBlockStore: disk }: Spec) => disk?.volumeID,
    provider: 'AWS cloud provider for EBS',
  },
  {
    source: 'gcePersistentDisk',
    what: 'GCE PD volume',
    id: ({ gcePersistentDisk: disk }: Spec) => disk?.pdName,
    provider: 'GCE cloud provider for PD',
  },
  {
    source: 'azureDisk',
    what: 'AzureDisk volume',
    id: ({ azureDisk: disk }: Spec) => disk?.diskName,
    provider: 'Azure cloud provider for AzureDisk',
  },
  {
    source: 'cinder',
    what: 'Cinder volume',
    id: ({ cinder: disk }: Spec) => disk?.volumeID,
    provider: 'OpenStack cloud provider for Cinder disk',
  },
  {
    source: 'vsphereVolume',
    what: 'vSphere Volume',
    id: ({ vsphereVolume: disk }: Spec) => disk?.volumePath,
    provider: 'vSphere cloud provider for vSphere volume',
  },
] as const

type Spec = PersistentVolume['spec']

/**
 * Limits volumes of a zone to the nodes there, as the labels of a provisioner say. This server has no access to clouds:
 * a cloud's disk without trusted labels is refused.
 */
export const persistentVolumeLabel: PluginFactory = {
  name: 'PersistentVolumeLabel',
  defaultOn: false,
  create: ({ v }) => ({
    handles: (operation) => operation === 'CREATE',
    resources: [{ group: '', resource: 'persistentvolumes' }],
    mutate(attributes) {
      const volume = attributes.object!.live as PersistentVolume
      const labels = trustedLabels(volume, v)
      if (!labels) {
        const problem = cloudProblem(volume.spec)
        if (problem !== null) throw refusalOf(attributes, problem)
        return
      }
      limitToNodes(volume, requirementsOf(labels))
    },
  }),
}

/** Zone and region of a volume that a provisioner made; null when there are none to trust. */
function trustedLabels({ metadata }: PersistentVolume, v: Vocabulary): [string, string][] | null {
  const { labels = {}, annotations = {} } = metadata
  if (!Object.hasOwn(annotations, v.resolve('pv.{label}/provisioned-by'))) return null
  for (const domain of ['topology.{label}', 'failure-domain.beta.{label}']) {
    const keys = [`${v.resolve(domain)}/region`, `${v.resolve(domain)}/zone`]
    if (!keys.every((key) => Object.hasOwn(labels, key))) continue
    return keys.map((key): [string, string] => [key, labels[key]!])
  }
  return null
}

function cloudProblem(spec: Spec): string | null {
  const disk = CLOUD_DISKS.find(({ source }) => spec?.[source] !== undefined)
  if (!disk) return null
  const id = disk.id(spec) ?? ''
  if (id === PLACEHOLDER) return null
  return `error querying ${disk.what} ${id}: unable to build ${disk.provider}`
}

const requirementsOf = (labels: [string, string][]): NodeSelectorRequirement[] =>
  labels.map(([key, value]) => {
    const isZone = key.endsWith('/zone')
    const values = isZone ? [...new Set(value.split('__').map((zone) => zone.trim()))] : [value]
    return { key, operator: 'In', values: values.sort() }
  })

/** Adds requirements to every term of the volume's node affinity, unless a term has one of their keys. */
function limitToNodes({ spec }: PersistentVolume, added: NodeSelectorRequirement[]): void {
  const present = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? []
  const terms = present.length === 0 ? [{}] : present
  const keys = new Set(added.map(({ key }) => key))
  if (terms.some((term) => term.matchExpressions?.some(({ key }) => keys.has(key)))) return
  const nodeSelectorTerms = terms.map((term) => ({
    ...term,
    matchExpressions: [...(term.matchExpressions ?? []), ...added],
  }))
  spec.nodeAffinity = { ...spec.nodeAffinity, required: { nodeSelectorTerms } }
}
