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
export const firstFieldsText = (
  topology: Topology,
  zero: unknown,
  object: unknown,
  unowned: Unowned,
): string | null => new Walk().part(topology, { zero, value: object, unowned, isAlone: false })

/** A value, the one that it is compared with, and what is left out of its paths. */
interface Place {
  readonly zero: unknown
  readonly value: unknown
  readonly unowned: Unowned
  /** The path to the value itself is left out. */
  readonly isAlone: boolean
}

class Walk {
  #left = MOST

  /** The text of the paths to a value and behind it; null: there are none. */
  part(topology: Topology, { zero, value, unowned, isAlone }: Place): string | null {
    if (zero === value || value === undefined) return null
    if (zero === undefined) return this.#everything(topology, value, unowned, !isAlone)
    const of = resolve(topology, value)
    if (of.is === 'map' && !of.atomic && (filledObject(zero) || filledObject(value)))
      return isObject(value) ? this.#members(of, { zero, value, unowned, isAlone: true }) : null
    if (of.is === 'list' && of.relation !== 'atomic' && filledList(value) && !filledList(zero))
      return this.#everything(of, value, unowned, false)
    return isAlone || sameJson(zero, value) ? null : '{}'
  }

  /** All paths to parts of a value that is new; the path to itself where it is a member. */
  #everything(topology: Topology, value: unknown, unowned: Unowned, isMember: boolean) {
    const of = resolve(topology, value)
    let text: string | null = null
    if (of.is === 'map' && !of.atomic && isObject(value))
      text = this.#members(of, { zero: undefined, value, unowned, isAlone: !isMember })
    else if (of.is === 'list' && of.relation !== 'atomic' && Array.isArray(value))
      text = this.#items(of, value, unowned, isMember)
    return text ?? (isMember ? '{}' : null)
  }

  /** Null when no member has a path. */
  #members(of: MapTopology, { zero, value, unowned, isAlone }: Place): string | null {
    const object = value as JsonObject
    const keys = Object.keys(object)
    this.#count(keys.length)
    let text = ''
    for (const { key, element, json, topology } of arranged(of, keys)) {
      if (unowned !== ALL_OWNED && unowned.whole.nodes.get(element.text)?.member === true) continue
      const part = this.part(topology, {
        zero: isObject(zero) && Object.hasOwn(zero, key) ? zero[key] : undefined,
        value: object[key],
        unowned: below(unowned, element.text),
        isAlone: unowned !== ALL_OWNED && unowned.alone.nodes.get(element.text)?.member === true,
      })
      if (part !== null) text += text === '' ? json + part : `,${json}${part}`
    }
    if (text === '') return null
    return isAlone ? `{${text}}` : `{".":{},${text}}`
  }

  #items(of: ListTopology, list: readonly unknown[], unowned: Unowned, isMember: boolean) {
    this.#count(list.length)
    const items = [...itemsOf(of, list, needsPlainWay).values()]
    if (items.length > 1) items.sort((a, b) => compareElements(a.element, b.element))
    let text = ''
    for (const { element, value } of items) {
      if (unowned !== ALL_OWNED && unowned.whole.nodes.get(element.text)?.member === true) continue
      const isAlone =
        unowned !== ALL_OWNED && unowned.alone.nodes.get(element.text)?.member === true
      const part = this.#everything(of.of(), value, below(unowned, element.text), !isAlone)
      if (part !== null) text += `${text === '' ? '' : ','}${JSON.stringify(element.text)}:${part}`
    }
    if (text === '') return null
    return isMember ? `{".":{},${text}}` : `{${text}}`
  }

  #count(values: number): void {
    this.#left -= values
    if (this.#left < 0) throw new NeedsPlainWay()
  }
}

function needsPlainWay(): never {
  throw new NeedsPlainWay()
}

/** One member of objects of a topology. */
interface Member {
  readonly key: string
  readonly element: PathElement
  /** The text of the step as a JSON name, with its colon. */
  readonly json: string
  readonly topology: Topology
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
    const json = `${JSON.stringify(element.text)}:`
    return { key, element, json, topology: memberTopology(of, key) ?? DEDUCED }
  })
