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

/**
 * A file with information about the pod. Exactly one of `fieldRef` and `resourceFieldRef` must be
 * set.
 */
export class DownwardAPIVolumeFile extends shape({
  /** Relative path of the file inside the volume, without `..`. Required. */
  path: t.string(1).required(),
  /** Field of the pod: its name, namespace, uid, labels or annotations. */
  fieldRef: t.object(2, ObjectFieldSelector).explicit(),
  /** Resource limit or request of a container of the pod. `containerName` is required. */
  resourceFieldRef: t.object(3, ResourceFieldSelector).explicit(),
  /**
   * Permission bits of the file, 0 to 511 (octal 0777). Unset means `defaultMode` of the volume.
   */
  mode: t.int32(4).explicit(),
}) {}

/** A volume of files with information about the pod. */
export class DownwardAPIVolumeSource extends shape({
  /** Files of the volume. Their content follows changes of the pod. */
  items: t.list(1, DownwardAPIVolumeFile),
  /**
   * Permission bits of files without a `mode`, 0 to 511 (octal 0777). Defaults to 420 (octal 0644).
   */
  defaultMode: t.int32(2).explicit().default(0o644),
}) {}

/** Files with information about the pod in a projected volume. */
export class DownwardAPIProjection extends shape({
  /** Files to create. Their content follows changes of the pod. */
  items: t.list(1, DownwardAPIVolumeFile),
}) {}

/** Validates the files; reports to `errors`. As in the reference, paths have no index. */
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

/** Validates a downward API volume; reports to `errors`. */
export function validateDownwardApi(
  source: DownwardAPIVolumeSource,
  errors: FieldErrors,
  c: HookContext,
): void {
  needFileMode(source.defaultMode, errors.at('defaultMode'))
  validateDownwardFiles(source.items, errors, c)
}
