/** A scalar value. `dyn` is an integer or a string, known only at run time. */
export interface ScalarType {
  readonly is: 'bool' | 'int' | 'double' | 'string' | 'bytes' | 'timestamp' | 'duration' | 'dyn'
  /** Maximum length in bytes; 0 for values without a length. */
  readonly max: number
  /** The fewest bytes that a value takes in JSON. */
  readonly least: number
}

/** How lists are compared and joined: by place, as sets, or by the values of keys. */
export type ListMerge =
  | { readonly by: 'place' }
  | { readonly by: 'value' }
  | { readonly by: 'keys'; readonly keys: readonly string[] }

/** A list of at most `max` items. */
export interface ListType {
  readonly is: 'list'
  readonly of: DeclaredType
  readonly max: number
  readonly merge: ListMerge
}

/** A map with texts as keys and at most `max` entries. */
export interface MapType {
  readonly is: 'map'
  readonly of: DeclaredType
  readonly max: number
}

/** An object with declared fields, named as in JSON. */
export interface ObjectType {
  readonly is: 'object'
  readonly fields: ReadonlyMap<string, FieldType>
}

/** A field; one that is required and has no default takes space in every object. */
export interface FieldType {
  readonly type: DeclaredType
  readonly takesSpace: boolean
}

/** Type of a value, as far as expressions may know it. */
export type DeclaredType = ScalarType | ListType | MapType | ObjectType

/** Bytes of the greatest request, which bounds everything that declares no bound. */
const REQUEST_BYTES = 3 * 1024 * 1024

// Delimiters of any list, map or string: brackets or quotes.
const INSIDE = REQUEST_BYTES - 2

// A character takes up to four bytes.
const CHARACTER_BYTES = 4

/** The fewest bytes that a value takes in JSON. */
function leastBytes(type: DeclaredType): number {
  if (type.is === 'list' || type.is === 'map') return 2
  if (type.is !== 'object') return type.least
  let bytes = 2
  for (const [name, field] of type.fields) {
    // Quotes, a colon and a comma.
    if (field.takesSpace) bytes += name.length + leastBytes(field.type) + 4
  }
  return bytes
}

/** A value without length. */
export const scalar = (is: 'bool' | 'int' | 'double'): ScalarType => ({
  is,
  max: 0,
  least: is === 'bool' ? 4 : 1,
})

/** A text of at most `maxLength` characters. */
export const text = (maxLength?: number): ScalarType => ({
  is: 'string',
  max: maxLength === undefined ? INSIDE : Math.max(0, maxLength) * CHARACTER_BYTES,
  least: 2,
})

/** Bytes that are written as a text of at most `maxLength` characters. */
export const bytes = (maxLength?: number): ScalarType => ({
  is: 'bytes',
  max: maxLength === undefined ? INSIDE : Math.max(0, maxLength),
  least: 2,
})

/** An integer or a text. */
export const INT_OR_TEXT: ScalarType = { is: 'dyn', max: INSIDE, least: 1 }

/** A span, a date, and a date with a time, as texts in quotes. */
export const SPAN: ScalarType = { is: 'duration', max: 32, least: 3 }
export const DATE: ScalarType = { is: 'timestamp', max: 12, least: 12 }
export const TIME: ScalarType = { is: 'timestamp', max: 32, least: 21 }

/** A list; without `maxItems` as many as a request holds. */
export function list(of: DeclaredType, maxItems?: number, merge: ListMerge = PLACES): ListType {
  const max = maxItems ?? Math.floor(INSIDE / (leastBytes(of) + 1))
  return { is: 'list', of, max: Math.max(0, max), merge }
}

const PLACES: ListMerge = { by: 'place' }

/** A map; without `maxProperties` as many entries as a request holds. */
export function map(of: DeclaredType, maxProperties?: number): MapType {
  // An empty key in quotes, a colon, a comma and the quotes of the next.
  const max = maxProperties ?? Math.floor(INSIDE / (leastBytes(of) + 6))
  return { is: 'map', of, max: Math.max(0, max) }
}

/** How often a value can be in one request. */
export const mostInRequest = (type: DeclaredType): number =>
  Math.floor(REQUEST_BYTES / (leastBytes(type) + 1))
