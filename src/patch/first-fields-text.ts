/**
 * The text of `firstFields`, without objects in between: most objects are created once, by one manager, and have the
 * same fields as others of their kind. `first-fields.ts` is the plain way to the same, also for large objects.
 */
import { compareElements, compareText, fieldElement, type PathElement } from './field-path.ts'
import { below, type Unowned, ALL_OWNED } from './first-fields.ts'
import { isObject, type JsonObject, sameJson } from './json-value.ts'
import {
  DEDUCED,
  type ListTopology,
  type MapTopology,
  resolve,
  type Topology,
} from '../notation/topology.ts'
import { filledList, filledObject, itemsOf, memberTopology } from './typed-items.ts'

/** The object is large, or a list has an item twice: only the plain way is able to handle it. */
export class NeedsPlainWay extends Error {}

/** Members and items of an object that is walked at once. */
const MOST = 2048

/** The JSON text of `firstFields`; null when there are no fields. Throws NeedsPlainWay. */
export function firstFieldsText(
  topology: Topology,
  zero: unknown,
  object: unknown,
  unowned: Unowned,
): string | null {
  return new FirstFieldsWalk().parts(topology, zero, object, unowned)?.join('') ?? null
}

/** What is left out of the paths to a value. */
interface Left {
  /** Behind it. */
  readonly unowned: Unowned
  /** The path to the value itself is left out. */
  readonly isAlone: boolean
}

/** The same without the path to the value. */
const alone = (left: Left): Left =>
  left.isAlone
    ? left
    : left === NOTHING_LEFT
      ? ITSELF_LEFT
      : { unowned: left.unowned, isAlone: true }

const NOTHING_LEFT: Left = { unowned: ALL_OWNED, isAlone: false }
const ITSELF_LEFT: Left = { unowned: ALL_OWNED, isAlone: true }
const ITSELF = '".":{}'

/**
 * Makes the text in parts, most of which are the same strings for all objects of a kind, so that a text that was joined
 * before is known by comparing them. Appends to one list, so that little is allocated; what turns out to be empty is
 * taken back.
 */
export class FirstFieldsWalk {
  readonly #parts: string[] = []
  #left = MOST
  /** The next step is the first one of its object. */
  #isFirst = true

  /** The parts of the text of `firstFields`, until the next call; null without fields. Throws NeedsPlainWay. */
  parts(
    topology: Topology,
    zero: unknown,
    object: unknown,
    unowned: Unowned,
  ): readonly string[] | null {
    const parts = this.#parts
    parts.length = 0
    parts.push('{')
    this.#left = MOST
    this.#isFirst = true
    if (!this.#inside(topology, zero, object, { unowned, isAlone: true })) return null
    parts.push('}')
    return parts
  }

  /** Appends the paths behind a value, and its own where others follow; whether there are any, or its own. */
  #inside(topology: Topology, zero: unknown, value: unknown, left: Left): boolean {
    if (zero === value || value === undefined) return false
    if (zero === undefined) return this.#everything(topology, value, left) || !left.isAlone
    const of = resolve(topology, value)
    if (of.is === 'map' && !of.atomic && (filledObject(zero) || filledObject(value)))
      return isObject(value) && this.#members(of, zero, value, alone(left))
    if (of.is === 'list' && of.relation !== 'atomic' && filledList(value) && !filledList(zero))
      return this.#items(of, value, alone(left))
    return !left.isAlone && !sameJson(zero, value)
  }

