/**
 * Typed values for apply: JSON values walked along their topology. `undefined` means absent, which differs from null.
 */
import { finish, type Steps } from '../base/steps.ts'
import { setOwn } from '../codec/json-scanner.ts'
import {
  type Change,
  Changes,
  type Comparison,
  becameOther,
  fail,
  MODIFIED,
  NO_CHANGE,
  stepTo,
  wholeChange,
} from './changes.ts'
import { fieldElement } from './field-path.ts'
import { type FieldNode, FieldSet } from './field-set.ts'
import { hasMembers, isObject, type JsonObject, sameJson } from './json-value.ts'
import { quickDifference, TOO_MUCH } from './quick-difference.ts'
import {
  filledList,
  filledObject,
  type Item,
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

/** The paths of everything in a value that can be owned. The value must fit. */
export const toFieldSet = (topology: Topology, value: unknown): FieldSet =>
  owned(topology, value).below

/** The part of a set at one step: whether its own path is included, and the paths behind it. */
type Part = Pick<FieldNode, 'member' | 'below'>

const WHOLE: Part = { member: true, below: FieldSet.empty }

function owned(topology: Topology, value: unknown): Part {
  const resolved = resolve(topology, value)
  if (resolved.is === 'scalar') return WHOLE
  if (resolved.is === 'list') {
    if (resolved.relation === 'atomic') return WHOLE
    return {
      member: false,
      below: Array.isArray(value) ? ownedItems(resolved, value) : FieldSet.empty,
    }
  }
  if (resolved.atomic) return WHOLE
  return {
    member: false,
    below: isObject(value) ? ownedMembers(resolved, value) : FieldSet.empty,
  }
}

function ownedItems(topology: ListTopology, list: readonly unknown[]): FieldSet {
  const nodes = new Map<string, FieldNode>()
  for (const [text, { element, value }] of itemsOf(topology, list, fail)) {
    nodes.set(text, { element, member: true, below: owned(topology.of(), value).below })
  }
  return FieldSet.byText(nodes)
}

function ownedMembers(topology: MapTopology, value: JsonObject): FieldSet {
  const nodes = new Map<string, FieldNode>()
  for (const key of Object.keys(value)) {
    const inner = value[key]
    const { member: whole, below } = owned(memberTopology(topology, key) ?? DEDUCED, inner)
    const empty = inner === null || (isObject(inner) && Object.keys(inner).length === 0)
    const member = whole || empty || !topology.fields.has(key)
    if (!member && below.isEmpty) continue
    const element = stepTo(topology, key)
    nodes.set(element.text, { element, member, below })
  }
  return FieldSet.byText(nodes)
}

/** Paths that do not count: `whole` with all behind them, `alone` only themselves. */
export interface Unowned {
  readonly whole: FieldSet
  readonly alone: FieldSet
}

/**
 * Whether a set has exactly the paths of a value, but for those that do not count. It says the same as `toFieldSet` and a
 * comparison, without making a set. The value must fit.
 */
export const ownsExactly = (
  topology: Topology,
  value: unknown,
  set: FieldSet,
  unowned: Unowned,
): boolean => stepsMet(topology, value, set, unowned) === set.nodes.size

/** The number of steps into a value that lead to paths which count; -1 where the set differs behind one. */
function stepsMet(topology: Topology, value: unknown, set: FieldSet, unowned: Unowned): number {
  const resolved = resolve(topology, value)
  let count = 0
  if (resolved.is === 'list' && resolved.relation !== 'atomic' && Array.isArray(value)) {
    const of = resolved.of()
    for (const item of value) {
      const element = stepOf(resolved, item)
      if (typeof element === 'string') fail(element)
      const met = stepMet(element.text, { of, value: item, member: true }, set, unowned)
      if (met < 0) return -1
      count += met
    }
  } else if (resolved.is === 'map' && !resolved.atomic && isObject(value)) {
    for (const key in value) {
      const inner = value[key]
      const declared = resolved.fields.get(key)
      const of = (declared?.of ?? resolved.rest)?.() ?? DEDUCED
      const member = !declared || isWhole(of, inner)
      const text = declared ? declared.element.text : fieldElement(key).text
      const met = stepMet(text, { of, value: inner, member }, set, unowned)
      if (met < 0) return -1
      count += met
    }
  }
  return count
}

/** A value behind one step; `member`: the path to it is owned too. */
interface Behind {
  readonly of: Topology
  readonly value: unknown
  readonly member: boolean
}

/** 1: the set has this step with the same paths; 0: no path leads there; -1: the set has others. */
function stepMet(
  text: string,
  { of, value, member: isOwned }: Behind,
  set: FieldSet,
  unowned: Unowned,
): number {
  const whole = unowned.whole.nodes.get(text)
  if (whole?.member === true) return 0
  const alone = unowned.alone.nodes.get(text)
  const node = set.nodes.get(text)
  const below = node?.below ?? FieldSet.empty
  const inside =
    whole || alone
      ? { whole: whole?.below ?? FieldSet.empty, alone: alone?.below ?? FieldSet.empty }
      : ALL_COUNT
  const met = stepsMet(of, value, below, inside)
  if (met !== below.nodes.size) return -1
  const member = isOwned && alone?.member !== true
  if (!member && met === 0) return node ? -1 : 0
  return node?.member === member ? 1 : -1
}

const ALL_COUNT: Unowned = { whole: FieldSet.empty, alone: FieldSet.empty }

/** Whether a value is owned as one: it has no parts, or is an empty object. */
function isWhole(topology: Topology, value: unknown): boolean {
  const resolved = resolve(topology, value)
  if (resolved.is === 'scalar' || value === null) return true
  if (resolved.is === 'list') return resolved.relation === 'atomic' || isEmptyObject(value)
  return resolved.atomic || isEmptyObject(value)
}

const isEmptyObject = (value: unknown) => isObject(value) && !hasMembers(value)

/** Compares two values that fit. Throws TypedValueError when a list has an item twice. */
export function compare(topology: Topology, before: unknown, after: unknown): Comparison {
  return finish(compareSteps(topology, before, after))
}

/** The same in steps, where there is much to compare. */
export function* compareSteps(
  topology: Topology,
  before: unknown,
  after: unknown,
): Steps<Comparison> {
  const quick = quickDifference(topology, before, after)
  const { below } =
    (quick === TOO_MUCH ? yield* differSteps(topology, before, after) : quick) ?? NO_CHANGE
  return below
}

/** Compares as `compare` does, all of it in steps: the plain way. */
export function comparePlainly(topology: Topology, before: unknown, after: unknown): Comparison {
  return (finish(differSteps(topology, before, after)) ?? NO_CHANGE).below
}

/** Members of a map, or items of a list, that are compared before the work may yield. */
const PARTS_PER_STEP = 4096

/** null: no difference. */
function* differSteps(topology: Topology, before: unknown, after: unknown): Steps<Change | null> {
  if (before === after) return null
  if (before === undefined || after === undefined) return wholeChange(topology, before, after)
  const a = resolve(topology, before)
  const b = resolve(topology, after)
  if (a.is !== b.is) return becameOther(topology, before, after)
  if (b.is === 'map' && !b.atomic && (filledObject(before) || filledObject(after))) {
    return yield* membersDiffer(b, before, after)
  }
  if (b.is === 'list' && b.relation !== 'atomic' && (filledList(before) || filledList(after))) {
    return yield* itemsDiffer(b, before, after)
  }
  return sameJson(before, after) ? null : MODIFIED
}

function* membersDiffer(
  topology: MapTopology,
  before: unknown,
  after: unknown,
): Steps<Change | null> {
  const old = isObject(before) ? before : {}
  const next = isObject(after) ? after : {}
  const sum = new Changes()
  let steps = 0
  for (const key of Object.keys(old)) {
    if (++steps % PARTS_PER_STEP === 0) yield
    const value = Object.hasOwn(next, key) ? next[key] : topology.fields.get(key)?.absent
    if (old[key] === value) continue
    const of = memberTopology(topology, key) ?? DEDUCED
    sum.add(stepTo(topology, key), yield* differSteps(of, old[key], value))
  }
  for (const key of Object.keys(next)) {
    if (++steps % PARTS_PER_STEP === 0) yield
    if (Object.hasOwn(old, key)) continue
    const of = memberTopology(topology, key) ?? DEDUCED
    const absent = topology.fields.get(key)?.absent
    sum.add(stepTo(topology, key), yield* differSteps(of, absent, next[key]))
  }
  return sum.finish()
}

function* itemsDiffer(
  topology: ListTopology,
  before: unknown,
  after: unknown,
): Steps<Change | null> {
  if (Array.isArray(before) && Array.isArray(after) && sameJson(before, after)) return null
  const old = itemsOf(topology, Array.isArray(before) ? before : [], fail)
  yield
  const next = itemsOf(topology, Array.isArray(after) ? after : [], fail)
  yield
  const sum = new Changes()
  let steps = 0
  for (const [text, { element, value }] of old) {
    if (++steps % PARTS_PER_STEP === 0) yield
    sum.add(element, yield* differSteps(topology.of(), value, next.get(text)?.value))
  }
  for (const [text, { element, value }] of next) {
    if (++steps % PARTS_PER_STEP === 0) yield
    if (!old.has(text)) sum.add(element, yield* differSteps(topology.of(), undefined, value))
  }
  return sum.finish()
}

/**
 * The live value with the configuration merged into it: objects by key, keyed lists and sets by item, all else replaced.
 * Neither is changed, the result shares with both, and parts that stay are those of the live value. Throws
 * TypedValueError when a list has an item twice.
 */
export function merge(topology: Topology, live: unknown, config: unknown): unknown {
  if (config === undefined) return live
  if (live === undefined) return config
  const resolved = resolve(topology, config === null ? live : config)
  if (resolved.is === 'map' && !resolved.atomic && (filledObject(live) || filledObject(config))) {
    return mergedMembers(resolved, isObject(live) ? live : {}, isObject(config) ? config : {})
  }
  const isItems = resolved.is === 'list' && resolved.relation !== 'atomic'
  if (isItems && (filledList(live) || filledList(config))) {
    return mergedItems(
      resolved,
      Array.isArray(live) ? live : [],
      Array.isArray(config) ? config : [],
    )
  }
  return sameJson(live, config) ? live : config
}

function mergedMembers(topology: MapTopology, live: JsonObject, config: JsonObject): JsonObject {
  let merged: JsonObject | null = null
  for (const key in config) {
    const present = Object.hasOwn(live, key) ? live[key] : undefined
    const next = merge(memberTopology(topology, key) ?? DEDUCED, present, config[key])
    if (next !== present) setOwn((merged ??= { ...live }), key, next)
  }
  return merged ?? live
}

/** Items are in the order of the configuration; items that it lacks stay next to their former neighbours. */
function mergedItems(
  topology: ListTopology,
  live: readonly unknown[],
  config: readonly unknown[],
): readonly unknown[] {
  if (isPaired(topology, live, config)) return mergedPairs(topology, live, config)
  const left = itemsOf(topology, live, (text) => fail(`lhs: ${text}`))
  const right = itemsOf(topology, config, (text) => fail(`rhs: ${text}`))
  const merged: unknown[] = []
  const push = ({ element, value }: Item) =>
    merged.push(merge(topology.of(), left.get(element.text)?.value, value))
  const ours = [...left.values()]
  const theirs = [...right.values()]
  const shared = theirs.filter(({ element }) => left.has(element.text))
  let next = 0
  let i = 0
  let j = 0
  while (i < ours.length || j < theirs.length) {
    const mine = ours[i]
    const other = theirs[j]
    const isShared = mine !== undefined && right.has(mine.element.text)
    if (mine && other && mine.element.text === other.element.text) {
      push(other)
      i++
      j++
      next++
    } else if (mine && !isShared) {
      merged.push(mine.value)
      i++
    } else if (mine && other && shared[next] && shared[next]!.element.text !== mine.element.text) {
      // Its place is further on in the configuration.
      i++
    } else if (other) {
      push(other)
      j++
      if (shared[next]?.element.text === other.element.text) next++
    } else i++
  }
  const isSame = merged.length === live.length && merged.every((item, at) => item === live[at])
  return isSame ? live : merged
}

/** The same for lists with the same items in the same order. */
function mergedPairs(
  topology: ListTopology,
  live: readonly unknown[],
  config: readonly unknown[],
): readonly unknown[] {
  const of = topology.of()
  let merged: unknown[] | null = null
  for (let i = 0; i < live.length; i++) {
    const next = merge(of, live[i], config[i])
    if (next !== live[i]) (merged ??= [...live])[i] = next
  }
  return merged ?? live
}

/** The value without the paths of the set; a part that becomes empty becomes null, or absent at the top. */
export function removeItems(topology: Topology, value: unknown, set: FieldSet): unknown {
  if (set.isEmpty) return value
  const resolved = resolve(topology, value)
  if (resolved.is === 'scalar') return value
  const kept =
    resolved.is === 'list'
      ? resolved.relation === 'atomic' || !Array.isArray(value)
        ? undefined
        : keptItems(resolved, value, set)
      : resolved.atomic || !isObject(value)
        ? undefined
        : keptMembers(resolved, value, set)
  return kept
}

function keptItems(topology: ListTopology, list: readonly unknown[], set: FieldSet) {
  const kept: unknown[] = []
  for (const { element, value } of itemsOf(topology, list, fail).values()) {
    const node = set.nodes.get(element.text)
    if (node?.member) continue
    const left = node ? removeItems(topology.of(), value, node.below) : value
    // An item keeps its key fields in any case.
    kept.push(left ?? (isObject(value) ? keysOf(topology, value) : value))
  }
  return kept.length > 0 ? kept : undefined
}

function keptMembers(topology: MapTopology, value: JsonObject, set: FieldSet) {
  const kept: JsonObject = {}
  for (const [key, member] of Object.entries(value)) {
    const node = set.nodes.get(`f:${key}`)
    if (node?.member) continue
    const of = memberTopology(topology, key) ?? DEDUCED
    setOwn(kept, key, node ? (removeItems(of, member, node.below) ?? null) : member)
  }
  return filledObject(kept) ? kept : undefined
}

/** The part of the value that the set names, with the key fields of the items; undefined when it is empty. */
export function extractItems(topology: Topology, value: unknown, set: FieldSet): unknown {
  if (set.isEmpty) return undefined
  const resolved = resolve(topology, value)
  if (resolved.is === 'scalar') return value
  if (resolved.is === 'list') {
    if (!Array.isArray(value)) return undefined
    return resolved.relation === 'atomic' ? value : extractedItems(resolved, value, set)
  }
  if (!isObject(value)) return undefined
  return resolved.atomic ? value : extractedMembers(resolved, value, set)
}

function extractedItems(topology: ListTopology, list: readonly unknown[], set: FieldSet) {
  const found: unknown[] = []
  for (const { element, value } of itemsOf(topology, list, fail).values()) {
    const node = set.nodes.get(element.text)
    if (!node) continue
    const content = extractItems(topology.of(), value, node.below)
    if (element.is !== 'key' || !isObject(value)) found.push(value)
    else found.push({ ...keysOf(topology, value), ...(isObject(content) ? content : {}) })
  }
  return found.length > 0 ? found : undefined
}

const keysOf = ({ keys }: ListTopology, item: JsonObject) =>
  Object.fromEntries(
    keys.filter(({ name }) => Object.hasOwn(item, name)).map(({ name }) => [name, item[name]]),
  )

function extractedMembers(topology: MapTopology, value: JsonObject, set: FieldSet) {
  const found: JsonObject = {}
  for (const [key, member] of Object.entries(value)) {
    const node = set.nodes.get(`f:${key}`)
    if (!node) continue
    const content = node.below.isEmpty
      ? withoutParts(memberTopology(topology, key) ?? DEDUCED, member)
      : extractItems(memberTopology(topology, key) ?? DEDUCED, member, node.below)
    if (content !== undefined) setOwn(found, key, content)
  }
  return filledObject(found) ? found : undefined
}

/** The value at an owned path without nested owned paths: complete if it is atomic, else an empty container. */
function withoutParts(topology: Topology, value: unknown): unknown {
  const resolved = resolve(topology, value)
  if (resolved.is === 'map' && !resolved.atomic && isObject(value)) return {}
  if (resolved.is === 'list' && resolved.relation !== 'atomic' && Array.isArray(value)) return []
  return value
}
