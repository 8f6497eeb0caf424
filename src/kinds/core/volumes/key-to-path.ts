import { home, t } from '../../../schema/shape.ts'

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
