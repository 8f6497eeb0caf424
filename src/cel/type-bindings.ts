/** Types that are bound to the type parameters of calls, and which types are assignable to others. */
import { DYN, isDynOrError, sameType, type Type } from './type.ts'

// Types whose values may be null.
const NULLABLE: ReadonlySet<string> = new Set(['null', 'object', 'opaque', 'timestamp', 'duration'])

/** Types of type parameters. */
export class TypeBindings {
  readonly #types = new Map<string, Type>()
  /** What the current attempt has replaced: an expression may have tens of thousands of parameters. */
  #replaced: { readonly name: string; readonly type: Type | undefined }[] = []

  /** Whether values of all types fit where the others are expected. Binds parameters only if they do. */
  fitAll(types: readonly Type[], expected: readonly Type[]): boolean {
    this.#replaced = []
    if (types.length === expected.length && types.every((one, i) => this.#fit(one, expected[i]!)))
      return true
    for (const { name, type } of this.#replaced.reverse()) {
      if (type) this.#types.set(name, type)
      else this.#types.delete(name)
    }
    return false
  }

  /** Whether values of a type fit where another is expected. */
  fit(type: Type, expected: Type): boolean {
    return this.fitAll([type], [expected])
  }

  /** The type with its parameters replaced by the bound types; free parameters become dyn if `freeIsDyn`. */
  resolve(type: Type, freeIsDyn: boolean): Type {
    const bound = type.kind === 'param' ? this.#types.get(type.name) : undefined
    if (bound) return this.resolve(bound, freeIsDyn)
    if (type.kind === 'param') return freeIsDyn ? DYN : type
    if (type.of.length === 0) return type
    return { ...type, of: type.of.map((one) => this.resolve(one, freeIsDyn)) }
  }

  #fit(type: Type, expected: Type): boolean {
    if (sameType(type, expected)) return true
    if (expected.kind === 'param') {
      const isKnown = this.#types.has(expected.name)
      if (this.#stands(type, expected)) return true
      if (isKnown) return false
    }
    if (type.kind === 'param') return this.#stands(expected, type)
    if (isDynOrError(type) || isDynOrError(expected)) return true
    if (type.kind === 'null') return NULLABLE.has(expected.kind)
    if (expected.kind === 'null') return NULLABLE.has(type.kind)
    if (type.kind !== expected.kind) return false
    // A type is a type, whatever its values are.
    if (type.kind === 'type') return true
    if (type.kind === 'object') return false
    if (type.name !== expected.name || type.of.length !== expected.of.length) return false
    return type.of.every((one, i) => this.#fit(one, expected.of[i]!))
  }

  /** Whether the type can be bound to a parameter; binds it. */
  #stands(type: Type, parameter: Type): boolean {
    const bound = this.#types.get(parameter.name)
    if (!bound) {
      if (this.#mentions(type, parameter)) return false
      this.#bind(parameter.name, type)
      return true
    }
    if (sameType(type, bound)) return true
    if (!this.#fit(type, bound)) return false
    const general = isAsGeneral(type, bound) ? type : bound
    if (!this.#mentions(general, parameter)) this.#bind(parameter.name, general)
    return true
  }

  #bind(name: string, type: Type): void {
    this.#replaced.push({ name, type: this.#types.get(name) })
    this.#types.set(name, type)
  }

  #mentions(type: Type, parameter: Type): boolean {
    if (type.kind === 'param') {
      if (type.name === parameter.name) return true
      const bound = this.#types.get(type.name)
      return bound !== undefined && this.#mentions(bound, parameter)
    }
    return type.of.some((one) => this.#mentions(one, parameter))
  }
}

/** Whether a type says no more than another. */
export function isAsGeneral(type: Type, other: Type): boolean {
  if (type.kind === 'dyn' || type.kind === 'param') return true
  if (other.kind === 'dyn' || other.kind === 'param') return false
  if (other.kind === 'null') return true
  if (type.kind !== other.kind || type.name !== other.name) return false
  if (type.kind === 'type') return true
  if (type.kind === 'object') return type.fields === other.fields
  return type.of.every((one, i) => isAsGeneral(one, other.of[i]!))
}
