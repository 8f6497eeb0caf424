import type { FieldErrors } from '../../../meta/field-errors.ts'
import { home, t } from '../../../notation/shape.ts'
import { needFileMode, needFilePath, needText } from './paths.ts'

const { shape } = home('core/v1')

/** Maps a key of a config map or secret to a path in a volume. */
export class KeyToPath extends shape({
  /** Key of the entry to project. Required. */
  key: t.string(1).required(),
  /** Relative path of the file inside the volume, without `..`. Required. */
  path: t.string(2).required(),
  /**
   * Permission bits of the file, 0 to 511 (octal 0777). Unset means `defaultMode` of the volume.
   */
  mode: t.int32(3).explicit(),
}) {}

/** Validates a list of entries; reports to `errors`. */
export function validateItems(items: readonly KeyToPath[] | undefined, errors: FieldErrors): void {
  items?.forEach((item, i) => {
    const at = errors.at(i)
    needText(item.key, at.at('key'))
    needText(item.path, at.at('path'))
    needFilePath(item.path, at.at('path'))
    needFileMode(item.mode, at.at('mode'))
  })
}
