/** Fields of JSON values by paths that users write. No path reaches what an object inherits. */
import { setOwn } from './json-scanner.ts'
import { formatJson } from './json-text.ts'

type JsonMap = Record<string, unknown>

/** A value that is not what its path is for. */
export class NestedFieldError extends Error {
  override readonly name = 'NestedFieldError'
}

const isMap = (value: unknown): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The integer at a path; undefined when there is none. Throws NestedFieldError. */
export function nestedInteger(object: unknown, path: readonly string[]): number | undefined {
  const value = nestedField(object, path)
  if (value === undefined) return undefined
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'number' && Number.isInteger(value)) return value
  throw unexpected(path, value, 'int64')
}

/** The string at a path; undefined when there is none. Throws NestedFieldError. */
export function nestedString(object: unknown, path: readonly string[]): string | undefined {
  const value = nestedField(object, path)
  if (value === undefined || typeof value === 'string') return value
  throw unexpected(path, value, 'string')
}

function nestedField(object: unknown, path: readonly string[]): unknown {
  let value = object
  for (const [i, name] of path.entries()) {
    if (value === null || value === undefined) return undefined
    if (!isMap(value)) throw unexpected(path.slice(0, i + 1), value, 'map[string]interface{}')
    if (!Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

/** Sets the value at a path, and makes the objects around it. Throws NestedFieldError. */
export function setNestedField(object: JsonMap, path: readonly string[], value: unknown): void {
  let target = object
  for (const [i, name] of path.slice(0, -1).entries()) {
    if (!Object.hasOwn(target, name)) setOwn(target, name, {})
    const next = target[name]
    if (!isMap(next))
      throw new NestedFieldError(
        `value cannot be set because ${written(path.slice(0, i + 1))} is not a map[string]interface{}`,
      )
    target = next
  }
  setOwn(target, path.at(-1)!, value)
}

const written = (path: readonly string[]): string => `.${path.join('.')}`

const unexpected = (path: readonly string[], value: unknown, wanted: string): NestedFieldError =>
  new NestedFieldError(
    `${written(path)} accessor error: ${shown(value)} is of the type ${typeName(value)}, expected ${wanted}`,
  )

const MAX_SHOWN = 1024

function shown(value: unknown): string {
  if (value === null) return '<nil>'
  return (typeof value === 'object' ? formatJson(value) : String(value)).slice(0, MAX_SHOWN)
}

/** The type of a value as clients of the reference know it from its errors. */
function typeName(value: unknown): string {
  if (value === null) return '<nil>'
  if (Array.isArray(value)) return '[]interface {}'
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64'
    case 'bigint':
      return 'int64'
    default:
      return 'map[string]interface {}'
  }
}
