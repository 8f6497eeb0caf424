import { parseDuration } from '../base/duration.ts'
import { parseTime } from '../base/time.ts'
import type { DeclaredType, ObjectType } from './declared-type.ts'
import { durations } from './engine.ts'
import type { LazyObject } from './lazy-object.ts'
import { markList } from './same-value.ts'

/** Registration of an object type with the library. */
export interface ObjectForm {
  /** Its class. */
  readonly ctor: new (...args: ConstructorParameters<typeof LazyObject>) => LazyObject
  /** Its fields by their names in expressions. */
  readonly fields: ReadonlyMap<string, { readonly name: string; readonly type: DeclaredType }>
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Converts a JSON value for expressions. A value that does not fit its type stays as it is, so that they fail on it.
 */
export function celValue(
  value: unknown,
  type: DeclaredType,
  formOf: (type: ObjectType) => ObjectForm,
): unknown {
  if (type.is === 'list' && Array.isArray(value)) {
    const items = value.map((item) => celValue(item, type.of, formOf))
    markList(items, type.merge)
    return items
  }
  if (type.is === 'map' && isRecord(value)) {
    return new Map(Object.entries(value).map(([key, one]) => [key, celValue(one, type.of, formOf)]))
  }
  if (type.is === 'object' && isRecord(value)) {
    const { ctor, fields } = formOf(type)
    const read = (escaped: string) => {
      const field = fields.get(escaped)
      const inside = field && Object.hasOwn(value, field.name) ? value[field.name] : null
      // A field that is null counts as absent.
      if (!field || inside === null || inside === undefined) return undefined
      return celValue(inside, field.type, formOf)
    }
    return new ctor(read, () => fields.keys())
  }
  return scalarValue(value, type.is)
}

function scalarValue(value: unknown, is: DeclaredType['is']): unknown {
  if (typeof value === 'number') {
    return is !== 'double' && Number.isInteger(value) ? BigInt(value) : value
  }
  if (typeof value !== 'string') return plainValue(value)
  try {
    if (is === 'timestamp') {
      return new Date(parseTime(/^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00:00Z` : value))
    }
    if (is === 'duration') return durations()(parseDuration(value))
  } catch {
    return value
  }
  return is === 'bytes' ? new Uint8Array(Buffer.from(value, 'base64')) : value
}

/** A value of no declared type. */
function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainValue)
  if (isRecord(value)) {
    return new Map(Object.entries(value).map(([key, one]) => [key, plainValue(one)]))
  }
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value
}
