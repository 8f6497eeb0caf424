import { describeChange } from '../../meta/describe-change.ts'
import { sameValue } from '../../meta/field-errors.ts'
import { group } from '../../meta/object-meta.ts'
import { column, part, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { nodeSelectorTermWarnings } from './node-selector.ts'
import { roundResources } from './resource-requirements.ts'
import { shortAccessModes } from './volumes/access-modes.ts'
import {
  PERSISTENT_SOURCES,
  type PersistentVolumeSource,
} from './volumes/persistent-volume-source.ts'
import {
  dropGatedVolumeFields,
  PersistentVolumeSpec,
  validatePersistentVolumeSpec,
} from './volumes/persistent-volume-spec.ts'
import { STORAGE_CLASS_ANNOTATION } from './volumes/storage-class-annotation.ts'

const { kind, shape } = group('core/v1')

/** Most recently observed status of a persistent volume. */
export class PersistentVolumeStatus extends shape({
  /**
   * Phase of the volume: `Pending`, `Available` for binding, `Bound` to a claim, `Released` after
   * the claim was deleted, or `Failed` when it could not be reclaimed.
   */
  phase: t.string(1).oneOf('Available', 'Bound', 'Failed', 'Pending', 'Released'),
  /** Human-readable details about the current phase. */
  message: t.string(2),
  /** Machine-readable reason for a failure, one word in CamelCase. */
  reason: t.string(3),
}) {}

/**
 * A piece of storage of the cluster, provisioned by an administrator or through a storage class.
 * Its life cycle is independent of the pods that use it.
 */
export class PersistentVolume extends kind({
  /** Storage asset, capacity and usage rules of the volume. */
  spec: t.object(2, PersistentVolumeSpec),
  /** Most recently observed status. Set by controllers; read-only for users. */
  status: t.object(3, PersistentVolumeStatus),
}) {}

export const persistentVolumes = resource(PersistentVolume, {
  plural: 'persistentvolumes',
  short: ['pv'],
  scope: 'cluster',
  subresources: { status: part('status') },
  columns: [
    nameColumn,
    column('Capacity', 'string', (pv) => pv.spec.capacity?.storage ?? '0', {
      description: 'Capacity of the volume.',
    }),
    column('Access Modes', 'string', (pv) => shortAccessModes(pv.spec.accessModes), {
      description: 'Access modes of the volume.',
    }),
    column('Reclaim Policy', 'string', (pv) => pv.spec.persistentVolumeReclaimPolicy ?? '', {
      description: 'What happens to the volume after its claim is deleted.',
    }),
    column(
      'Status',
      'string',
      (pv) => (pv.metadata.deletionTimestamp ? 'Terminating' : (pv.status.phase ?? '')),
      { description: 'Phase, or Terminating while it is being deleted.' },
    ),
    column(
      'Claim',
      'string',
      ({ spec: { claimRef } }) =>
        claimRef ? `${claimRef.namespace ?? ''}/${claimRef.name ?? ''}` : '',
      { description: 'Claim that the volume is bound to.' },
    ),
    column(
      'StorageClass',
      'string',
      (pv, { v }) =>
        pv.metadata.annotations?.[v.resolve(STORAGE_CLASS_ANNOTATION)] ??
        pv.spec.storageClassName ??
        '',
      { description: 'Storage class of the volume.' },
    ),
    column('Reason', 'string', (pv) => pv.status.reason ?? '', {
      description: 'Machine-readable reason for the current phase.',
    }),
    ageColumn,
    column('VolumeMode', 'string', (pv) => pv.spec.volumeMode ?? '<unset>', {
      wide: true,
      description: 'Volume mode: Filesystem or Block.',
    }),
  ],

  setDefaults({ spec, status }) {
    status.phase ??= 'Pending'
    spec.persistentVolumeReclaimPolicy ??= 'Retain'
    spec.volumeMode ??= 'Filesystem'
    roundResources(spec.capacity)
  },

  prepareForCreate(pv, c) {
    pv.status = { phase: 'Pending' }
    dropGatedVolumeFields(pv.spec, null, c)
  },

  prepareForUpdate: (next, old, c) => dropGatedVolumeFields(next.spec, old.spec, c),

  validate(pv, errors, c, old) {
    const { annotations, name = '' } = pv.metadata
    const options = { inline: false, old: old?.spec }
    validatePersistentVolumeSpec(pv.spec, name, errors.at('spec'), c, options)
    const mountOptions = c.v.resolve('volume.beta.{label}/mount-options')
    if (annotations?.[mountOptions] !== undefined && !MOUNTABLE.some((one) => pv.spec[one])) {
      errors
        .at('metadata', 'annotations', mountOptions)
        .forbidden('may not specify mount options for this volume type')
    }
  },

  validateUpdate({ spec }, { spec: old }, errors) {
    if (!sameSource(spec, old)) {
      // As the reference writes it: a type name, not a field name.
      errors
        .at('spec', 'persistentvolumesource')
        .forbidden(
          `spec.persistentvolumesource is immutable after creation\n${describeChange('core.PersistentVolumeSource', sourceOf(old), sourceOf(spec))}`,
        )
    }
    errors.at('volumeMode').immutable(spec.volumeMode, old.volumeMode)
    if (old.nodeAffinity) errors.at('nodeAffinity').immutable(spec.nodeAffinity, old.nodeAffinity)
  },

  warn({ spec }, _, { v }) {
    const terms = spec.nodeAffinity?.required?.nodeSelectorTerms ?? []
    const path = 'spec.nodeAffinity.required.nodeSelectorTerms'
    return terms.flatMap((term, i) => nodeSelectorTermWarnings(term, `${path}[${i}]`, v))
  },
})

/** Volume sources that support mount options. */
const MOUNTABLE: readonly (keyof PersistentVolumeSource)[] = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
]

const sourceOf = (spec: PersistentVolumeSource): PersistentVolumeSource =>
  Object.fromEntries(PERSISTENT_SOURCES.map((name) => [name, spec[name]]).filter(([, one]) => one))

/**
 * Whether the source is unchanged. Only a missing controllerExpandSecretRef of a CSI volume may be
 * added.
 */
function sameSource(next: PersistentVolumeSource, old: PersistentVolumeSource): boolean {
  return PERSISTENT_SOURCES.every((name) => {
    const source = next[name]
    if (name !== 'csi' || !next.csi || !old.csi || old.csi.controllerExpandSecretRef) {
      return sameValue(source, old[name])
    }
    return sameValue({ ...next.csi, controllerExpandSecretRef: undefined }, old.csi)
  })
}
