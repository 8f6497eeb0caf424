/** What the first manager of an object owns, written down in one walk: most objects are made once and by one. */
import { compareElements, fieldElement, type PathElement } from './field-path.ts'
import { FieldSet } from './field-set.ts'
import { isObject, type JsonObject, sameJson } from './json-value.ts'
import { DEDUCED, type MapTopology, resolve, type Topology } from '../schema/topology.ts'
import {
  filledList,
  filledObject,
  itemsOf,
  memberTopology,
  TypedValueError,
} from './typed-items.ts'

/** Paths that are left out. */
export interface Unowned {
  /** Steps with all behind them. */
  readonly whole: FieldSet
  /** Steps without what is behind them. */
  readonly alone: FieldSet
}

/**
 * The JSON form of the paths in which an object differs from one in which nothing is set, as `compare` and
 * `toFieldsV1` would tell; null when there are none. Throws TypedValueError when a list has an item twice.
 */
export function firstFields(
  topology: Topology,
  blank: unknown,
  object: unknown,
  unowned: Unowned,
): JsonObject | null {
  return beyond(topology, blank, object, unowned)?.json ?? null
}

/** Paths behind a step as JSON, and whether the step itself is one. */
interface Part {
  readonly member: boolean
  readonly json: JsonObject
}

type Step = readonly [element: PathElement, json: JsonObject]

const MODIFIED: Part = { member: true, json: {} }

function beyond(topology: Topology, blank: unknown, value: unknown, unowned: Unowned): Part | null {
  if (blank === value || value === undefined) return null
  if (blank === undefined) return { member: true, json: everyField(topology, value, unowned) ?? {} }
  const of = resolve(topology, value)
  if (of.is === 'map' && !of.atomic && (filledObject(blank) || filledObject(value))) {
    const json = members(of, isObject(blank) ? blank : {}, value, unowned)
    return json && { member: false, json }
  }
  if (of.is === 'list' && of.relation !== 'atomic' && filledList(value) && !filledList(blank)) {
    const json = everyField(of, value, unowned)
    return json && { member: false, json }
  }
  return sameJson(blank, value) ? null : MODIFIED
}

/** All paths to parts of a value that is new. */
function everyField(topology: Topology, value: unknown, unowned: Unowned): JsonObject | null {
  const of = resolve(topology, value)
  if (of.is === 'map' && !of.atomic && isObject(value)) return members(of, NOTHING, value, unowned)
  if (of.is !== 'list' || of.relation === 'atomic' || !Array.isArray(value)) return null
  const steps: Step[] = []
  for (const { element, value: item } of itemsOf(of, value, fail).values()) {
    const json = everyField(of.of(), item, below(unowned, element.text)) ?? {}
    add(steps, element, { member: true, json }, unowned)
  }
  return written(steps)
}

const NOTHING: JsonObject = {}

function members(
  topology: MapTopology,
  blank: JsonObject,
  value: unknown,
  unowned: Unowned,
): JsonObject | null {
  if (!isObject(value)) return null
  const steps: Step[] = []
  for (const key of Object.keys(value)) {
    const element = topology.fields.get(key)?.element ?? fieldElement(key)
    if (unowned.whole.nodes.get(element.text)?.member === true) continue
    const of = memberTopology(topology, key) ?? DEDUCED
    const before = Object.hasOwn(blank, key) ? blank[key] : undefined
    const part = beyond(of, before, value[key], below(unowned, element.text))
    if (part) add(steps, element, part, unowned)
  }
  return written(steps)
}

function add(steps: Step[], element: PathElement, part: Part, { whole, alone }: Unowned): void {
  if (whole.nodes.get(element.text)?.member === true) return
  const member = part.member && alone.nodes.get(element.text)?.member !== true
  const leadsOn = filledObject(part.json)
  if (!member && !leadsOn) return
  steps.push([element, member && leadsOn ? { '.': {}, ...part.json } : part.json])
}

/** What is left out behind a step; the same when nothing is. */
function below(unowned: Unowned, text: string): Unowned {
  if (unowned === ALL_OWNED) return unowned
  const whole = unowned.whole.nodes.get(text)?.below
  const alone = unowned.alone.nodes.get(text)?.below
  if (!whole && !alone) return ALL_OWNED
  return { whole: whole ?? ALL_OWNED.whole, alone: alone ?? ALL_OWNED.alone }
}

const ALL_OWNED: Unowned = { whole: FieldSet.empty, alone: FieldSet.empty }

function written(steps: Step[]): JsonObject | null {
  if (steps.length === 0) return null
  inOrder(steps)
  const json: JsonObject = {}
  // A text starts with a letter and a colon, so it is no name that objects inherit.
  for (const [{ text }, inner] of steps) json[text] = inner
  return json
}

/** Few at a time, and many times for each object: sorted in place, which makes nothing. */
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
