import { formatJson } from '../codec/json-text.ts'
import { isObject, type JsonObject } from './json-value.ts'
import { PatchFailed, PatchMismatch } from './patch-errors.ts'
import { itemDirective, noMergeKey, valueText } from './strategic-merge-directives.ts'

/** How two items of a merged list become one, and an item of the patch a new one. */
export interface ItemMerger {
  /** Merge key of the items; null: their value. */
  readonly key: string | null
  merge(live: JsonObject, patch: JsonObject): unknown
  /** undefined: the item is none. */
  add(patch: unknown): unknown
}

/**
 * Merges a list of a patch into the live one: common items are merged, others added. Items of the patch are in its
 * order, the others of the live list among them in theirs. Throws PatchFailed and PatchMismatch.
 */
export function mergeLists(
  live: readonly unknown[],
  patch: readonly unknown[],
  how: ItemMerger,
): readonly unknown[] {
  if (patch.length === 0 && live.length === 0) return live
  if (kindOfItems(live, patch) !== 'object') {
    return inOrder([...new Set([...live, ...patch])], patch, live, null)
  }
  const { key } = how
  if (key === null) throw new PatchMismatch('cannot merge lists without merge key')
  // By their kind, both contain only objects.
  const { kept, replaces, gone } = directed(patch as readonly JsonObject[], key)
  if (replaces) {
    const items = kept.map((item) => how.add(item)) as JsonObject[]
    for (const item of items) identity(item, key)
    return items
  }
  const left = (live as readonly JsonObject[]).filter(
    (item) => gone.size === 0 || !hasKey(item, key) || !gone.has(identity(item, key)),
  )
  const merged: unknown[] = left.slice()
  const places = new Map<string, number>()
  left.forEach((item, i) => {
    const id = identity(item, key)
    if (!places.has(id)) places.set(id, i)
  })
  for (const item of kept) {
    const id = identity(item, key)
    const place = places.get(id)
    if (place === undefined) places.set(id, merged.push(how.add(item)) - 1)
    else merged[place] = how.merge(merged[place] as JsonObject, item)
  }
  return inOrder(merged, kept, left, key)
}

/** Removes the given scalars from a list. Throws PatchFailed and PatchMismatch. */
export function removeScalars(
  live: readonly unknown[],
  gone: readonly unknown[],
): readonly unknown[] {
  if (live.length === 0 || gone.length === 0) return live
  if (kindOfItems(live, gone) === 'object') {
    throw new PatchMismatch('items that are objects cannot be deleted by value')
  }
  const values = new Set(gone)
  return live.filter((item) => !values.has(item))
}

/**
 * Sorts the items that `order` names as it names them; the others keep the order of the live list, each before the
 * first named item that it preceded there. Throws PatchMismatch when an item lacks the key.
 *
 *     items a b c d e, order d b, live a b c d e: a c d b e
 *
 * a and c precede d as they did; b, which preceded them all, has to follow d.
 */
export function inOrder(
  items: readonly unknown[],
  order: readonly unknown[],
  live: readonly unknown[],
  key: string | null,
): readonly unknown[] {
  const wanted = ranks(order, key)
  const present = ranks(live, key)
  const named: { item: unknown; rank: number; was: number | undefined }[] = []
  const others: { item: unknown; was: number | undefined }[] = []
  for (const item of items) {
    const id = identity(item, key)
    const rank = wanted.get(id)
    const was = present.get(id)
    if (rank === undefined) others.push({ item, was })
    else named.push({ item, rank, was })
  }
  named.sort((a, b) => a.rank - b.rank)
  others.sort((a, b) => (a.was ?? 0) - (b.was ?? 0))
  const result: unknown[] = []
  let next = 0
  for (const { item, was } of named) {
    for (let other = others[next]; other && isBefore(other.was, was); other = others[++next])
      result.push(other.item)
    result.push(item)
  }
  return result.concat(others.slice(next).map((other) => other.item))
}

const isBefore = (a: number | undefined, b: number | undefined) =>
  a !== undefined && b !== undefined && a < b

/** Checks that the items of a patch are in the order that it demands, and all listed there. Throws PatchMismatch. */
export function checkOrder(
  patch: readonly unknown[],
  order: readonly unknown[],
  key: string | null,
): void {
  let next = 0
  for (const item of patch) {
    if (isObject(item) && itemDirective(item) !== null) continue
    const id = identity(item, key)
    while (next < order.length && identity(order[next], key) !== id) next++
    if (next++ >= order.length) {
      throw new PatchMismatch(
        `The order in patch list:\n${valueText(patch)}\n doesn't match $setElementOrder list:\n${valueText(order)}\n`,
      )
    }
  }
}

/** The kind of all items. Throws PatchFailed for lists, PatchMismatch when there are several kinds. */
export function kindOfItems(...lists: readonly (readonly unknown[])[]): string | null {
  let kind: string | null = null
  for (const list of lists) {
    for (const item of list) {
      const one = kindName(item)
      if (one === 'slice') throw new PatchFailed('lists of lists are not supported')
      if (one === 'nil' || (kind !== null && kind !== one)) {
        throw new PatchMismatch(`list element types are not identical: ${valueText(list)}`)
      }
      kind = one
    }
  }
  return kind === 'map' ? 'object' : kind
}

/** Name of a value's type in messages. */
export function kindName(value: unknown): string {
  if (value === null || value === undefined) return 'nil'
  if (Array.isArray(value)) return 'slice'
  switch (typeof value) {
    case 'object':
      return 'map'
    case 'boolean':
      return 'bool'
    case 'string':
      return 'string'
    default:
      return Number.isInteger(Number(value)) ? 'int64' : 'float64'
  }
}

/** The ordinary items of a patch, and the directives of the others. Throws PatchMismatch. */
function directed(patch: readonly JsonObject[], key: string) {
  const kept: JsonObject[] = []
  const gone = new Set<string>()
  let replaces = false
  for (const item of patch) {
    const directive = itemDirective(item)
    if (directive === null) kept.push(item)
    else if (directive === 'delete') gone.add(identity(item, key))
    else replaces = true
  }
  return { kept, gone, replaces }
}

const hasKey = (item: JsonObject, key: string) =>
  Object.hasOwn(item, key) && item[key] !== null && item[key] !== undefined

/** A text that is the same for the same item. */
function identity(item: unknown, key: string | null): string {
  if (key === null)
    return `${typeof item}:${typeof item === 'object' ? formatJson(item) : String(item)}`
  if (!isObject(item)) {
    throw new PatchMismatch(`expected a map, but received a ${kindName(item)}`)
  }
  if (!hasKey(item, key)) throw noMergeKey(item, key)
  return identity(item[key], null)
}

function ranks(list: readonly unknown[], key: string | null): Map<string, number> {
  const found = new Map<string, number>()
  list.forEach((item, i) => {
    const id = identity(item, key)
    if (!found.has(id)) found.set(id, i)
  })
  return found
}
