import { normalize } from 'node:path/posix'
import { integerValue, parseQuantity, sign } from '../../../base/quantity.ts'
import type { FieldErrors } from '../../../meta/field-errors.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import { home, t } from '../../../notation/shape.ts'
import { NodeSelector, validateNodeSelector } from '../node-selector.ts'
import { ObjectReference } from '../object-reference.ts'
import type { ResourceList } from '../resource-requirements.ts'
import { ACCESS_MODES, validateAccessModes } from './access-modes.ts'
import { validateClassName } from './claim-spec.ts'
import {
  PersistentVolumeSource,
  validatePersistentVolumeSource,
} from './persistent-volume-source.ts'

const { shape } = home('core/v1')

/** Nodes from which a persistent volume is accessible. */
export class VolumeNodeAffinity extends shape({
  /**
   * Node selector that a node must match. Pods that use the volume are only scheduled on such
   * nodes. Required.
   */
  required: t.object(1, NodeSelector).explicit(),
}) {}

/** Storage asset, capacity and usage rules of a persistent volume. */
export class PersistentVolumeSpec extends shape({
  /**
   * Capacity of the volume. The only resource is `storage`; it is required and must be positive.
   */
  capacity: t.map(1, 'quantity'),
  /** Storage asset of the volume. Immutable. */
  persistentVolumeSource: t.inline(2, PersistentVolumeSource),
  /**
   * Access modes that the volume supports: `ReadWriteOnce` (one node), `ReadOnlyMany`,
   * `ReadWriteMany` or, with the feature gate `ReadWriteOncePod`, `ReadWriteOncePod` (one pod). At
   * least one is required.
   */
  accessModes: t.list(3, ACCESS_MODES),
  /** Claim that the volume is bound to. Set on binding; users can set it to reserve the volume. */
  claimRef: t.object(4, ObjectReference).explicit(),
  /**
   * What happens to the volume after its claim is deleted: `Retain` keeps it, `Delete` removes the
   * storage asset, `Recycle` (deprecated) scrubs it for reuse. Defaults to `Retain`.
   */
  persistentVolumeReclaimPolicy: t.string(5).oneOf('Delete', 'Recycle', 'Retain'),
  /**
   * Storage class of the volume. Only claims for the same class are bound to it; empty means no
   * class.
   */
  storageClassName: t.string(6),
  /**
   * Mount options of the volume, for example `ro`. They are not validated; an invalid option makes
   * the mount fail.
   */
  mountOptions: t.list(7, 'string'),
  /**
   * Whether the volume is mounted as `Filesystem` or attached as a raw `Block` device. Defaults to
   * `Filesystem`. Immutable.
   */
  volumeMode: t.string(8).explicit().oneOf('Block', 'Filesystem'),
  /** Nodes from which the volume is accessible. Unset means all nodes. Immutable once set. */
  nodeAffinity: t.object(9, VolumeNodeAffinity).explicit(),
}) {}

/** Context of the spec: a persistent volume, or a volume attachment, which allows less. */
export interface PersistentVolumeSpecOptions {
  readonly inline: boolean
  /** The stored spec; rules that it already violates are relaxed. */
  readonly old?: PersistentVolumeSpec | undefined
}

const NOT_INLINE = 'may not be specified in the context of inline volumes'

/** Validates a persistent volume's spec; reports to `errors`. */
export function validatePersistentVolumeSpec(
  spec: PersistentVolumeSpec,
  pvName: string,
  errors: FieldErrors,
  c: HookContext,
  options: PersistentVolumeSpecOptions,
): void {
  const { inline, old } = options
  const { nodeAffinity } = spec
  const modes = errors.at('accessModes')
  if (inline) validateInline(spec, errors)
  if (!spec.accessModes?.length) modes.required()
  validateAccessModes(spec.accessModes, modes, c, old?.accessModes)
  if (!inline) validateCapacity(spec.capacity, errors.at('capacity'))
  if (nodeAffinity) validateNodeAffinity(nodeAffinity, errors.at('nodeAffinity'))
  validatePersistentVolumeSource(spec, errors, {
    c,
    name: pvName,
    hasNodeAffinity: nodeAffinity !== undefined,
    errors,
    old,
  })
  validateRecycle(spec, errors.at('persistentVolumeReclaimPolicy'))
  if (!inline) validateClassName(spec.storageClassName, errors.at('storageClassName'))
}

/** A volume attachment requires a CSI source and rejects some fields. */
function validateInline(spec: PersistentVolumeSpec, errors: FieldErrors): void {
  if (spec.claimRef) errors.at('claimRef').forbidden(NOT_INLINE)
  if (Object.keys(spec.capacity ?? {}).length > 0) errors.at('capacity').forbidden(NOT_INLINE)
  if (!spec.csi) errors.at('csi').required('has to be specified in the context of inline volumes')
  if ((spec.persistentVolumeReclaimPolicy ?? 'Retain') !== 'Retain') {
    errors
      .at('persistentVolumeReclaimPolicy')
      .forbidden('may only be Retain in the context of inline volumes')
  }
  if (spec.nodeAffinity) errors.at('nodeAffinity').forbidden(NOT_INLINE)
  if ((spec.storageClassName ?? '') !== '') errors.at('storageClassName').forbidden(NOT_INLINE)
  if (spec.volumeMode === 'Block') {
    errors
      .at('volumeMode')
      .forbidden(
        'may not specify volumeMode other than Filesystem in the context of inline volumes',
      )
  }
}

function validateCapacity(capacity: ResourceList = {}, errors: FieldErrors): void {
  const names = Object.keys(capacity)
  if (names.length === 0) errors.required()
  else if (names.length > 1 || names[0] !== 'storage') errors.notSupported(capacity, ['storage'])
  for (const [name, text] of Object.entries(capacity)) {
    const at = errors.key(name)
    const amount = parseQuantity(text)
    if (sign(amount) < 0) at.invalid(integerValue(amount), 'must be a valid resource quantity')
    if (sign(amount) <= 0) at.invalid(text, 'must be greater than zero')
  }
}

function validateNodeAffinity({ required }: VolumeNodeAffinity, errors: FieldErrors): void {
  const at = errors.at('required')
  if (required) validateNodeSelector(required, at)
  else at.required('must specify required node constraints')
}

/** Recycling must not wipe the root of a node. */
function validateRecycle(spec: PersistentVolumeSpec, errors: FieldErrors): void {
  const path = spec.hostPath?.path ?? ''
  if (spec.persistentVolumeReclaimPolicy === 'Recycle' && path !== '' && normalize(path) === '/') {
    errors.forbidden("may not be 'recycle' for a hostPath mount of '/'")
  }
}

/**
 * Drops the fields whose gate is off, unless the stored spec (null on create) uses them. Changes the
 * spec.
 */
export function dropGatedVolumeFields(
  spec: PersistentVolumeSpec,
  old: PersistentVolumeSpec | null,
  c: HookContext,
): void {
  if (spec.csi && !old?.csi?.nodeExpandSecretRef && !c.gate('CSINodeExpandSecret')) {
    delete spec.csi.nodeExpandSecretRef
  }
}
