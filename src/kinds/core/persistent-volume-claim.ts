import { describeChange } from '../../meta/describe-change.ts'
import { compareQuantity, integerValue, parseQuantity, sign } from '../../base/quantity.ts'
import { type FieldErrors, sameValue } from '../../meta/field-errors.ts'
import { group } from '../../meta/object-meta.ts'
import { column, type HookContext, part, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { type ResourceList, roundResources, sameResources } from './resource-requirements.ts'
import { ACCESS_MODES, shortAccessModes } from './volumes/access-modes.ts'
import {
  alignDataSources,
  fillClaimSpec,
  mirrorDataSources,
  PersistentVolumeClaimSpec,
  validateClaimSpec,
} from './volumes/claim-spec.ts'
import { STORAGE_CLASS_ANNOTATION } from './volumes/storage-class-annotation.ts'

const { kind, shape } = group('core/v1')

const RECOVERY = 'RecoverVolumeExpansionFailure'

/** One observed condition of a persistent volume claim. */
export class PersistentVolumeClaimCondition extends shape({
  /** Type of the condition, for example `Resizing` or `FileSystemResizePending`. */
  type: t.string(1).required(),
  /** Status of the condition: `True`, `False` or `Unknown`. */
  status: t.string(2).required(),
  /** Time at which the condition was last checked. */
  lastProbeTime: t.time(3),
  /** Time at which `status` last changed. */
  lastTransitionTime: t.time(4),
  /**
   * Machine-readable reason for the last change of `status`. `ResizeStarted` means that the volume
   * is being expanded.
   */
  reason: t.string(5),
  /** Human-readable details about the last change of `status`. */
  message: t.string(6),
}) {}

/** Most recently observed status of a persistent volume claim. */
export class PersistentVolumeClaimStatus extends shape({
  /**
   * Phase of the claim: `Pending` before it is bound to a volume, `Bound` afterwards, `Lost` when
   * its volume no longer exists.
   */
  phase: t.string(1).oneOf('Bound', 'Lost', 'Pending'),
  /** Access modes of the volume that the claim is bound to, for example `ReadWriteOnce`. */
  accessModes: t.list(2, ACCESS_MODES),
  /** Actual capacity of the volume that the claim is bound to, by resource name. */
  capacity: t.map(3, 'quantity'),
  /** Observed conditions of the claim, such as an ongoing resize, one for each type. */
  conditions: t.list(4, PersistentVolumeClaimCondition).patchBy('type'),
  /**
   * Storage allocated to the claim, which can exceed the actual capacity during an expansion. Quota
   * counts the larger of this and the request. Requires the feature gate
   * `RecoverVolumeExpansionFailure`.
   */
  allocatedResources: t.map(5, 'quantity'),
  /**
   * Progress of a volume expansion. Empty or unset when none is in progress. Requires the feature
   * gate `RecoverVolumeExpansionFailure`.
   */
  resizeStatus: t
    .string(6)
    .explicit()
    .oneOf(
      '',
      'ControllerExpansionFailed',
      'ControllerExpansionInProgress',
      'NodeExpansionFailed',
      'NodeExpansionInProgress',
      'NodeExpansionPending',
    ),
}) {}

/**
 * A request for storage by the users of a namespace. It is bound to exactly one persistent volume.
 */
export class PersistentVolumeClaim extends kind({
  /**
   * Desired characteristics of the volume. Immutable, except for the storage request of a bound
   * claim, which can grow.
   */
  spec: t.object(2, PersistentVolumeClaimSpec),
  /** Most recently observed status. Set by controllers; read-only for users. */
  status: t.object(3, PersistentVolumeClaimStatus),
}) {}

const isBound = (pvc: PersistentVolumeClaim) => (pvc.spec.volumeName ?? '') !== ''

export const persistentVolumeClaims = resource(PersistentVolumeClaim, {
  plural: 'persistentvolumeclaims',
  short: ['pvc'],
  scope: 'namespace',
  subresources: {
    status: part('status', {
      prepareForUpdate: ({ status }, old, c) => dropGatedStatus(status, old.status, c),
      validate: validateStatus,
    }),
  },
  columns: [
    nameColumn,
    column(
      'Status',
      'string',
      (pvc) => (pvc.metadata.deletionTimestamp ? 'Terminating' : (pvc.status.phase ?? '')),
      { description: 'Phase, or Terminating while it is being deleted.' },
    ),
    column('Volume', 'string', (pvc) => pvc.spec.volumeName ?? '', {
      description: 'Volume that the claim is bound to.',
    }),
    column(
      'Capacity',
      'string',
      (pvc) => (isBound(pvc) ? (pvc.status.capacity?.storage ?? '0') : ''),
      { description: 'Capacity of the bound volume.' },
    ),
    column(
      'Access Modes',
      'string',
      (pvc) => (isBound(pvc) ? shortAccessModes(pvc.status.accessModes) : ''),
      { description: 'Access modes of the bound volume.' },
    ),
    column(
      'StorageClass',
      'string',
      (pvc, { v }) =>
        pvc.metadata.annotations?.[v.resolve(STORAGE_CLASS_ANNOTATION)] ??
        pvc.spec.storageClassName ??
        '',
      { description: 'Storage class of the claim.' },
    ),
    ageColumn,
    column('VolumeMode', 'string', (pvc) => pvc.spec.volumeMode ?? '<unset>', {
      wide: true,
      description: 'Volume mode: Filesystem or Block.',
    }),
  ],

  setDefaults({ spec, status }) {
    fillClaimSpec(spec)
    status.phase ??= 'Pending'
    roundResources(status.capacity)
    roundResources(status.allocatedResources)
  },

  prepareForCreate(pvc, c) {
    pvc.status = { phase: 'Pending' }
    alignDataSources(pvc.spec, null, c)
  },

  prepareForUpdate: (next, old, c) => alignDataSources(next.spec, old.spec, c),

  validate: (pvc, errors, c, old) => validateClaimSpec(pvc.spec, errors.at('spec'), c, old?.spec),

  validateUpdate(next, old, errors, c) {
    const moves = movesClass(next, old, c)
    if (!moves) keepClassAnnotation(next, old, errors, c)
    const kept = keptSpec(next, old, c, moves)
    if (!sameSpec(kept.next, kept.old)) {
      errors
        .at('spec')
        .forbidden(
          `spec is immutable after creation except resources.requests for bound claims\n${describeChange('core.PersistentVolumeClaimSpec', kept.old, kept.next)}`,
        )
    }
    validateShrinking(next, old, errors.at('spec', 'resources', 'requests', 'storage'), c)
    // As the reference writes it: the path is not that of the field.
    errors.at('volumeMode').immutable(next.spec.volumeMode, old.spec.volumeMode)
  },
})

/**
 * Whether the class moves from the deprecated annotation to the spec, the only allowed change of
 * it.
 */
function movesClass(
  next: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  c: HookContext,
): boolean {
  const annotation = c.v.resolve(STORAGE_CLASS_ANNOTATION)
  const before = old.metadata.annotations?.[annotation]
  const after = next.metadata.annotations?.[annotation]
  return (
    before !== undefined &&
    old.spec.storageClassName === undefined &&
    next.spec.storageClassName === before &&
    (after === undefined || after === before)
  )
}

function keepClassAnnotation(
  next: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  errors: FieldErrors,
  c: HookContext,
): void {
  const annotation = c.v.resolve(STORAGE_CLASS_ANNOTATION)
  const after = next.metadata.annotations?.[annotation] ?? ''
  const before = old.metadata.annotations?.[annotation] ?? ''
  errors.at('metadata', 'annotations', annotation).immutable(after, before)
}

/** Both specs without the allowed changes; remaining differences are rejected. */
function keptSpec(
  next: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  c: HookContext,
  moves: boolean,
): { next: PersistentVolumeClaimSpec; old: PersistentVolumeClaimSpec } {
  const before = { ...old.spec }
  const after = { ...next.spec }
  // Objects stored before data sources were mirrored must remain writable.
  if (c.gate('AnyVolumeDataSource')) mirrorDataSources(before)
  if (!isBound(old)) {
    delete before.volumeName
    delete after.volumeName
  }
  if (moves || defaultsClass(next, old, c)) delete after.storageClassName
  if (next.status.phase === 'Bound' && after.resources.requests) {
    const requests = { ...after.resources.requests }
    const size = before.resources.requests?.storage
    if (size === undefined) delete requests.storage
    else requests.storage = size
    after.resources = { ...after.resources, requests }
  }
  return { next: after, old: before }
}

/** Whether a claim created without a default class gets one assigned now. */
function defaultsClass(
  next: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  c: HookContext,
): boolean {
  return (
    c.gate('RetroactiveDefaultStorageClass') &&
    old.spec.storageClassName === undefined &&
    next.spec.storageClassName !== undefined &&
    (old.metadata.annotations?.[c.v.resolve(STORAGE_CLASS_ANNOTATION)] ?? '') === ''
  )
}

function sameSpec(a: PersistentVolumeClaimSpec, b: PersistentVolumeClaimSpec): boolean {
  return (
    sameResources(a.resources.limits, b.resources.limits) &&
    sameResources(a.resources.requests, b.resources.requests) &&
    sameValue({ ...a, resources: undefined }, { ...b, resources: undefined })
  )
}

/**
 * Requests cannot shrink, except to cancel an expansion, and then only to more than the current
 * capacity.
 */
function validateShrinking(
  next: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  errors: FieldErrors,
  c: HookContext,
): void {
  const size = storageOf(next.spec.resources.requests)
  if (compareQuantity(size, storageOf(old.spec.resources.requests)) >= 0) return
  if (!c.gate(RECOVERY)) errors.forbidden('field can not be less than previous value')
  else if (compareQuantity(size, storageOf(old.status.capacity)) <= 0) {
    errors.forbidden('field can not be less than status.capacity')
  }
}

const storageOf = (list: ResourceList = {}) => parseQuantity(list.storage ?? '0')

/** Drops the status of expansion recovery when its feature gate is off and none is stored. */
function dropGatedStatus(
  status: PersistentVolumeClaimStatus,
  old: PersistentVolumeClaimStatus,
  c: HookContext,
): void {
  if (c.gate(RECOVERY)) return
  if (old.allocatedResources === undefined) delete status.allocatedResources
  if (old.resizeStatus === undefined) delete status.resizeStatus
}

function validateStatus(pvc: PersistentVolumeClaim, errors: FieldErrors, c: HookContext): void {
  const { capacity = {}, allocatedResources = {} } = pvc.status
  // As the reference writes it: the Go name, not the field name.
  if (!pvc.spec.accessModes?.length) errors.at('Spec', 'accessModes').required()
  const at = errors.at('status')
  for (const [name, text] of Object.entries(capacity)) {
    refuseNegative(text, at.at('capacity').key(name))
  }
  if (!c.gate(RECOVERY)) return
  for (const [name, text] of Object.entries(allocatedResources)) {
    const allocated = at.at('allocatedResources')
    if (name === 'storage') refuseNegative(text, allocated.key(name))
    else allocated.notSupported(name, ['storage'])
  }
}

function refuseNegative(text: string, errors: FieldErrors): void {
  const amount = parseQuantity(text)
  if (sign(amount) < 0) errors.invalid(integerValue(amount), 'must be a valid resource quantity')
}
