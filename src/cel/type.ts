/** Types of the expression language, as its checker knows them. */

/** What a type is, regardless of its parameters. */
export type TypeKind =
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'null'
  | 'timestamp'
  | 'duration'
  | 'dyn'
  | 'error'
  | 'list'
  | 'map'
  | 'object'
  | 'opaque'
  | 'type'
  | 'param'

/** A type. */
export interface Type {
  readonly kind: TypeKind
  /** Name of an object, of a type of a library, or of a parameter. */
  readonly name: string
  /** Types inside: items, keys and values, parameters. */
  readonly of: readonly Type[]
  /** Types of the fields of an object, by their names in expressions. */
  readonly fields?: FieldTypes
}

/** Finds the type of a field. */
export interface FieldTypes {
  get(name: string): Type | undefined
}

const plain = (kind: TypeKind): Type => ({ kind, name: kind, of: [] })

export const BOOL = plain('bool')
export const INT = plain('int')
export const UINT = plain('uint')
export const DOUBLE = plain('double')
export const STRING = plain('string')
export const BYTES = plain('bytes')
export const NULL = plain('null')
export const TIMESTAMP = plain('timestamp')
export const DURATION = plain('duration')
/** Known at run time only. */
export const DYN = plain('dyn')
/** Of something that has an error, which is not reported again. */
export const ERROR = plain('error')

/** A list of items of a type. */
export const listOf = (item: Type): Type => ({ kind: 'list', name: 'list', of: [item] })

/** A map. */
export const mapOf = (key: Type, value: Type): Type => ({
  kind: 'map',
  name: 'map',
  of: [key, value],
})

/** The type of a type. */
export const typeOfType = (of?: Type): Type => ({ kind: 'type', name: 'type', of: of ? [of] : [] })

/** A type parameter of a function. */
export const param = (name: string): Type => ({ kind: 'param', name, of: [] })

/** A type of a library. */
export const opaque = (name: string, ...of: readonly Type[]): Type => ({ kind: 'opaque', name, of })

/** An object with declared fields. */
export const objectType = (name: string, fields: FieldTypes): Type => ({
  kind: 'object',
  name,
  of: [],
  fields,
})

/** The optional type that libraries of later releases have. */
const OPTIONAL_NAME = 'optional_type'

/** An optional value. */
export const optionalOf = (of: Type): Type => opaque(OPTIONAL_NAME, of)

/** Whether a type is that of optional values. */
export const isOptional = (type: Type): boolean =>
  type.kind === 'opaque' && type.name === OPTIONAL_NAME

/** Whether nothing is known of values of the type, so that nothing is checked. */
export const isDynOrError = ({ kind }: Type): boolean => kind === 'dyn' || kind === 'error'

/** Whether two types are the same. */
export function sameType(a: Type, b: Type): boolean {
  if (a === b) return true
  if (a.kind === 'object') return a.fields === b.fields
  if (a.kind !== b.kind || a.name !== b.name || a.of.length !== b.of.length) return false
  return a.of.every((one, i) => sameType(one, b.of[i]!))
}

/** A type as it is written in messages. */
export function formatType(type: Type): string {
  if (type.kind === 'error') return '!error!'
  if (type.of.length === 0) return type.name
  return `${type.name}(${type.of.map(formatType).join(', ')})`
}

/** A call as it is written in messages: `(a, b)`, or `a.(b)` for a function of a value. */
export function formatCall(types: readonly Type[], isMember: boolean): string {
  const names = types.map(formatType)
  return isMember ? `${names[0]}.(${names.slice(1).join(', ')})` : `(${names.join(', ')})`
}
