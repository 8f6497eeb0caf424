/** Fields of the first manager of an object, computed in one walk: most objects are created once, by one manager. */
import { finish, type Steps } from '../base/steps.ts'
import { compareElements, fieldElement, type PathElement } from './field-path.ts'
import { FieldSet } from './field-set.ts'
import { isObject, type JsonObject, sameJson } from './json-value.ts'
import {
  DEDUCED,
  type ListTopology,
  type MapTopology,
  resolve,
  type Topology,
} from '../notation/topology.ts'
import {
  filledList,
  filledObject,
  type Item,
  itemsOf,
  memberTopology,
  TypedValueError,
} from './typed-items.ts'

/** Paths that are left out. */
export interface Unowned {
  /** Steps with all behind them. */
  readonly whole: FieldSet
  /** Steps without the paths behind them. */
  readonly alone: FieldSet
}

/**
 * The JSON form of the paths in which an object differs from the zero value, as `compare` and `toFieldsV1` would
 * return; null when there are none. Throws TypedValueError when a list has an item twice.
 */
export const firstFields = (
  topology: Topology,
  zero: unknown,
  object: unknown,
  unowned: Unowned,
): JsonObject | null => finish(firstFieldsSteps(topology, zero, object, unowned))

/** The same in steps: large parts of the object are filled in later, a part in each step. */
export function* firstFieldsSteps(
  topology: Topology,
  zero: unknown,
  object: unknown,
  unowned: Unowned,
): Steps<JsonObject | null> {
  const later: Later = new Map()
  const json = beyond({ topology, unowned, later }, zero, object)?.json ?? null
  // Filling may add further work.
  for (const fill of later.values()) yield* fill
  return json
}

/** JSON that is already in its place, and the work that fills it. */
type Later = Map<JsonObject, Steps<void>>

/** Members or items of which more are written down later, and of which as many are in a step. */
const LARGE = 4096

/** Context of the walk. */
interface Look {
  readonly topology: Topology
  readonly unowned: Unowned
  readonly later: Later
}

/** Paths behind a step as JSON, and whether the step itself is one. */
interface Part {
  readonly member: boolean
  readonly json: JsonObject
}

type Step = readonly [element: PathElement, json: JsonObject]

const MODIFIED: Part = { member: true, json: {} }

function beyond(look: Look, zero: unknown, value: unknown): Part | null {
  if (zero === value || value === undefined) return null
  if (zero === undefined) return { member: true, json: everyField(look, value) ?? {} }
  const of = resolve(look.topology, value)
  if (of.is === 'map' && !of.atomic && (filledObject(zero) || filledObject(value))) {
    const json = members(look, of, isObject(zero) ? zero : NOTHING, value)
    return json && { member: false, json }
  }
  if (of.is === 'list' && of.relation !== 'atomic' && filledList(value) && !filledList(zero)) {
    const json = everyField(look, value)
    return json && { member: false, json }
  }
  return sameJson(zero, value) ? null : MODIFIED
}

const NOTHING: JsonObject = {}

/** All paths to parts of a value that is new. */
function everyField(look: Look, value: unknown): JsonObject | null {
  const of = resolve(look.topology, value)
  if (of.is === 'map' && !of.atomic && isObject(value)) return members(look, of, NOTHING, value)
  if (of.is !== 'list' || of.relation === 'atomic' || !Array.isArray(value)) return null
  if (value.length > LARGE) return laterFilled(look, itemSteps(look, of, value))
  const steps: Step[] = []
  for (const item of itemsOf(of, value, fail).values()) addItem(steps, look, of, item)
  return written(steps)
}

function* itemSteps(look: Look, of: ListTopology, list: readonly unknown[]): Generator<Step[]> {
  const steps: Step[] = []
  const items = itemsOf(of, list, fail)
  yield steps
  for (const item of items.values()) {
    addItem(steps, look, of, item)
    if (steps.length % LARGE === 0) yield steps
  }
  yield steps
}

function addItem(steps: Step[], look: Look, of: ListTopology, { element, value }: Item): void {
  const { unowned, later } = look
  const inside = { topology: of.of(), unowned: below(unowned, element.text), later }
  add(steps, element, { member: true, json: everyField(inside, value) ?? {} }, look)
}

