import { parseQuantity } from '../../base/quantity.ts'
import { Fault } from '../base/faults.ts'
import { JsonPath, JsonPathFault, relaxedPath } from './json-path.ts'

/** Items in the order of a field of their objects; those without it come first. */
export function sortedBy<T>(
  items: readonly T[],
  field: string,
  objectOf: (item: T) => unknown,
): T[] {
  let path: JsonPath
  try {
    path = new JsonPath(relaxedPath(field))
  } catch (error) {
    throw error instanceof JsonPathFault ? new Fault(`error: ${error.message}`) : error
  }
  const keyed = items.map((item) => ({ item, key: path.values(objectOf(item))[0]?.[0] }))
  if (items.length > 0 && keyed.every(({ key }) => key === undefined)) {
    throw new Fault(
      `error: couldn't find any field with path ${JSON.stringify(relaxedPath(field))} in the list of objects`,
    )
  }
  return keyed.sort((a, b) => compare(a.key, b.key)).map(({ item }) => item)
}

function compare(a: unknown, b: unknown): number {
  if (a === b) return 0
  if (a === undefined || a === null) return -1
  if (b === undefined || b === null) return 1
  if (typeof a === 'string' && typeof b === 'string') {
    const [x, y] = [quantityOf(a), quantityOf(b)]
    if (x !== null && y !== null) return x < y ? -1 : x > y ? 1 : 0
    return natural(a, b)
  }
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : 0
  return natural(String(a), String(b))
}

const isNumber = (value: unknown): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint'

function quantityOf(text: string): number | null {
  try {
    return Number(parseQuantity(text).nanos)
  } catch {
    return null
  }
}

/** Digits within a text count as numbers. */
function natural(a: string, b: string): number {
  const [x, y] = [a, b].map((text) => text.match(/\d+|\D+/g) ?? [])
  for (let i = 0; i < Math.min(x!.length, y!.length); i++) {
    const [left, right] = [x![i]!, y![i]!]
    if (left === right) continue
    const areNumbers = /^\d/.test(left) && /^\d/.test(right)
    if (areNumbers && Number(left) !== Number(right)) return Number(left) - Number(right)
    return left < right ? -1 : 1
  }
  return x!.length - y!.length
}
