import { isQualifiedName } from '../../meta/names.ts'
import { sameValue } from '../../meta/field-errors.ts'
import { group } from '../../meta/object-meta.ts'
import { column, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { ageColumn } from '../columns.ts'
import { oldNodeLabel } from '../core/node-selector.ts'
import { TopologySelectorTerm, validateTopologies } from './topology.ts'

const { kind } = group('storage{api}/v1')

/**
 * A StorageClass describes how volumes are provisioned. Set the annotation `storageclass.{label}/is-default-class` to
 * `true` to make it the class of claims that name none.
 */
export class StorageClass extends kind({
  /** Name of the provisioner, such as a CSI driver. Required and immutable. */
  provisioner: t.string(2).required(),
  /** Parameters for the provisioner, passed as they are. At most 512 entries. Immutable. */
  parameters: t.map(3, 'string'),
  /**
   * Reclaim policy of provisioned volumes once their claim is deleted: `Delete` or `Retain`, but not `Recycle`. Defaults
   * to `Delete`. Immutable.
   */
  reclaimPolicy: t
    .string(4)
    .explicit()
    .oneOf('Delete', 'Recycle', 'Retain')
    .emptyIsOwn()
    .default('Delete'),
  /** Mount options of provisioned volumes, such as `ro`. They are not validated; mounting fails if one is invalid. */
  mountOptions: t.list(5, 'string'),
  /** If true, claims of this class can be expanded after creation. Defaults to false. */
  allowVolumeExpansion: t.bool(6).explicit(),
  /**
   * When claims are bound and provisioned: `Immediate` on creation, `WaitForFirstConsumer` once a pod that uses the
   * claim is scheduled. Defaults to `Immediate`. Immutable.
   */
  volumeBindingMode: t
    .string(7)
    .explicit()
    .oneOf('Immediate', 'WaitForFirstConsumer')
    .default('Immediate'),
  /** Node topologies to which provisioned volumes are restricted. If empty, there is no restriction. */
  allowedTopologies: t.list(8, TopologySelectorTerm).atomic(),
}) {}

const MAX_PARAMETERS = 512
const MAX_PARAMETER_BYTES = 262_144
const DEFAULT_MARKS = [
  'storageclass.{label}/is-default-class',
  'storageclass.beta.{label}/is-default-class',
]

/** Whether it is the class of claims that name none. */
export const isDefaultStorageClass = ({ metadata }: StorageClass, v: Vocabulary): boolean =>
  DEFAULT_MARKS.some((mark) => metadata.annotations?.[v.resolve(mark)] === 'true')

export const storageClasses = resource(StorageClass, {
  plural: 'storageclasses',
  short: ['sc'],
  scope: 'cluster',
  columns: [
    column(
      'Name',
      'string',
      (sc, { v }) =>
        isDefaultStorageClass(sc, v)
          ? `${sc.metadata.name ?? ''} (default)`
          : (sc.metadata.name ?? ''),
      { format: 'name', description: 'Name of the class; the default class is marked.' },
    ),
    column('Provisioner', 'string', (sc) => sc.provisioner, {
      description: 'Provisioner of the volumes.',
    }),
    column('ReclaimPolicy', 'string', (sc) => sc.reclaimPolicy ?? 'Delete', {
      description: 'Reclaim policy of provisioned volumes.',
    }),
    column('VolumeBindingMode', 'string', (sc) => sc.volumeBindingMode ?? 'Immediate', {
      description: 'When claims are bound and provisioned.',
    }),
    column('AllowVolumeExpansion', 'string', (sc) => sc.allowVolumeExpansion ?? false, {
      description: 'Whether claims can be expanded.',
    }),
    ageColumn,
  ],

  validate(sc, errors) {
    if (sc.provisioner === '') errors.at('provisioner').required()
    else
      errors
        .at('provisioner')
        .invalidAll(sc.provisioner, isQualifiedName(sc.provisioner.toLowerCase()))
    const parameters = Object.entries(sc.parameters ?? {})
    const at = errors.at('parameters')
    if (parameters.length > MAX_PARAMETERS) at.tooLong(MAX_PARAMETERS)
    if (parameters.some(([key]) => key === '')) at.invalid('', 'field can not be empty.')
    const bytes = parameters.reduce(
      (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
      0,
    )
    if (bytes > MAX_PARAMETER_BYTES) at.tooLong(MAX_PARAMETER_BYTES)
    if (sc.reclaimPolicy === 'Recycle')
      errors.at('reclaimPolicy').notSupported('Recycle', ['Delete', 'Retain'])
    validateTopologies(sc.allowedTopologies, errors.at('allowedTopologies'))
  },

  validateUpdate(next, old, errors) {
    for (const path of ['parameters', 'provisioner', 'reclaimPolicy'] as const) {
      if (!sameValue(next[path] ?? {}, old[path] ?? {})) {
        errors.at(path).forbidden(`updates to ${path} are forbidden.`)
      }
    }
    errors.at('volumeBindingMode').immutable(next.volumeBindingMode, old.volumeBindingMode)
  },

  warn(sc, _old, { v }) {
    return (sc.allowedTopologies ?? []).flatMap((term, i) =>
      (term.matchLabelExpressions ?? []).flatMap(({ key }, j) => {
        const instead = oldNodeLabel(key, v)
        return instead === null
          ? []
          : [`allowedTopologies[${i}].matchLabelExpressions[${j}].key: ${key} is ${instead}`]
      }),
    )
  },
})
