import { isQualifiedName } from '../../meta/names.ts'
import { sameValue } from '../../meta/field-errors.ts'
import { group } from '../../meta/object-meta.ts'
import { column, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn } from '../columns.ts'
import { oldNodeLabel } from '../core/node-selector.ts'
import { TopologySelectorTerm, validateTopologies } from './topology.ts'

const { kind } = group('storage{api}/v1')

/** How volumes of one class are made. */
export class StorageClass extends kind({
  /** Driver that makes the volumes. */
  provisioner: t.string(2).required(),
  /** Handed to the driver as they are. */
  parameters: t.map(3, 'string'),
  /** What becomes of a volume whose claim is gone. */
  reclaimPolicy: t
    .string(4)
    .explicit()
    .oneOf('Delete', 'Recycle', 'Retain')
    .emptyIsOwn()
    .default('Delete'),
  /** Passed on to mounts; a wrong option makes the mount fail. */
  mountOptions: t.list(5, 'string'),
  /** Whether claims of this class may grow. */
  allowVolumeExpansion: t.bool(6).explicit(),
  /** Bind a claim at once, or when its first pod is placed. */
  volumeBindingMode: t
    .string(7)
    .explicit()
    .oneOf('Immediate', 'WaitForFirstConsumer')
    .default('Immediate'),
  /** Where volumes may be made; empty means anywhere. */
  allowedTopologies: t.list(8, TopologySelectorTerm).atomic(),
}) {}

const MAX_PARAMETERS = 512
const MAX_PARAMETER_BYTES = 262_144
const DEFAULT_MARKS = [
  'storageclass.{label}/is-default-class',
  'storageclass.beta.{label}/is-default-class',
]

export const storageClasses = resource(StorageClass, {
  plural: 'storageclasses',
  short: ['sc'],
  scope: 'cluster',
  columns: [
    column(
      'Name',
      'string',
      (sc, { v }) =>
        DEFAULT_MARKS.some((mark) => sc.metadata.annotations?.[v.resolve(mark)] === 'true')
          ? `${sc.metadata.name ?? ''} (default)`
          : (sc.metadata.name ?? ''),
      { format: 'name', description: 'Name of the class; the default one is marked.' },
    ),
    column('Provisioner', 'string', (sc) => sc.provisioner, {
      description: 'Driver that makes the volumes.',
    }),
    column('ReclaimPolicy', 'string', (sc) => sc.reclaimPolicy ?? 'Delete', {
      description: 'What becomes of a volume whose claim is gone.',
    }),
    column('VolumeBindingMode', 'string', (sc) => sc.volumeBindingMode ?? 'Immediate', {
      description: 'When claims are bound.',
    }),
    column('AllowVolumeExpansion', 'string', (sc) => sc.allowVolumeExpansion ?? false, {
      description: 'Whether claims may grow.',
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
