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

/** Name of the type of `self` where it has none of its own; the reference ends it with a number that differs each time. */
const SELF_TYPE = 'selfType0'

/** The type of a value for the checker. Types inside of it are made when they are met first. */
export const checkedType = (type: DeclaredType): Type => new DeclaredTypes().of(type, SELF_TYPE)

/** The types inside of one value; objects are named after the way to them, which errors show. */
class DeclaredTypes {
  /** By name: equal declarations in two places are two types. */
  readonly #known = new Map<string, Type>()

  of(type: DeclaredType, name: string): Type {
    let known = this.#known.get(name)
    if (!known) this.#known.set(name, (known = this.#make(type, name)))
    return known
  }

  #make(type: DeclaredType, name: string): Type {
    switch (type.is) {
      case 'list':
        return types.listOf(this.of(type.of, `${name}.@idx`))
      case 'map':
        return types.mapOf(types.STRING, this.of(type.of, `${name}.@elem`))
      case 'object':
        return types.objectType(name, this.#fieldsOf(type, name))
      default:
        return SCALARS[type.is]
    }
  }

  #fieldsOf({ fields }: ObjectType, of: string): FieldTypes {
    return {
      get: (written) => {
        const name = unescapedName(written, fields)
        const field = name === undefined ? undefined : fields.get(name)
        return field && this.of(field.type, `${of}.${written}`)
      },
    }
  }
}