  /** Appends all paths to parts of a value that is new; whether there are any. */
  #everything(topology: Topology, value: unknown, left: Left): boolean {
    const of = resolve(topology, value)
    if (of.is === 'map')
      return !of.atomic && isObject(value) && this.#members(of, null, value, left)
    return (
      of.is === 'list' &&
      of.relation !== 'atomic' &&
      Array.isArray(value) &&
      this.#items(of, value, left)
    )
  }

  #members(of: MapTopology, zero: unknown, value: JsonObject, left: Left): boolean {
    const keys = Object.keys(value)
    this.#count(keys.length)
    const parts = this.#parts
    const before = parts.length
    if (!left.isAlone) parts.push(ITSELF)
    let isEmpty = true
    for (const member of arranged(of, keys)) {
      const { key } = member
      const old = isObject(zero) && Object.hasOwn(zero, key) ? zero[key] : undefined
      this.#isFirst = isEmpty && left.isAlone
      if (this.#step(member, left, old, value[key])) isEmpty = false
    }
    if (isEmpty) parts.length = before
    return !isEmpty
  }

  #items(of: ListTopology, list: readonly unknown[], left: Left): boolean {
    this.#count(list.length)
    const items = [...itemsOf(of, list, needsPlainWay).values()]
    if (items.length > 1) items.sort((a, b) => compareElements(a.element, b.element))
    const parts = this.#parts
    const before = parts.length
    if (!left.isAlone) parts.push(ITSELF)
    let isEmpty = true
    for (const { element, value } of items) {
      this.#isFirst = isEmpty && left.isAlone
      if (this.#step(stepOf(element, of.of()), left, undefined, value)) isEmpty = false
    }
    if (isEmpty) parts.length = before
    return !isEmpty
  }

  /** Appends the paths that begin with a step; whether there are any. */
  #step(step: Step, { unowned }: Left, zero: unknown, value: unknown): boolean {
    const left = unowned === ALL_OWNED ? NOTHING_LEFT : behind(unowned, step.element.text)
    if (left === null) return false
    const parts = this.#parts
    const before = parts.length
    parts.push(this.#isFirst ? step.json : step.nextJson)
    if (!this.#inside(step.topology, zero, value, left)) {
      parts.length = before
      return false
    }
    parts.push('}')
    return true
  }

  #count(values: number): void {
    this.#left -= values
    if (this.#left < 0) throw new NeedsPlainWay()
  }
}

/** What is left out behind a step; null when it is left out with all behind it. */
function behind(unowned: Unowned, text: string): Left | null {
  if (unowned.whole.nodes.get(text)?.member === true) return null
  const rest = below(unowned, text)
  const isAlone = unowned.alone.nodes.get(text)?.member === true
  return rest === ALL_OWNED && !isAlone ? NOTHING_LEFT : { unowned: rest, isAlone }
}

function needsPlainWay(): never {
  throw new NeedsPlainWay()
}

/** A step, and the value behind it. */
interface Step {
  readonly element: PathElement
  /** The text of the step as a JSON name, with the opening of its object. */
  readonly json: string
  /** The same behind another one. */
  readonly nextJson: string
  readonly topology: Topology
}

/** One member of objects of a topology. */
interface Member extends Step {
  readonly key: string
}

function stepOf(element: PathElement, topology: Topology): Step {
  const json = `${JSON.stringify(element.text)}:{`
  return { element, json, nextJson: `,${json}`, topology }
}

/** The members with these names, which objects of a topology had, in the order of paths. */
interface Arrangement {
  readonly keys: readonly string[]
  readonly members: readonly Member[]
}

/** Arrangements of one topology: objects of one kind have few combinations of fields. */
class Arrangements {
  readonly #known: Arrangement[] = []
  #next = 0

  find(keys: readonly string[]): Arrangement | null {
    for (const known of this.#known) if (sameKeys(known.keys, keys)) return known
    return null
  }

  keep(arrangement: Arrangement): void {
    this.#known[this.#next] = arrangement
    this.#next = (this.#next + 1) % MOST_ARRANGEMENTS
  }
}

const MOST_ARRANGEMENTS = 6
/** Names in an arrangement that is kept, and their length together. */
const MOST_KEYS = 64
const MOST_LENGTH = 2048

const arrangements = new WeakMap<MapTopology, Arrangements>()

function arranged(of: MapTopology, keys: readonly string[]): readonly Member[] {
  if (keys.length > MOST_KEYS) return inOrder(of, keys)
  let known = arrangements.get(of)
  if (!known) arrangements.set(of, (known = new Arrangements()))
  const found = known.find(keys)
  if (found) return found.members
  const members = inOrder(of, keys)
  if (keys.reduce((sum, key) => sum + key.length, 0) <= MOST_LENGTH) known.keep({ keys, members })
  return members
}

function sameKeys(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

const inOrder = (of: MapTopology, keys: readonly string[]): readonly Member[] =>
  keys.toSorted(compareText).map((key) => {
    const element = of.fields.get(key)?.element ?? fieldElement(key)
    return { key, ...stepOf(element, memberTopology(of, key) ?? DEDUCED) }
  })
