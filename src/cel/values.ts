/** Values that are no value of the engine: maps, objects, types, optionals and those of libraries. */
import { amountOf, comparableAmounts, Double, isInt, Uint } from './numbers.ts'
import { Span, Time } from './time-value.ts'

/** What a key is found by. */
export type Key = string | number | bigint | boolean

/** What a value is found by in a map; undefined for one that is no key. An integer finds all that equal it. */
export function keyOf(value: unknown): Key | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'number':
    case 'bigint':
      return value
    default: {
      const amount = amountOf(value)
      return typeof amount === 'number' && !Number.isSafeInteger(amount) ? undefined : amount
    }
  }
}

/** A map. */
export abstract class MapValue {
  /** Number of entries. */
  abstract readonly size: number
  /** The value of a key; undefined without one. */
  abstract get(key: unknown): unknown
  /** All keys, in order. */
  abstract keys(): readonly unknown[]
}

/** A map that an expression made. */
export class EntryMap extends MapValue {
  readonly #entries: ReadonlyMap<Key, readonly [key: unknown, value: unknown]>

  constructor(entries: ReadonlyMap<Key, readonly [key: unknown, value: unknown]>) {
    super()
    this.#entries = entries
  }

  /** A map of entries with texts as keys. */
  static ofTexts(entries: Iterable<readonly [string, unknown]>): EntryMap {
    return new EntryMap(new Map([...entries].map((entry) => [entry[0], entry])))
  }

  override get size(): number {
    return this.#entries.size
  }

  override get(key: unknown): unknown {
    const known = keyOf(key)
    return known === undefined ? undefined : this.#entries.get(known)?.[1]
  }

  override keys(): readonly unknown[] {
    return Array.from(this.#entries.values(), ([key]) => key)
  }
}

/** A map of JSON, whose values become values of expressions on first access. */
export class JsonMap extends MapValue {
  readonly #json: Readonly<Record<string, unknown>>
  readonly #convert: (json: unknown) => unknown
  readonly #converted = new Map<string, unknown>()
  #keys: readonly string[] | null = null

  constructor(json: Readonly<Record<string, unknown>>, convert: (json: unknown) => unknown) {
    super()
    this.#json = json
    this.#convert = convert
  }

  override get size(): number {
    return this.keys().length
  }

  override get(key: unknown): unknown {
    if (typeof key !== 'string' || !Object.hasOwn(this.#json, key)) return undefined
    let value = this.#converted.get(key)
    if (value === undefined) {
      value = this.#convert(this.#json[key])
      this.#converted.set(key, value)
    }
    return value
  }

  override keys(): readonly string[] {
    return (this.#keys ??= Object.keys(this.#json))
  }
}

/** A field of objects: its name in JSON, and how its value is converted. */
export interface FieldForm {
  readonly index: number
  readonly name: string
  readonly convert: (json: unknown) => unknown
}

/** What objects of a type have in common. */
export interface ObjectForm {
  readonly typeName: string
  /** Fields by their names in expressions. */
  readonly fields: ReadonlyMap<string, FieldForm>
}

/** An object, whose fields become values of expressions on first access. */
export class ObjectValue {
  readonly form: ObjectForm
  readonly #json: Readonly<Record<string, unknown>>
  #values: unknown[] | null = null

  constructor(form: ObjectForm, json: Readonly<Record<string, unknown>>) {
    this.form = form
    this.#json = json
  }

  /** The value of a field; undefined where it is absent or null. */
  read({ index, name, convert }: FieldForm): unknown {
    const known = this.#values?.[index]
    if (known !== undefined) return known
    const json = Object.hasOwn(this.#json, name) ? this.#json[name] : undefined
    if (json === undefined || json === null) return undefined
    const value = convert(json)
    if (typeof value === 'object') (this.#values ??= [])[index] = value
    return value
  }

  /** The value of a field by its name in expressions; undefined without one. */
  get(name: string): unknown {
    const field = this.form.fields.get(name)
    return field && this.read(field)
  }

  /** All fields that are there. */
  entries(): ReadonlyMap<string, unknown> {
    const all = new Map<string, unknown>()
    for (const [name, field] of this.form.fields) {
      const value = this.read(field)
      if (value !== undefined) all.set(name, value)
    }
    return all
  }
}

/** A type as a value. */
export class TypeValue {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** A value that may be absent. */
export class OptionalValue {
  /** Undefined without one. */
  readonly value: unknown
  constructor(value: unknown) {
    this.value = value
  }

  /** The optional of no value. */
  static readonly NONE = new OptionalValue(undefined)
}

/** A value of a library. */
export abstract class LibraryValue {
  /** Name of its type. */
  abstract readonly typeName: string
  /** Whether another value of the type is equal. */
  abstract equals(other: this): boolean
}

/** The name of the type of a value. */
export function typeNameOf(value: unknown): string {
  if (value === null) return 'null_type'
  switch (typeof value) {
    case 'boolean':
      return 'bool'
    case 'string':
      return 'string'
    case 'number':
    case 'bigint':
      return 'int'
    default:
      return objectTypeName(value)
  }
}

function objectTypeName(value: unknown): string {
  if (Array.isArray(value)) return 'list'
  if (value instanceof MapValue) return 'map'
  if (value instanceof ObjectValue) return value.form.typeName
  if (value instanceof Double) return 'double'
  if (value instanceof Uint) return 'uint'
  if (value instanceof Uint8Array) return 'bytes'
  if (value instanceof Time) return 'google.protobuf.Timestamp'
  if (value instanceof Span) return 'google.protobuf.Duration'
  if (value instanceof TypeValue) return 'type'
  if (value instanceof OptionalValue) return 'optional_type'
  return value instanceof LibraryValue ? value.typeName : ''
}

/** Number of characters, bytes, items or entries; 1 for other values. Characters of two units count twice. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length
  return value instanceof MapValue ? value.size : 1
}

/** Number of characters of a text. */
export function lengthOf(text: string): number {
  let length = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    // The second unit of a character.
    if (unit >= 0xdc00 && unit <= 0xdfff) length--
  }
  return length
}

/** Below zero where the first value comes before the second, NaN where they have no order. */
export function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b)
  if (isInt(a) && isInt(b)) return a < b ? -1 : Number(a > b)
  const amounts = comparableAmounts(a, b)
  if (amounts) {
    const [left, right] = amounts
    if (left < right) return -1
    return left > right ? 1 : left == right ? 0 : NaN
  }
  if (a instanceof Time && b instanceof Time) return a.seconds - b.seconds || a.nanos - b.nanos
  if (a instanceof Span && b instanceof Span) return compareValues(a.nanoseconds, b.nanoseconds)
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b)
  return typeof a === 'boolean' && typeof b === 'boolean' ? Number(a) - Number(b) : NaN
}

const HIGH = /[\ud800-\uffff]/

/** Orders texts by their characters. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0
  // Units are ordered as characters are, unless both texts have such that take two.
  if (!HIGH.test(a) || !HIGH.test(b)) return a < b ? -1 : 1
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
