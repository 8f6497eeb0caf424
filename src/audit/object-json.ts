/** Objects of requests and responses on one line, as events contain them. */
import { formatJson, parseJson, parseJsonStrictly } from '../codec/json-text.ts'

const MANAGED = '"managedFields"'

/**
 * What a client sent, without whitespace and, if that is wanted, without `managedFields`; null when it is not JSON, or has
 * more values than a document may have. It is
 * always parsed: a body that only looks like JSON could pretend to be other members of the event.
 */
export function sentJson(json: Buffer, omitManagedFields: boolean): string | null {
  let value: unknown
  try {
    value = parseJsonStrictly(json)
  } catch {
    return null
  }
  if (omitManagedFields) strip(value)
  return formatJson(value)
}

/** The same for JSON of this server, which has no whitespace. */
export function madeJson(json: Buffer, omitManagedFields: boolean): string {
  if (!omitManagedFields || !json.includes(MANAGED)) return json.toString('utf8')
  const value = parseJson(json)
  strip(value)
  return formatJson(value)
}

function strip(value: unknown): void {
  if (!isObject(value)) return
  dropFields(value)
  const { items } = value
  if (Array.isArray(items)) for (const item of items) if (isObject(item)) dropFields(item)
}

function dropFields({ metadata }: Readonly<Record<string, unknown>>): void {
  if (isObject(metadata)) delete metadata['managedFields']
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
