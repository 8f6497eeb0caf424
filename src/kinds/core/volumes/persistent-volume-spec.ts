import type { FieldErrors } from '../../../schema/field-errors.ts'
import type { HookContext } from '../../../schema/resource.ts'
import { home, t } from '../../../schema/shape.ts'
import { NodeSelector } from '../node-selector.ts'
import { ObjectReference } from '../object-reference.ts'
import { ACCESS_MODES } from './access-modes.ts'
import { PersistentVolumeSource } from './persistent-volume-source.ts'

const { shape } = home('core/v1')

/** The nodes that can reach a volume. */
export class VolumeNodeAffinity extends shape({
  /** Nodes that can; pods that use the volume run on no others. */
  required: t.object(1, NodeSelector).explicit(),
}) {}

/** A piece of storage: where it is, how much it holds and how it may be used. */
export class PersistentVolumeSpec extends shape({
  /** How much it holds: `storage`. */
  capacity: t.map(1, 'quantity'),
  /** Where the data is. */
  persistentVolumeSource: t.inline(2, PersistentVolumeSource),
  /** Ways in which the volume can be mounted; at least one. */
  accessModes: t.list(3, ACCESS_MODES),
  /** Claim that the volume is bound to. */
  claimRef: t.object(4, ObjectReference).explicit(),
  /** What happens to the volume when its claim is gone. */
  persistentVolumeReclaimPolicy: t.string(5).oneOf('Delete', 'Recycle', 'Retain'),
  /** Class that the volume belongs to; empty: none. */
  storageClassName: t.string(6),
  /** Options of the mount, checked only when it is mounted. */
  mountOptions: t.list(7, 'string'),
  /** Whether the volume has a file system or is a raw block device. */
  volumeMode: t.string(8).explicit().oneOf('Block', 'Filesystem'),
  /** Nodes from which the volume can be reached; all when absent. */
  nodeAffinity: t.object(9, VolumeNodeAffinity).explicit(),
}) {}

/** Where the spec stands: by itself, or inside a volume attachment, which allows less. */
export interface PersistentVolumeSpecOptions {
  readonly inline: boolean
  /** The stored spec, which relaxes what it already breaks. */
  readonly old?: PersistentVolumeSpec | undefined
}

/** Rules of a persistent volume's spec, at `errors`. */
export function validatePersistentVolumeSpec(
  spec: PersistentVolumeSpec,
  pvName: string,
  errors: FieldErrors,
  c: HookContext,
  options: PersistentVolumeSpecOptions,
): void {
  void [spec, pvName, errors, c, options]
}
