/** Equality of values, and concatenation of lists that are sets or have keys. */
import type { ListMerge } from './declared-type.ts'
import { amountOf, comparableAmounts } from './numbers.ts'
import { Span, Time } from './time-value.ts'
import { LibraryValue, MapValue, ObjectValue, OptionalValue, TypeValue } from './values.ts'

// How a list is compared and joined, where that is not by place.
const merges = new WeakMap<readonly unknown[], ListMerge>()

/** Gives a list its own comparison and concatenation. */
export function markList(list: readonly unknown[], merge: ListMerge): void {
  if (merge.by !== 'place') merges.set(list, merge)
}

// Values that were looked at since the last time this was read.
let looked = 0

/** How many values were compared since this was called last. */
export function takeLooked(): number {
  const count = looked
  looked = 0
  return count
}

/** Whether two values of expressions are equal. */
export function sameValue(a: unknown, b: unknown): boolean {
  looked++
  if (a === b) return true
  const amounts = comparableAmounts(a, b)
  if (amounts) return amounts[0] == amounts[1]
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) return Array.isArray(b) && sameList(a, b)
  if (a instanceof MapValue) return b instanceof MapValue && sameMap(a, b)
  if (a instanceof ObjectValue) return b instanceof ObjectValue && sameObject(a, b)
  return sameScalar(a, b)
}

function sameScalar(a: object, b: object): boolean {
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0
  if (a instanceof Time) {
    return b instanceof Time && a.seconds === b.seconds && a.nanos === b.nanos
  }
  if (a instanceof Span) return b instanceof Span && a.nanoseconds === b.nanoseconds
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name
  if (a instanceof OptionalValue) {
    if (!(b instanceof OptionalValue)) return false
    if (a.value === undefined || b.value === undefined) return a.value === b.value
    return sameValue(a.value, b.value)
  }
  return a instanceof LibraryValue && a.constructor === b.constructor && a.equals(b as typeof a)
}

function sameMap(a: MapValue, b: MapValue): boolean {
  if (a.size !== b.size) return false
  return a.keys().every((key) => {
    const other = b.get(key)
    return other !== undefined && sameValue(a.get(key), other)
  })
}

function sameObject(a: ObjectValue, b: ObjectValue): boolean {
  const [left, right] = [a.entries(), b.entries()]
  if (left.size !== right.size) return false
  for (const [name, value] of left) {
    const other = right.get(name)
    if (other === undefined || !sameValue(value, other)) return false
  }
  return true
}

function sameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false
  const merge = merges.get(a) ?? merges.get(b)
  if (!merge) return a.every((item, i) => sameValue(item, b[i]))
  const places = placesOf(b, merge)
  return a.every((item) => {
    const at = places(item)
    return at !== undefined && sameValue(item, b[at])
  })
}

const COPIES_PER_LOOK = 20

/** Concatenates two lists by the rules of the left one. */
export function joinLists(a: readonly unknown[], b: readonly unknown[]): unknown[] {
  const merge = merges.get(a)
  // Copying an item is nothing against looking at it.
  looked += Math.ceil((a.length + b.length) / COPIES_PER_LOOK)
  if (!merge) return [...a, ...b]
  const all = [...a]
  const places = placesOf(a, merge)
  for (const item of b) {
    const at = places(item)
    if (at === undefined) all.push(item)
    else if (merge.by === 'keys') all[at] = item
  }
  markList(all, merge)
  return all
}

/** Finds the index of an item with the same identity. */
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
  const valueOf = (key: string) => (item instanceof ObjectValue ? item.get(key) : undefined)
  return merge.keys.map((key) => canonical(valueOf(key))).join()
}

/** A text that is the same for equal values only. */
function canonical(value: unknown): string {
  looked++
  if (typeof value === 'string') return JSON.stringify(value)
  const amount = amountOf(value)
  if (amount !== undefined) return String(amount)
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (value instanceof ObjectValue) return entryTexts(value.entries())
  if (value instanceof MapValue) {
    return entryTexts(value.keys().map((key) => [key, value.get(key)] as const))
  }
  if (value instanceof Uint8Array) return `b${Buffer.from(value).toString('hex')}`
  return `${value instanceof Time ? 't' : ''}${String(value)}`
}

function entryTexts(entries: Iterable<readonly [unknown, unknown]>): string {
  const texts = Array.from(entries, ([key, one]) => `${canonical(key)}:${canonical(one)}`)
  return `{${texts.sort().join()}}`
}
