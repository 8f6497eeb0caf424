import { parseQuantity, sign } from '../../../base/quantity.ts'
import { type FieldErrors, sameValue } from '../../../meta/field-errors.ts'
import { isDns1123Subdomain, NEGATIVE_MESSAGE } from '../../../meta/names.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import { home, t } from '../../../notation/shape.ts'
import { LabelSelector } from '../../meta/label-selector.ts'
import { TypedLocalObjectReference } from '../local-object-reference.ts'
import { ResourceRequirements, roundResources } from '../resource-requirements.ts'
import { ACCESS_MODES, validateAccessModes } from './access-modes.ts'
import { validateLabelSelector } from './meta-rules.ts'
import { needText } from './paths.ts'

const { shape } = home('core/v1')

/**
 * Characteristics of the requested volume. Immutable, except for the storage request of a bound
 * claim, which can grow, and `volumeName`, which can be set once.
 */
export class PersistentVolumeClaimSpec extends shape({
  /**
   * Access modes that the volume must support: `ReadWriteOnce` (one node), `ReadOnlyMany`,
   * `ReadWriteMany` or, with the feature gate `ReadWriteOncePod`, `ReadWriteOncePod` (one pod). At
   * least one is required. Immutable.
   */
  accessModes: t.list(1, ACCESS_MODES),
  /** Selector for volumes by their labels; only matching ones can be bound. Immutable. */
  selector: t.object(4, LabelSelector).explicit(),
  /**
   * Requested storage: `requests.storage` is required and must be positive. It can grow after the
   * claim is bound, but not shrink.
   */
  resources: t.object(2, ResourceRequirements),
  /**
   * Name of the volume that the claim is bound to. Users can set it to request a specific volume.
   * Immutable once set.
   */
  volumeName: t.string(3),
  /**
   * Storage class of the volume. Unset requests the default class, an empty string a volume without
   * a class. Immutable.
   */
  storageClassName: t.string(5).explicit(),
  /**
   * Whether the volume is mounted as `Filesystem` or attached as a raw `Block` device. Defaults to
   * `Filesystem`. Immutable.
   */
  volumeMode: t.string(6).explicit().oneOf('Block', 'Filesystem').default('Filesystem'),
  /**
   * Volume snapshot or claim in the same namespace whose content the new volume starts with.
   * Mirrored to `dataSourceRef`; references to other kinds are dropped. Immutable.
   */
  dataSource: t.object(7, TypedLocalObjectReference).explicit(),
  /**
   * Object in the same namespace whose content the new volume starts with, of any kind that a
   * volume populator supports. Must equal `dataSource` when both are set. Immutable.
   */
  dataSourceRef: t.object(8, TypedLocalObjectReference).explicit(),
}) {}

/**
 * Validates a claim spec; reports to `errors`. Rules that the stored spec `old` already violates
 * are relaxed.
 */
export function validateClaimSpec(
  spec: PersistentVolumeClaimSpec,
  errors: FieldErrors,
  c: HookContext,
  old?: PersistentVolumeClaimSpec,
): void {
  const modes = errors.at('accessModes')
  if (!spec.accessModes?.length) modes.required('at least 1 access mode is required')
  if (spec.selector) validateLabelSelector(spec.selector, errors.at('selector'))
  validateAccessModes(spec.accessModes, modes, c, old?.accessModes)
  validateSize(spec.resources.requests?.storage, errors.at('resources').key('storage'))
  validateClassName(spec.storageClassName, errors.at('storageClassName'))
  if (spec.dataSource) validateDataSource(spec.dataSource, errors.at('dataSource'))
  if (spec.dataSourceRef) validateDataSource(spec.dataSourceRef, errors.at('dataSourceRef'))
  if (spec.dataSource && spec.dataSourceRef && !sameValue(spec.dataSource, spec.dataSourceRef)) {
    errors.invalid(errors.at('dataSource').path, 'must match dataSourceRef')
  }
}

function validateSize(storage: string | undefined, errors: FieldErrors): void {
  if (storage === undefined) return errors.required()
  const direction = sign(parseQuantity(storage))
  if (direction < 0) errors.invalid(storage, NEGATIVE_MESSAGE)
  else if (direction === 0) errors.invalid(storage, 'must be greater than zero')
}

/** A storage class name must be a DNS subdomain or absent; reports to `errors`. */
export function validateClassName(name: string | undefined, errors: FieldErrors): void {
  if (name !== undefined && name !== '') errors.invalidAll(name, isDns1123Subdomain(name))
}

function validateDataSource(source: TypedLocalObjectReference, errors: FieldErrors): void {
  needText(source.name, errors.at('name'))
  needText(source.kind, errors.at('kind'))
  if (isCoreGroup(source) && source.kind !== 'PersistentVolumeClaim') {
    errors.invalid(
      source.kind,
      "must be 'PersistentVolumeClaim' when referencing the default apiGroup",
    )
  }
}

const isCoreGroup = ({ apiGroup }: TypedLocalObjectReference): boolean => (apiGroup ?? '') === ''

/**
 * Normalizes the data sources of a spec before validation: drops an
 * unsupported `dataSource`, then mirrors each into the other when that is empty. `old` is the
 * stored spec, null on create; what it uses remains allowed. Changes the spec.
 */
export function alignDataSources(
  spec: PersistentVolumeClaimSpec,
  old: PersistentVolumeClaimSpec | null,
  c: HookContext,
): void {
  const known = c.gate('AnyVolumeDataSource')
  if (!known && !old?.dataSourceRef) delete spec.dataSourceRef
  const isAllowed = old?.dataSource || old?.dataSourceRef || (known && spec.dataSourceRef)
  if (spec.dataSource && !isAllowed && !isVolumeOrSnapshot(spec.dataSource, c))
    delete spec.dataSource
  if (known) mirrorDataSources(spec)
}

/** Mirrors a data source into the empty one. Changes the spec. */
export function mirrorDataSources(spec: PersistentVolumeClaimSpec): void {
  if (spec.dataSource && !spec.dataSourceRef) spec.dataSourceRef = { ...spec.dataSource }
  else if (spec.dataSourceRef && !spec.dataSource) spec.dataSource = { ...spec.dataSourceRef }
}

function isVolumeOrSnapshot(source: TypedLocalObjectReference, c: HookContext): boolean {
  if (isCoreGroup(source)) return source.kind === 'PersistentVolumeClaim'
  return (
    source.apiGroup === c.v.resolve('snapshot.storage{api}') && source.kind === 'VolumeSnapshot'
  )
}

/** Sets the defaults of a claim spec and rounds amounts to thousandths. Changes the spec. */
export function fillClaimSpec(spec: PersistentVolumeClaimSpec): void {
  roundResources(spec.resources.limits)
  roundResources(spec.resources.requests)
}
