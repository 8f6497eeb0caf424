import type { FieldErrors } from '../../../meta/field-errors.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import { home, t } from '../../../notation/shape.ts'
import { needFileMode, needFilePath, needText } from './paths.ts'
import {
  ObjectFieldSelector,
  ResourceFieldSelector,
  VOLUME_FIELDS,
  validateObjectFieldSelector,
  validateResourceFieldSelector,
} from './pod-fields.ts'

const { shape } = home('core/v1')

/** A file with something about the pod; exactly one of the two references is set. */
export class DownwardAPIVolumeFile extends shape({
  /** Where the file goes: relative, without `..`. */
  path: t.string(1).required(),
  /** A field of the pod: its name, namespace, uid, labels or annotations. */
  fieldRef: t.object(2, ObjectFieldSelector).explicit(),
  /** A resource limit or request of a container. */
  resourceFieldRef: t.object(3, ResourceFieldSelector).explicit(),
  /** Mode bits of the file, 0 to 511; those of the volume when absent. */
  mode: t.int32(4).explicit(),
}) {}

/** Files with facts about the pod. */
export class DownwardAPIVolumeSource extends shape({
  /** The files. */
  items: t.list(1, DownwardAPIVolumeFile),
  /** Mode bits of files that name none, 0 to 511. */
  defaultMode: t.int32(2).explicit().default(0o644),
}) {}

/** Files with facts about the pod, inside a projected volume. */
export class DownwardAPIProjection extends shape({
  /** The files. */
  items: t.list(1, DownwardAPIVolumeFile),
}) {}

/** Rules of the files, at `errors`; as in the field, its paths do not tell which file it is. */
export function validateDownwardFiles(
  items: readonly DownwardAPIVolumeFile[] | undefined,
  errors: FieldErrors,
  c: HookContext,
): void {
  for (const file of items ?? []) {
    needText(file.path, errors.at('path'))
    needFilePath(file.path, errors.at('path'))
    if (file.fieldRef) {
      validateObjectFieldSelector(file.fieldRef, VOLUME_FIELDS, errors.at('fieldRef'))
      if (file.resourceFieldRef) {
        errors.invalid(
          'resource',
          'fieldRef and resourceFieldRef can not be specified simultaneously',
        )
      }
    } else if (file.resourceFieldRef) {
      const at = errors.at('resourceFieldRef')
      validateResourceFieldSelector(file.resourceFieldRef, at, c, 'volume')
    } else errors.required('one of fieldRef and resourceFieldRef is required')
    needFileMode(file.mode, errors.at('mode'))
  }
}

/** Rules of a volume of facts about the pod, at `errors`. */
export function validateDownwardApi(
  source: DownwardAPIVolumeSource,
  errors: FieldErrors,
  c: HookContext,
): void {
  needFileMode(source.defaultMode, errors.at('defaultMode'))
  validateDownwardFiles(source.items, errors, c)
}