function members(look: Look, of: MapTopology, zero: JsonObject, value: unknown): JsonObject | null {
  if (!isObject(value)) return null
  const keys = Object.keys(value)
  // In a map that was empty, every member is new: something is written down in any case.
  if (keys.length > LARGE && !filledObject(zero))
    return laterFilled(look, memberSteps(look, of, value, keys))
  const steps: Step[] = []
  for (const key of keys) addMember(steps, look, of, { zero, value, key })
  return written(steps)
}

function* memberSteps(
  look: Look,
  of: MapTopology,
  value: JsonObject,
  keys: readonly string[],
): Generator<Step[]> {
  const steps: Step[] = []
  for (const [i, key] of keys.entries()) {
    addMember(steps, look, of, { zero: NOTHING, value, key })
    if (i % LARGE === 0) yield steps
  }
  yield steps
}

function addMember(
  steps: Step[],
  look: Look,
  of: MapTopology,
  { zero, value, key }: { zero: JsonObject; value: JsonObject; key: string },
): void {
  const { unowned, later } = look
  const element = of.fields.get(key)?.element ?? fieldElement(key)
  if (unowned.whole.nodes.get(element.text)?.member === true) return
  const inside = {
    topology: memberTopology(of, key) ?? DEDUCED,
    unowned: below(unowned, element.text),
    later,
  }
  const before = Object.hasOwn(zero, key) ? zero[key] : undefined
  const part = beyond(inside, before, value[key])
  if (part) add(steps, element, part, look)
}

function add(
  steps: Step[],
  element: PathElement,
  { member: isMeant, json }: Part,
  { unowned: { whole, alone }, later }: Look,
): void {
  if (whole.nodes.get(element.text)?.member === true) return
  const member = isMeant && alone.nodes.get(element.text)?.member !== true
  if (later.has(json)) {
    // Its own path precedes those that follow.
    if (member) json['.'] = {}
    steps.push([element, json])
    return
  }
  const leadsOn = filledObject(json)
  if (!member && !leadsOn) return
  steps.push([element, member && leadsOn ? { '.': {}, ...json } : json])
}

/** JSON that is filled later by the steps of a path that are then found. */
function laterFilled({ later }: Look, finding: Iterable<Step[]>): JsonObject {
  const json: JsonObject = {}
  later.set(json, fill(json, finding))
  return json
}

function* fill(json: JsonObject, finding: Iterable<Step[]>): Steps<void> {
  let found: Step[] = []
  for (found of finding) yield
  inOrder(found)
  yield
  for (const [i, [{ text }, inner]] of found.entries()) {
    json[text] = inner
    if (i % LARGE === 0) yield
  }
}

/** Unowned paths behind a step; the same object when there are none. */
export function below(unowned: Unowned, text: string): Unowned {
  if (unowned === ALL_OWNED) return unowned
  const whole = unowned.whole.nodes.get(text)?.below
  const alone = unowned.alone.nodes.get(text)?.below
  if (!whole && !alone) return ALL_OWNED
  return { whole: whole ?? ALL_OWNED.whole, alone: alone ?? ALL_OWNED.alone }
}

/** Nothing is left out. */
export const ALL_OWNED: Unowned = { whole: FieldSet.empty, alone: FieldSet.empty }

function written(steps: Step[]): JsonObject | null {
  if (steps.length === 0) return null
  inOrder(steps)
  const json: JsonObject = {}
  // A text starts with a letter and a colon, so it is no name that objects inherit.
  for (const [{ text }, inner] of steps) json[text] = inner
  return json
}

/** Few items, many times for each object: sorted in place, without allocations. */
function inOrder(steps: Step[]): void {
  if (steps.length > FEW) {
    steps.sort(([a], [b]) => compareElements(a, b))
    return
  }
  for (let i = 1; i < steps.length; i++) {
    const step = steps[i]!
    let at = i
    while (at > 0 && compareElements(steps[at - 1]![0], step[0]) > 0) {
      steps[at] = steps[at - 1]!
      at--
    }
    steps[at] = step
  }
}

const FEW = 24

function fail(text: string): never {
  throw new TypedValueError([text])
}
