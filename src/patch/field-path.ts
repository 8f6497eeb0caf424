/** The steps by which field ownership names a part of an object. */
import { isObject, type JsonObject } from './json-value.ts'

/**
 * One step into a value: a field or map key by name, an item of a keyed list by its key fields, an item of a set by its
 * value, an item of any list by its place. Steps are the same exactly when their texts are.
 */
export type PathElement = { readonly text: string } & (
  | { readonly is: 'field'; readonly name: string }
  /** Sorted by name. */
  | { readonly is: 'key'; readonly fields: readonly KeyValue[] }
  | { readonly is: 'value'; readonly value: unknown }
  | { readonly is: 'index'; readonly index: number }
)

/** One key field of a list item. */
export type KeyValue = readonly [name: string, value: unknown]

/** From the object inwards. */
export type Path = readonly PathElement[]

/** Steps by name: the same few hundred make up most of all paths. */
const fields = new Map<string, PathElement>()
const MOST_FIELDS = 4_096
const LONGEST_KEPT = 128

/** The step to a field of an object or a key of a map. */
export function fieldElement(name: string): PathElement {
  const known = fields.get(name)
  if (known) return known
  const element: PathElement = { is: 'field', name, text: `f:${name}` }
  if (name.length > LONGEST_KEPT) return element
  // Names of users come and go, and those that are in use are back at once.
  if (fields.size >= MOST_FIELDS) fields.clear()
  fields.set(name, element)
  return element
}

/** The step to the item of a keyed list that has these key fields. */
export function keyElement(fields: readonly KeyValue[]): PathElement {
  const sorted = fields.length < 2 ? fields : fields.toSorted(([a], [b]) => compareText(a, b))
  let members = ''
  for (const [name, value] of sorted) {
    members += `${members === '' ? '' : ','}${valueJson(name)}:${valueJson(value)}`
  }
  return { is: 'key', fields: sorted, text: `k:{${members}}` }
}

/** The step to an item of a set. */
export const valueElement = (value: unknown): PathElement => ({
  is: 'value',
  value,
  text: `v:${valueJson(value)}`,
})

/** The step to an item of a list by its place. */
export const indexElement = (index: number): PathElement => ({
  is: 'index',
  index,
  text: `i:${index}`,
})

const KINDS = ['field', 'key', 'value', 'index'] as const

/** Negative, zero or positive: fields precede keys, keys precede values, values precede places. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a.is === 'field' && b.is === 'field') return compareText(a.name, b.name)
  if (a.is === 'key' && b.is === 'key') return compareKeys(a.fields, b.fields)
  if (a.is === 'value' && b.is === 'value') return compareValues(a.value, b.value)
  if (a.is === 'index' && b.is === 'index') return a.index - b.index
  return KINDS.indexOf(a.is) - KINDS.indexOf(b.is)
}

function compareKeys(a: readonly KeyValue[], b: readonly KeyValue[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareText(a[i]![0], b[i]![0]) || compareValues(a[i]![1], b[i]![1])
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** The order of JSON values: numbers, strings, booleans, lists, objects, null. */
function compareValues(a: unknown, b: unknown): number {
  const rank = rankOf(a)
  if (rank !== rankOf(b)) return rank - rankOf(b)
  // Equal ranks are equal types.
  switch (rank) {
    case 0:
      return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0
    case 1:
      return compareText(a as string, b as string)
    case 2:
      return Number(a) - Number(b)
    case 3:
      return compareLists(a as unknown[], b as unknown[])
    case 4:
      return compareObjects(a as JsonObject, b as JsonObject)
    default:
      return 0
  }
}

function rankOf(value: unknown): number {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return 0
    case 'string':
      return 1
    case 'boolean':
      return 2
    default:
      return Array.isArray(value) ? 3 : isObject(value) ? 4 : 5
  }
}

function compareLists(a: readonly unknown[], b: readonly unknown[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareValues(a[i], b[i])
    if (order !== 0) return order
  }
  return a.length - b.length
}

const compareObjects = (a: JsonObject, b: JsonObject) =>
  compareKeys(sortedEntries(a), sortedEntries(b))

const sortedEntries = (object: JsonObject): KeyValue[] =>
  Object.entries(object).sort(([a], [b]) => compareText(a, b))

// From here on UTF-16 and UTF-8 do not sort alike.
const BEYOND = 0xd800

/** The order of texts by their bytes in UTF-8. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  const shorter = Math.min(a.length, b.length)
  for (let i = 0; i < shorter; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left === right) continue
    if (left < BEYOND && right < BEYOND) return left - right
    return Buffer.compare(Buffer.from(a), Buffer.from(b))
  }
  return a.length - b.length
}

/** Such as `.spec.containers[name="a"].ports[containerPort=80,protocol="TCP"].name`. */
export const pathText = (path: Path): string => path.map(elementText).join('')

/** Such as `.spec`, `[name="a"]`, `[="x"]`, `[0]`. */
export function elementText(element: PathElement): string {
  switch (element.is) {
    case 'field':
      return `.${element.name}`
    case 'key':
      return `[${element.fields.map(([name, value]) => `${name}=${shownValue(value)}`).join(',')}]`
    case 'value':
      return `[=${shownValue(element.value)}]`
    case 'index':
      return `[${element.index}]`
  }
}

/** A value in messages about typed values. */
export function shownValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shownValue).join(',')}]`
  if (isObject(value)) {
    return `{${sortedEntries(value)
      .map(([name, member]) => `${name}=${shownValue(member)}`)
      .join(';')}}`
  }
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}

/** JSON as in the text of a step: keys sorted, and characters that are special in HTML escaped. */
function valueJson(value: unknown): string {
  if (typeof value === 'string' && PLAIN.test(value)) return `"${value}"`
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return `[${value.map(valueJson).join(',')}]`
  if (isObject(value)) {
    return `{${sortedEntries(value)
      .map(([name, member]) => `${valueJson(name)}:${valueJson(member)}`)
      .join(',')}}`
  }
  const text = JSON.stringify(value) ?? 'null'
  if (typeof value !== 'string' || !ESCAPED.test(text)) return text
  return text.replace(ESCAPES, (found) => {
    if (found === '\\b') return '\\u0008'
    if (found === '\\f') return '\\u000c'
    if (found.startsWith('\\')) return found
    return `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

const PLAIN = /^[\w ./:-]*$/
const ESCAPED = /[\\<>&\u2028\u2029]/
const ESCAPES = /\\.|[<>&\u2028\u2029]/g
