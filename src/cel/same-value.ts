import type { ListMerge } from './declared-type.ts'
import { LazyObject } from './lazy-object.ts'
import { UrlValue } from './url-value.ts'

// How a list is compared and joined, where that is not by place.
const merges = new WeakMap<readonly unknown[], ListMerge>()

/** Gives a list its own comparison and concatenation. */
export function markList(list: readonly unknown[], merge: ListMerge): void {
  if (merge.by !== 'place') merges.set(list, merge)
}

const isNumeric = (value: unknown): value is number | bigint =>
  typeof value === 'bigint' || typeof value === 'number'

// Values that were looked at since the last time this was read.
let looked = 0

/** How many values were compared since this was called last. */
export function takeLooked(): number {
  const count = looked
  looked = 0
  return count
}

/** Whether two values of expressions are equal. */
export function sameCelValue(a: unknown, b: unknown): boolean {
  looked++
  if (a === b) return true
  // An integer equals a double of the same amount.
  if (isNumeric(a) && isNumeric(b)) return a == b
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) && Array.isArray(b)) return sameList(a, b)
  const left = entriesOf(a)
  const right = entriesOf(b)
  if (left && right) {
    if (left.size !== right.size) return false
    for (const [key, value] of left) {
      if (!right.has(key) || !sameCelValue(value, right.get(key))) return false
    }
    return true
  }
  if (a.constructor !== b.constructor) return false
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0
  if (a instanceof UrlValue && b instanceof UrlValue) return a.equals(b)
  return a instanceof Date ? a.getTime() === Number(b) : String(a) === String(b)
}

/** Entries of a map or of an object; maps written in an expression are plain objects. */
function entriesOf(value: object): ReadonlyMap<unknown, unknown> | null {
  if (value instanceof LazyObject) return value.whole()
  if (value instanceof Map) return value
  const plain = Object.getPrototypeOf(value) === Object.prototype
  return plain ? new Map(Object.entries(value)) : null
}

function sameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false
  const merge = merges.get(a) ?? merges.get(b)
  if (!merge) return a.every((item, i) => sameCelValue(item, b[i]))
  const places = placesOf(b, merge)
  return a.every((item) => {
    const at = places(item)
    return at !== undefined && sameCelValue(item, b[at])
  })
}

const COPIES_PER_LOOK = 20

/** Concatenates two lists by the rules of the left one. */
export function joinLists(a: readonly unknown[], b: readonly unknown[]): unknown[] {
  const merge = merges.get(a)
  // Copying an item is nothing against looking at it.
  looked += Math.ceil((a.length + b.length) / COPIES_PER_LOOK)
  const all = [...a]
  if (!merge) return [...all, ...b]
  const places = placesOf(a, merge)
  for (const item of b) {
    const at = places(item)
    if (at === undefined) all.push(item)
    else if (merge.by === 'keys') all[at] = item
  }
  markList(all, merge)
  return all
}

/** Index of an item with the same identity. */
function placesOf(
  items: readonly unknown[],
  merge: ListMerge,
): (item: unknown) => number | undefined {
  const places = new Map<string, number>()
  for (const [i, item] of items.entries()) {
    const text = identity(item, merge)
    if (!places.has(text)) places.set(text, i)
  }
  return (item) => places.get(identity(item, merge))
}

function identity(item: unknown, merge: ListMerge): string {
  if (merge.by !== 'keys') return canonical(item)
  const entries = item instanceof Map ? item : new Map<string, unknown>()
  return merge.keys.map((key) => canonical(entries.get(key))).join()
}

/** A text that is the same for equal values only. */
function canonical(value: unknown): string {
  looked++
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (value instanceof Map) {
    const all = value instanceof LazyObject ? value.whole() : value
    const entries = [...all].map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`)
    return `{${entries.sort().join()}}`
  }
  if (typeof value === 'string') return JSON.stringify(value)
  if (value instanceof Date) return `t${value.getTime()}`
  if (value instanceof Uint8Array) return `b${Buffer.from(value).toString('hex')}`
  return String(value)
}
