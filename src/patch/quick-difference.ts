/**
 * Compares two objects at once, as most are small and share most of their parts: without steps, which would be a
 * generator for each part of them, and without a table for lists that have the same items in the same order.
 * `differSteps` in `typed-value.ts` is the plain way.
 */
import {
  becameOther,
  type Change,
  Changes,
  fail,
  MODIFIED,
  stepTo,
  wholeChange,
} from './changes.ts'
import { isObject, type JsonObject, sameJson } from './json-value.ts'
import {
  filledList,
  filledObject,
  isPaired,
  itemsOf,
  memberTopology,
  stepOf,
} from './typed-items.ts'
import {
  DEDUCED,
  type ListTopology,
  type MapTopology,
  resolve,
  type Topology,
} from '../notation/topology.ts'

/** There are too many parts to compare at once. */
export const TOO_MUCH = 'too much'

/** The change between two values, null where there is none. */
type Found = Change | null | typeof TOO_MUCH

/** Members and items that are compared at once. */
const MOST_PARTS = 4096

/** Parts of the present comparison that are left. */
let left = 0

/** How two values that fit differ. Throws TypedValueError when a list has an item twice. */
export function quickDifference(topology: Topology, before: unknown, after: unknown): Found {
  left = MOST_PARTS
  return difference(topology, before, after)
}

function difference(topology: Topology, before: unknown, after: unknown): Found {
  if (before === after) return null
  if (before === undefined || after === undefined) return wholeChange(topology, before, after)
  const a = resolve(topology, before)
  const b = resolve(topology, after)
  if (a.is !== b.is) return becameOther(topology, before, after)
  if (b.is === 'map' && !b.atomic && (filledObject(before) || filledObject(after)))
    return ofMembers(b, isObject(before) ? before : {}, isObject(after) ? after : {})
  if (b.is === 'list' && b.relation !== 'atomic' && (filledList(before) || filledList(after)))
    return ofItems(b, Array.isArray(before) ? before : [], Array.isArray(after) ? after : [])
  return sameJson(before, after) ? null : MODIFIED
}

function ofMembers(topology: MapTopology, old: JsonObject, next: JsonObject): Found {
  let sum: Changes | null = null
  for (const key in old) {
    if (--left < 0) return TOO_MUCH
    const was = old[key]
    const value = Object.hasOwn(next, key) ? next[key] : topology.fields.get(key)?.absent
    if (was === value) continue
    const found = difference(memberTopology(topology, key) ?? DEDUCED, was, value)
    if (found === TOO_MUCH) return found
    if (found) (sum ??= new Changes()).add(stepTo(topology, key), found)
  }
  for (const key in next) {
    if (--left < 0) return TOO_MUCH
    if (Object.hasOwn(old, key)) continue
    const absent = topology.fields.get(key)?.absent
    const found = difference(memberTopology(topology, key) ?? DEDUCED, absent, next[key])
    if (found === TOO_MUCH) return found
    if (found) (sum ??= new Changes()).add(stepTo(topology, key), found)
  }
  return sum && sum.finish()
}

function ofItems(
  topology: ListTopology,
  before: readonly unknown[],
  after: readonly unknown[],
): Found {
  if (isPaired(topology, before, after)) return ofPairs(topology, before, after)
  if (sameJson(before, after)) return null
  const old = itemsOf(topology, before, fail)
  const next = itemsOf(topology, after, fail)
  const of = topology.of()
  const sum = new Changes()
  for (const [text, { element, value }] of old) {
    if (--left < 0) return TOO_MUCH
    const found = difference(of, value, next.get(text)?.value)
    if (found === TOO_MUCH) return found
    sum.add(element, found)
  }
  for (const [text, { element, value }] of next) {
    if (--left < 0) return TOO_MUCH
    if (!old.has(text)) sum.add(element, wholeChange(of, undefined, value))
  }
  return sum.finish()
}

/** Lists with the same items in the same order. */
function ofPairs(
  topology: ListTopology,
  before: readonly unknown[],
  after: readonly unknown[],
): Found {
  const of = topology.of()
  let sum: Changes | null = null
  for (let i = 0; i < before.length; i++) {
    if (--left < 0) return TOO_MUCH
    if (before[i] === after[i]) continue
    const found = difference(of, before[i], after[i])
    if (found === TOO_MUCH) return found
    const step = found && stepOf(topology, before[i])
    // Paired items have a step.
    if (found && typeof step === 'object' && step) (sum ??= new Changes()).add(step, found)
  }
  return sum && sum.finish()
}
