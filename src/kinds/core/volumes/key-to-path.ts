import type { FieldErrors } from '../../../meta/field-errors.ts'
import { home, t } from '../../../notation/shape.ts'
import { needFileMode, needFilePath, needText } from './paths.ts'

const { shape } = home('core/v1')

/** Puts one key of a config map or secret at a path in the volume. */
export class KeyToPath extends shape({
  /** Key of the entry. */
  key: t.string(1).required(),
  /** Where its file goes: relative, without `..`. */
  path: t.string(2).required(),
  /** Mode bits of the file, 0 to 511; those of the volume when absent. */
  mode: t.int32(3).explicit(),
}) {}

/** Rules of a list of entries, at `errors`. */
export function validateItems(items: readonly KeyToPath[] | undefined, errors: FieldErrors): void {
  items?.forEach((item, i) => {
    const at = errors.at(i)
    needText(item.key, at.at('key'))
    needText(item.path, at.at('path'))
    needFilePath(item.path, at.at('path'))
    needFileMode(item.mode, at.at('mode'))
  })
}
