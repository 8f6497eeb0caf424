/** Declared types as the checker knows them. */
import type { DeclaredType, ObjectType } from './declared-type.ts'
import { unescapedName } from './field-names.ts'
import * as types from './type.ts'
import type { FieldTypes, Type } from './type.ts'

const SCALARS = {
  bool: types.BOOL,
  int: types.INT,
  double: types.DOUBLE,
  string: types.STRING,
  bytes: types.BYTES,
  timestamp: types.TIMESTAMP,
  duration: types.DURATION,
  dyn: types.DYN,
}

/** Types for the checker, made when they are met first. */
export class DeclaredTypes {
  readonly #known = new Map<DeclaredType, Type>()

  /** The type for the checker. */
  of(type: DeclaredType): Type {
    let known = this.#known.get(type)
    if (!known) this.#known.set(type, (known = this.#make(type)))
    return known
  }

  #make(type: DeclaredType): Type {
    switch (type.is) {
      case 'list':
        return types.listOf(this.of(type.of))
      case 'map':
        return types.mapOf(types.STRING, this.of(type.of))
      case 'object':
        return types.objectType('object', this.#fieldsOf(type))
      default:
        return SCALARS[type.is]
    }
  }

  #fieldsOf({ fields }: ObjectType): FieldTypes {
    return {
      get: (written) => {
        const name = unescapedName(written, fields)
        const field = name === undefined ? undefined : fields.get(name)
        return field && this.of(field.type)
      },
    }
  }
}
