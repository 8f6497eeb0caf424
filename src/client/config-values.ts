/** Reads members of a client configuration. Errors name the member and never contain its value. */

export type ConfigMap = Readonly<Record<string, unknown>>

/** A mandatory map. */
export function mapOf(value: unknown, what: string): ConfigMap {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`${what} is not a map`)
  }
  // Members are read by own name only, below.
  return value as ConfigMap
}

/** A member under its own name; absent when null. */
export const memberOf = (map: ConfigMap, key: string): unknown =>
  Object.hasOwn(map, key) ? (map[key] ?? undefined) : undefined

/** A text; absent when empty. */
export function textOf(map: ConfigMap, key: string): string | undefined {
  const value = memberOf(map, key)
  if (value === undefined || value === '') return undefined
  if (typeof value !== 'string') throw new Error(`${key} is not a string`)
  return value
}

/** A yes or no; no when absent. */
export function flagOf(map: ConfigMap, key: string): boolean {
  const value = memberOf(map, key) ?? false
  if (typeof value !== 'boolean') throw new Error(`${key} is not true or false`)
  return value
}

/** The items of a list; none when absent. */
export function listOf(map: ConfigMap, key: string): readonly unknown[] {
  const value = memberOf(map, key) ?? []
  if (!Array.isArray(value)) throw new Error(`${key} is not a list`)
  return value
}

/** A list of texts; empty when absent. */
export function textsOf(map: ConfigMap, key: string): readonly string[] {
  return listOf(map, key).map((item) => {
    if (typeof item !== 'string') throw new Error(`${key} is not a list of strings`)
    return item
  })
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Text in base64, white space left out. */
export function dataOf(map: ConfigMap, key: string): string | undefined {
  const text = textOf(map, key)?.replace(/\s+/g, '')
  if (text === undefined) return undefined
  if (!BASE64.test(text) || text.length % 4 !== 0) throw new Error(`${key} is not base64`)
  return Buffer.from(text, 'base64').toString('utf8')
}
